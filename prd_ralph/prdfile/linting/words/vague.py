"""Criteria that say that something is well, and not what is then the case."""

from prd_ralph.prdfile.linting.words.patterns import END, FEW, any_of, either, whole

_HOW = r"(?:(?:very|really|reasonably|always|still|sufficiently|as|more|super) )?"
_IS = either("""
    is, are, be, being, stays?, remains?, feels?, runs?, loads?, responds?, reacts?, starts?, opens?, renders?, works?,
    performs?
""")
_QUALITY = either("""
    fast, quick, performant, efficient, robust, reliable, scalable, maintainable, intuitive, user[- ]friendly, seamless,
    easy to use, snappy, production[- ]ready, bug[- ]free, high[- ]quality, responsive
""")
_NO_QUALITY = r"(?! (?:path|mode|forward|lane|track|than|design))"
_WORKS = either(r"""
    works?, working, functions?, functioning, behaves?, performs?, operates?, runs?, displays?, displayed, renders?,
    rendered, shown, handled, handles? \w+
""")
_WELL = either("""
    correctly, properly, appropriately, as expected, as intended, as it should, as desired, gracefully, smoothly,
    seamlessly, flawlessly, reliably
""")

_ROMANCE_WORKS = either("funcionan?, funcionar, funcionam, fonctionne, fonctionnent, fonctionner")
_ROMANCE_WELL = either("""
    correctamente, adecuadamente, bien, como se espera, corretamente, adequadamente, bem, como esperado, correctement,
    comme prévu, comme attendu
""")
_ROMANCE_IS = either("es, sea, son, est, soit, sont, é, seja, são")
_ROMANCE_QUALITY = either("""
    rápid[oa]s?, rapides?, intuitiv[oae]s?, intuitifs?, fácil de usar, fáciles de usar, facile à utiliser, robust[oae]s?
""")
_GERMAN_WELL = either("korrekt, richtig, gut, einwandfrei, fehlerfrei, ordnungsgemäß, wie erwartet")
_GERMAN_IS = either("ist, sind, bleibt, lädt, reagiert, läuft")
_GERMAN_QUALITY = either("schnell, performant, benutzerfreundlich, intuitiv, robust")
_HUNGARIAN_WELL = either("helyesen, megfelelően, jól, hibátlanul, az elvárt módon, elvárt módon")
_HUNGARIAN_QUALITY = either("gyors, felhasználóbarát, gyorsan működik, gyorsan reagál, gyorsan betöltődik")

VAGUE = any_of(
    whole(f"{_WORKS} {FEW}{_WELL}"),
    whole(f"{_WORKS} (?:fine|well|nicely)"),
    whole(f"{_IS} {_HOW}quickly") + END,
    whole(f"{_IS} {_HOW}{_QUALITY}") + _NO_QUALITY,
    whole(either("good, great, acceptable, decent, high") + " performance"),
    rf"^\W*{_HOW}{_QUALITY}(?: enough)?\W*$",
    whole(f"{_ROMANCE_WORKS} {_ROMANCE_WELL}"),
    whole(rf"{_ROMANCE_IS} (?:muy |très |muito )?{_ROMANCE_QUALITY}"),
    whole(rf"funktionier(?:t|en) (?:\w+ )?{_GERMAN_WELL}"),
    whole(f"{_GERMAN_IS} (?:sehr )?{_GERMAN_QUALITY}"),
    whole(rf"{_HUNGARIAN_WELL} működ(?:ik|nek|jön)"),
    whole(_HUNGARIAN_QUALITY) + END,
    r"(?:正常|正确|良好)地?(?:工作|运行)|(?:工作|运行)(?:正常|良好)|(?:按|符合)预期|(?:速度|响应)(?:很|足够)?快|易于?使用|用户友好",
)
