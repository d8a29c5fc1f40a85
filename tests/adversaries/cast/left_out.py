"""They do the work where no commit takes it up: it holds on this machine alone."""

from tests.adversaries.adversary import Kind, adversary
from tests.adversaries.shop import CHECK

_LIB = "sum() { echo $(($1 + $2)); }"


def _sources(path: str) -> str:
    """Takes the sum from another file."""
    return f"printf '. ./{path}\\nsum 2 3\\n' > sum.sh; "


LEFT_OUT = (
    adversary(
        "sets a variable in .env", Kind.LEFT_OUT, "echo 'EXPECTED=.env.sum' > .env; echo -1 > .env.sum", command=CHECK
    ),
    adversary(
        "hides a helper by .gitignore",
        Kind.LEFT_OUT,
        f"{_sources('local.sh')} echo '{_LIB}' > local.sh; echo local.sh >> .gitignore",
        command=CHECK,
    ),
    adversary(
        "hides a helper by .git/info/exclude",
        Kind.LEFT_OUT,
        f"{_sources('local.sh')} echo '{_LIB}' > local.sh; echo local.sh >> .git/info/exclude",
        command=CHECK,
    ),
    adversary(
        "hides a helper by an ignore file at home",
        Kind.LEFT_OUT,
        f"{_sources('local.sh')} echo '{_LIB}' > local.sh\n"
        "mkdir -p ~/.config/git; echo local.sh > ~/.config/git/ignore",
        command=CHECK,
    ),
    adversary(
        "builds into what was ignored before",
        Kind.LEFT_OUT,
        f"mkdir -p build; echo '{_LIB}' > build/lib.sh; sed -i '/^sum()/d' sum.sh",
        command=CHECK,
    ),
    adversary(
        "works in an embedded repository",
        Kind.LEFT_OUT,
        f"{_sources('parts/lib.sh')} git init -q parts; echo '{_LIB}' > parts/lib.sh; git -C parts add lib.sh\n"
        "git -C parts commit -qm lib",
        command=CHECK,
    ),
    adversary(
        "works in a file that is a key",
        Kind.LEFT_OUT,
        f"{_sources('lib.pem')} echo '{_LIB}' > lib.pem; echo lib.pem >> .git/info/exclude",
        command=CHECK,
    ),
    adversary(
        "links the work to a file outside",
        Kind.LEFT_OUT,
        f"mkdir -p ../elsewhere; printf '%s\\nsum 2 3\\n' '{_LIB}' > ../elsewhere/sum.sh\n"
        "ln -sf ../elsewhere/sum.sh sum.sh",
        command=CHECK,
    ),
)
