"""The files of the root: the one way to read them, which of them may be read, and which there are.

`reader/` is the only reader of repository files. `policy.py` denies by name, `ignore/` ignores what Git
would, and `walk.py` lists what is left.
"""
