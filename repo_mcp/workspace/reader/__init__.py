"""The one way to the files of a root."""
