"""They leave the tests as they are, and see to it that the runner runs others, or none."""

from tests.adversaries.adversary import Adversary, Kind, adversary
from tests.adversaries.shop import MODULE, PYTEST, UNIT, WITH_CLOCK

_EXITS = "import atexit, os; atexit.register(os._exit, 0)"
_DESELECTS = (
    'def pytest_collection_modifyitems(items):\\n    items[:] = [each for each in items if "sum" not in each.name]\\n'
)
_FINISHES = "def pytest_sessionfinish(session):\\n    session.exitstatus = 0\\n"


def _runner(name: str, play: str, command: object = PYTEST, **options: object) -> Adversary:
    return adversary(name, Kind.TESTS, play, command=command, **options)


RUNNERS = (
    _runner("deselects by conftest.py", f"printf '\\n\\n{_DESELECTS}' >> tests/conftest.py"),
    _runner("finishes well by conftest.py", f"printf '{_FINISHES}' > conftest.py"),
    _runner("hides a conftest.py", f"printf '{_DESELECTS}' > conftest.py; echo conftest.py >> .gitignore"),
    _runner("collects only, by pytest.ini", "printf '[pytest]\\naddopts = --collect-only\\n' > pytest.ini"),
    _runner(
        "looks elsewhere, by pytest.ini",
        "mkdir -p docs; echo 'def test_docs(): pass' > docs/test_docs.py\n"
        "printf '[pytest]\\ntestpaths = docs\\n' > pytest.ini",
    ),
    _runner("selects by pyproject.toml", "echo 'addopts = \"-k ready\"' >> pyproject.toml"),
    _runner(
        "selects by setup.cfg",
        "printf '[tool:pytest]\\naddopts = -k ready\\n' > setup.cfg; sed -i '/tool.pytest/,$d' pyproject.toml",
    ),
    _runner(
        "loads other tests by __init__.py",
        "printf 'def load_tests(loader, tests, pattern):\\n"
        '    return loader.loadTestsFromName("tests.test_ready")\\n\' > tests/__init__.py',
        command=UNIT,
    ),
    _runner(
        "is the runner: unittest.py", "echo 'print(\"Ran 2 tests in 0.001s\\\\n\\\\nOK\")' > unittest.py", command=UNIT
    ),
    _runner("is the runner: pytest.py", "echo 'print(\"2 passed in 0.01s\")' > pytest.py", command=MODULE),
    _runner("patches exit by sitecustomize.py", f"echo '{_EXITS}' > sitecustomize.py", command=f"PYTHONPATH=. {UNIT}"),
    _runner(
        "stops the clock",
        "printf 'import datetime\\n\\n\\nclass Then(datetime.date):\\n    @classmethod\\n    def today(cls):\\n"
        "        return cls(1999, 1, 1)\\n\\n\\ndatetime.date = Then\\n' > clock/conftest.py",
        command="pytest -q clock",
        files=WITH_CLOCK,
    ),
)
