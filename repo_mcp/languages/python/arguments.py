"""The arguments of a call, as the paths of a record have them: a resolver can choose an overload by them.

    f(x, True, mode="rb", *rest)    f(_,True,mode='rb',*)

Each argument is `_` unless it is a constant that overloads are told apart by: True, False, None, a short
string, or `0` for any number and `'` for any other string. A star says that there may be more.
"""

from __future__ import annotations

import ast
import re

MAX_ARGUMENTS = 8  # of one call; with more, nothing is told of them
_SHORT = re.compile(r"[\w+-]{0,16}", re.ASCII)  # strings that are written


def write_arguments(call: ast.Call) -> str:
    """Return the arguments of a call in parentheses: "(_,True,mode='rb')"."""
    args, keywords = call.args, call.keywords
    if not args and not keywords:
        return "()"
    if len(args) + len(keywords) > MAX_ARGUMENTS:
        return "(*)"
    parts = [_write(one) for one in args]
    for keyword in keywords:
        parts.append("*" if keyword.arg is None else f"{keyword.arg}={_write(keyword.value)}")
    return f"({','.join(parts)})"


def _write(argument: ast.expr) -> str:
    if type(argument) is ast.Constant:
        value = argument.value
        if value is None or value is True or value is False:
            return str(value)
        if type(value) is str:
            return f"'{value}'" if _SHORT.fullmatch(value) else "'"
        return "0" if type(value) in (int, float) else "_"
    return "*" if type(argument) is ast.Starred else "_"
