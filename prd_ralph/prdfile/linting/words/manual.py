"""Criteria that a person has to see to. That people can do something by hand in the program itself is none."""

from prd_ralph.prdfile.linting.words.patterns import FEW, START, any_of, either, whole

_TEST = either("""
    test, tests, tested, testing, check, checks, checked, verify, verified, verification, validate, validated, inspect,
    inspected, inspection, qa, confirm, confirmed
""")
_LOOK = either("verify, check, test, confirm, inspect")
_WHERE = either(r"visually, by eye, in the browser, in a browser, in your browser, in browser, in production(?! \w)")
_PEOPLE = either("stakeholders?, product owner, designers?, design team, product, design, qa, client, the pm, the po")
_SIGN = either("signs? off, signed off, has signed off, have signed off, is happy, are happy")
_HAND = either("manualmente, a mano, à mão, manuellement, à la main, visuellement")
_ROMANCE_TEST = either("verificar, comprobar, probar, revisar, testar, vérifier, tester, contrôler")
_GERMAN_TEST = either("prüfen, testen, getestet, geprüft, überprüfen, verifizieren")

MANUAL = any_of(
    r"^\W*(?:manual|manually|manuell|manuellement|manualmente)\s*[:：–—]",
    rf"{START}(?:please )?manual(?:ly)? {_TEST}(?![\w-])",
    whole(f"(?:tested|checked|verified|confirmed|inspected) {FEW}(?:manually|by hand|by eye)"),
    rf"{START}{_LOOK} {FEW}(?:manually|by hand|{_WHERE})(?![\w-])",
    rf"{START}visual(?:ly)? {_TEST}(?![\w-])",
    whole(f"{_PEOPLE} {_SIGN}"),
    whole(rf"sign[- ]?off (?:by|from) (?:the )?{_PEOPLE}"),
    whole(f"{_ROMANCE_TEST} {FEW}{_HAND}"),
    whole(f"(?:manuell|von Hand|visuell) {FEW}{_GERMAN_TEST}"),
    whole(r"(?:kézzel|manuálisan|szemmel) (?:ellenőriz\w*|tesztel\w*)"),
    "(?:手动|人工|手工)(?:测试|检查|验证|确认)",
)
