"""The data directory: where it is, how its contents are authenticated, and when old ones are removed."""
