"""`python -m tests.agents`: every sample's class, expected and got; exit 1 where one is not as expected."""

import sys

from tests.agents.classes import row, table, there

print("\n".join(table()))
wrong = [each for each in (row(*case) for case in there()) if each.expected != each.got]
sys.exit(f"{len(wrong)} not as expected" if wrong else 0)
