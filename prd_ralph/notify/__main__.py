"""Sends one notice by Apprise: `{url, title, text}` on stdin; exit 0 where it was delivered. Started by `endpoints`."""

import json
import sys


def main() -> int:
    from apprise import Apprise

    said = json.load(sys.stdin)
    told = Apprise()
    return 0 if told.add(said["url"]) and told.notify(title=said["title"], body=said["text"]) else 1


if __name__ == "__main__":
    sys.exit(main())
