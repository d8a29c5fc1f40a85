"""`make adversaries`: every adversary under every policy, and the table. Arguments are pytest's."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

if __name__ == "__main__":
    every = "adversaries or not adversaries"
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-m", every, str(HERE / "test_adversaries.py")]
    sys.exit(subprocess.run([*command, *sys.argv[1:]], check=False).returncode)
