"""Language plug-ins: what ranking and outlines need, from the name and text of a source file.

`patterns/` finds the language of a path and the landmarks of a text; search needs nothing more.
`outline/` holds what all adapters share; each parsed language has a folder. `adapter_registry` chooses the
adapter of a path and `adapter_tasks` runs an installed one; `symbol_parsers` chooses the parser that makes a
file's symbol record.
No hostile text is parsed in this process: parsers run in a process of their own.
"""
