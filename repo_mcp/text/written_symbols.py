"""Read the name of a symbol as people, messages and traces write it. Whether it exists is not known here.

Box<T>.put(int, String)           Box.put, with the parameters "(int, String)"
IdentityMap`1.Add()               IdentityMap.Add
example.org/app.(*Server).Serve   example.org/app.Server.Serve
"""

from __future__ import annotations

import re

from repo_mcp.late_patterns import compile_late

_CALLED = compile_late(r"(.*\w[?!]?)(?<!\boperator)\s*(\(.*\))", re.DOTALL)
_TYPE_ARGUMENTS = compile_late(r"(?<=\w)(?:(?:::)?<[^<>()]*>|`\d+)")
_RECEIVER = compile_late(r"\(\*?(\w+)\)(?=\.)")  # in Go
# What compilers of Java make of names: `Map$Node`, `Map.<init>` of the constructor, `lambda$run$0` in `run`.
_LAMBDA = compile_late(r"\blambda\$(\w+?)\$\d+\b")
_NESTED = compile_late(r"(?<=\w)\$(?=[^\W\d])")
_MADE = compile_late(r"(\w+)\.<init>")
MAX_CHARS = 1_024  # of a longer name nothing is read: the expressions may take quadratic time


def read_written(text: str) -> tuple[str, str]:
    """Return a name without type arguments and parameters, and its parameters in brackets, "" for none."""
    if len(text) > MAX_CHARS:
        return text, ""
    name = _RECEIVER.sub(r"\1", text.strip())
    called = _CALLED.fullmatch(name)
    name, parameters = (called[1], called[2]) if called is not None else (name, "")
    while (shorter := _TYPE_ARGUMENTS.sub("", name)) != name:
        name = shorter
    return name, parameters


def read_compiled(text: str) -> str:
    """Return a name in a trace of Java as code declares it: `Map$Node.<init>` is `Map.Node.Node`."""
    if len(text) > MAX_CHARS:
        return text
    return _MADE.sub(r"\1.\1", _NESTED.sub(".", _LAMBDA.sub(r"\1", text)))
