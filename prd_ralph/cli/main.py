"""The console script. What must be instant is answered before anything heavy is imported."""

import sys

from prd_ralph import __version__


def main() -> None:
    """Runs the command line of this process and ends it with the documented exit code."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        print(f"prd-ralph {__version__}")
        return
    from prd_ralph.cli.boundary import guarded

    sys.exit(guarded(arguments))


if __name__ == "__main__":
    main()
