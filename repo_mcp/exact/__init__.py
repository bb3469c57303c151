"""Exact search: literals and regular expressions, in order of path and line, verified on the live text.

`search` is the entry point. `patterns` derives the runs of word characters that a match must contain,
`pattern_files` finds the files that contain them, and `line_matcher` decides.
"""
