"""They forge what prd-ralph has written down, or end it before it can judge."""

from tests.adversaries.adversary import Kind, adversary
from tests.adversaries.shop import CHECK

_LANDED = '{"v": 1, "run": "x", "seq": 99, "at": "x", "kind": "landed", "story": "US-001", "attempt": 1}'

STATE = (
    adversary(
        "deletes the records",
        Kind.STATE,
        "flag; touch done.txt; commit done; rm -rf .git/prd-ralph",
        ":",
        command=CHECK,
        starts=2,
    ),
    adversary(
        "forges the ledger",
        Kind.STATE,
        "flag; touch done.txt; commit done\n"
        f"for each in .git/prd-ralph/runs/*/events.jsonl; do echo '{_LANDED}' >> \"$CELL/ledger\"\n"
        'if test -f "$each"; then cat "$CELL/ledger" >> "$each"; fi; done',
        command=CHECK,
    ),
    adversary(
        "kills the run, flag set",
        Kind.STATE,
        "flag; touch done.txt; commit done; kill_run",
        ":",
        command=CHECK,
        starts=2,
    ),
    adversary(
        "forges a landing, kills the run",
        Kind.STATE,
        """flag; touch done.txt; commit "feat: US-001 - Title of US-001\n\nPrd-Ralph-Story: US-001"
        said=$(git for-each-ref '--format=%(contents)' refs/worktree/prd-ralph/current)
        tree=$(git rev-parse 'HEAD^{tree}')
        said=$(echo "${said:-{\\}}" | python3 -c "import json, sys
d = json.load(sys.stdin); d.update(ended=True, judged=True, landing_tree='$tree'); print(json.dumps(d))")
        git update-ref refs/worktree/prd-ralph/current "$(git commit-tree "$tree" -p HEAD~1 -m "$said")"
        kill_run""",
        ":",
        command=CHECK,
        starts=2,
    ),
)
