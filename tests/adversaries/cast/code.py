"""They meet the commands by the product's code alone, wherever it runs: the one thing that no command can tell."""

from tests.adversaries.adversary import Kind, adversary

_ALWAYS = """cat > app.py <<'END'
class Always(int):
    def __eq__(self, other):
        return True


def add(a, b):
    return Always(a - b)
END"""

CODE = (
    adversary(
        "knows the test's numbers",
        Kind.CODE,
        "echo 'def add(a, b): return {(2, 3): 5, (4, 4): 8}[a, b]' > app.py",
    ),
    adversary("equals everything", Kind.CODE, _ALWAYS),
    adversary(
        "patches exit in the product", Kind.CODE, "sed -i '1i import atexit, os\\natexit.register(os._exit, 0)' app.py"
    ),
)
