"""Git's index and places, read without running Git."""
