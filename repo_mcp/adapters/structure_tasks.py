"""Which parser makes the structure of a file.

A task is named `structure/<dialect>`; its request is the file's name, "\\n" and the text, its answer a
structure record. The parsers run in the process that can be killed, and are imported there, each with the
first text of its language: asking whether there is one imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

PARSERS_VERSION = 1  # raise it when any parser's record of any text changes: records are made anew
PREFIX = "structure/"

Parse = Callable[[str, bytes], bytes]


def find_structure_task(path: str, language: str) -> str | None:
    """The task that makes the structure of a file; None when its language has none here."""
    return PREFIX + language if language in _LOADERS else None


def run_structure_task(task: str, request: bytes) -> bytes:
    """The structure record of a request. In the process that parses, and nowhere else.

    Raises KeyError for a task that there is none of.
    """
    load = _LOADERS[task.removeprefix(PREFIX)]
    name, _, text = request.partition(b"\n")
    return load()(name.decode("utf-8", "replace"), text)


_LOADERS: Mapping[str, Callable[[], Parse]] = {}
