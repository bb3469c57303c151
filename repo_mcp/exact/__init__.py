"""Exact search: literals and regular expressions, in order of path and line, verified on the live text.

`search` is the entry point. `patterns` derives the runs of word characters that a match must contain,
`pattern_files` looks them up in one segment, `candidate_files` lists the files to read, and `line_matcher`
finds the matches in them.
"""
