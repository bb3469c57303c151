"""The corpus is material: nothing in it is a test of this project."""

collect_ignore_glob = ["*"]
