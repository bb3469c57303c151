"""Language plug-ins: from the name and text of a source file to what ranking and outlines need of it.

`patterns/` names the language of a path and finds the landmarks of a text, which is all that search
waits for.
`outline/` has what every adapter shares; each parsed language is a folder. `adapter_registry` knows the
adapters and
which of them a path gets; `symbol_parsers` knows which parser makes the symbol record of a file. No
hostile text is parsed in this process: parsers run in one of their own.
"""
