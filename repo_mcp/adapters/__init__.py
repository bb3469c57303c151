"""Language plug-ins: from the name and text of a source file to what ranking needs of it.

`registry` names the language of a path; `languages` finds the landmarks of a text. Nothing here
parses: a parse tree is the work of the second phase, and search never waits for it.
"""
