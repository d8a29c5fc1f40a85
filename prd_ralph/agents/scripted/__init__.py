"""The agent that we ship for the demo, for tests and for bug reports: plays a JSON script (see `script`)."""
