"""The impact of a diff: what it changes, and what may have to change or to be run with that."""
