"""The programs that edit files: one file or folder an agent family, and the registry that finds them by name."""
