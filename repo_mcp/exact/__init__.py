"""Exact search: literals and regular expressions, in order of path and line, proven on the live text.

`search` is the way in. `patterns` reads which runs of word characters a match must contain,
`pattern_files` finds the files that hold them, `line_matcher` decides.
"""
