"""What people and machines look at: one file a format, each a pure function of a `Report`."""
