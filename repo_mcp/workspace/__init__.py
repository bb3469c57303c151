"""The files of the root: the one way to read them, which of them may be read, and which there are.

`repository_reader` is the only reader of repository files. `policy` denies by name, `ignore` ignores what
Git would, and `walk` lists what is left.
"""
