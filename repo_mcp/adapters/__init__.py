"""Language plug-ins: from the name and text of a source file to what ranking and outlines need of it.

`registry` names the language of a path; `languages` finds the landmarks of a text, which is all that
search waits for. `adapter_registry` knows the adapters and which of them a path gets. No hostile text
is parsed here: `python_syntax` runs in a process of its own.
"""
