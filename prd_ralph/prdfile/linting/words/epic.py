"""Titles of stories that are many."""

from prd_ralph.prdfile.linting.words.patterns import END, FEW, any_of, either, whole

_WHAT = either("""
    system, app, application, platform, product, dashboard, backend, back[- ]end, frontend, front[- ]end, web ?site,
    web ?app, codebase, code base, ui, api, module, stack, mvp, feature set, service
""")
_MAKE = either("""
    build, implement, create, develop, write, rewrite, redesign, refactor, migrate, set up, deliver
""")
_FULL = either(r"""
    complete, complete [\w-]+, full, full[- ]stack, fully[- ]functional, end[- ]to[- ]end, production[- ]ready
""")
_THE = "(?:the |an? |our )?"
_NO_MORE = r"(?=\W*$|\W+(?:for|with|in|from|and|to|using)\b)"
_ROMANCE = either("sistema, aplicación, aplicação, plataforma, backend, frontend, système, application, plateforme")
_GERMAN = either("system, app, anwendung, plattform, backend, frontend, website")

EPIC = any_of(
    r"^\W*epic\b\W",
    whole(rf"{_THE}(?:entire|whole) {FEW}{_WHAT}"),
    whole(rf"{_MAKE} (?:out )?{_THE}{_FULL} {_WHAT}") + _NO_MORE,
    whole(rf"{_MAKE} {_THE}(?:mvp|application|app|platform|whole thing|everything)") + END,
    whole(rf"(?:todo el|toda la|todo o|toda a|tout le|toute la) {_ROMANCE}"),
    whole("toute l['’](?:application|interface)"),
    whole(rf"{_ROMANCE} (?:completo|completa|complet|complète)"),
    whole(rf"(?:das |die |den |der )?(?:gesamte|komplette|ganze)[nrs]? {_GERMAN}"),
    whole("(?:teljes|egész) (?:rendszer|alkalmazás|felület|platform)(?:t|et)?"),
    "(?:整个|完整的)(?:系统|应用|平台|后端|前端)",
)
