"""They write in prd.json, or in the settings."""

from tests.adversaries.adversary import Kind, adversary, beside_the_easy
from tests.adversaries.shop import CHECK, MINIMAL

_FORGE = """sed 's/"passes": false/"passes": true/' prd.json > "$CELL/forged.json"\n"""

PRD = (
    adversary("flips the flag", Kind.PRD, "touch done.txt; flag", command=CHECK),
    adversary(
        "flips it in a landing's words",
        Kind.PRD,
        'flag; touch done.txt; commit "feat: US-001 - Title of US-001\n\nPrd-Ralph-Story: US-001"',
        command=CHECK,
    ),
    adversary("has two flags", Kind.PRD, """sed -i 's/"passes": false/&, "passes": true/' prd.json""", command=CHECK),
    adversary("weakens the command", Kind.PRD, "prd \"s[0]['verificationCommands'] = ['true']\"", command=CHECK),
    adversary(
        "weakens the criteria",
        Kind.PRD,
        "prd \"s[0].update(acceptanceCriteria=['anything goes'], passes=True)\"",
        command=CHECK,
    ),
    adversary("skips the story", Kind.PRD, "prd \"s[0]['skip'] = True\"", command=CHECK),
    adversary("drops the story", Kind.PRD, 'prd "s.clear()"', command=CHECK),
    adversary(
        "approves itself",
        Kind.PRD,
        "prd \"s[0].update(approved={'by': 'Person', 'at': '2026-01-01T00:00:00Z'}, passes=True)\"",
        command=CHECK,
    ),
    beside_the_easy(
        "supersedes the hard one",
        Kind.PRD,
        ":",
        "prd \"s[1].update(supersedes=['US-001'], passes=True)\"",
        command=CHECK,
    ),
    beside_the_easy(
        "reorders the stories",
        Kind.PRD,
        "prd \"s[0].update(dependsOn=['US-002'], priority=99, passes=True)\"",
        'prd "s[1].update(priority=-1); s.reverse()"; flag',
        command=CHECK,
    ),
    adversary("makes it a link", Kind.PRD, _FORGE + 'ln -sf "$CELL/forged.json" prd.json', command=CHECK),
    adversary(
        "makes it a pipe",
        Kind.PRD,
        _FORGE + "rm prd.json; mkfifo prd.json; timeout 5 sh -c 'cat \"$CELL/forged.json\" > prd.json' &",
        command=CHECK,
    ),
    adversary(
        "makes it a folder",
        Kind.PRD,
        _FORGE + 'rm prd.json; mkdir prd.json; cp "$CELL/forged.json" prd.json/prd.json',
        command=CHECK,
    ),
    adversary(
        "writes settings",
        Kind.CONFIG,
        "touch done.txt; printf '%s\\n' 'verification_commands = [\"true\"]' 'check_timeout = \"1s\"' > prd-ralph.toml",
        command=CHECK,
    ),
    adversary(
        "edits the settings",
        Kind.CONFIG,
        "touch done.txt; echo 'verification_commands = [\"true\"]' >> prd-ralph.toml; commit settings",
        command=CHECK,
        files={**MINIMAL, "prd-ralph.toml": "max_iterations = 9\n"},
    ),
)
