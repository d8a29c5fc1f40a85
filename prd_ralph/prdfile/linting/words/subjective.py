"""Criteria that are a matter of taste."""

from prd_ralph.prdfile.linting.words.patterns import END, any_of, either, whole

_GOOD = either("good, great, nice, fine, right, ok, okay, modern, clean, professional, beautiful, pretty, polished")
_PLEASING = either("""
    beautiful, pretty, elegant, pleasant, delightful, attractive, appealing, polished, eye-catching, nice, natural,
    modern
""")
_AND_NO_MORE = r"(?=\W*(?:$|and\b|to (?:use|look)))"

SUBJECTIVE = any_of(
    whole(rf"looks? (?:\w+ )?{_GOOD}"),
    whole(rf"(?:is|are|be|feels?) (?:\w+ )?{_PLEASING}") + _AND_NO_MORE,
    whole("(?:good|nice|modern|great) (?:look and feel|ux|user experience|design)") + END,
    whole(r"se ven? (?:bien|bonit[oa]s?|modern[oa]s?)"),
    whole(r"sieht (?:\w+ )?(?:gut|schön|modern|professionell) aus"),
    whole(r"(?:est|sont) (?:jolie?s?|beau|belles?|agréables?|élégante?s?)"),
    whole(r"(?:é|são) (?:bonit[oa]|agradável|elegante)s?"),
    whole("(?:szép|esztétikus|jól néz ki)") + END,
    "美观|好看|漂亮",
)
