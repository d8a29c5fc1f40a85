"""A night in a few minutes: hundreds of iterations of all that goes wrong, and what is left of it (`make soak`)."""
