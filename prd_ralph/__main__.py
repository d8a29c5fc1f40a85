"""`python -m prd_ralph`."""

from prd_ralph.cli.main import main

main()
