"""From a diff to what it changes, and from there to what may have to change or to be run with it."""
