"""Take out of a pasted report what says nothing of the code that it is about. Pure.

Templates, check-lists, banners of interpreters and tables of versions are in every report of a project, and
their words are found everywhere. Code, sessions, tracebacks and logs stay; of lines that a log repeats, the
first does. A prompt of one line is a question, and stays as it is.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.{0,20000}?-->", re.DOTALL)  # of a template: what to fill in
_NOISE = re.compile(
    r"""
    [ \t]*[-*+][ ]\[[ xX]\][ ]  # a check-list
    | (?:Python|IPython|PyPy|Node|Welcome[ ]to|Type)\b.{0,20}(?:\d+\.\d+|"help"|[ ]Node\.js).*  # a banner
    | [ \t]*(?:[-*+][ ])?(?:os|platform|operating[ ]system|browser|\w+[ ]version|version)s?[ ]*:.{0,80}$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LOGGED = re.compile(r"\W{0,4}(?:\d{2,4}[-/:]\d\d\b|(?:TRACE|DEBUG|INFO|WARN|ERROR)\w{0,5}\b)")
_CHANGING = re.compile(r"0x[0-9a-fA-F]+|\d+")  # in lines of a log that are otherwise the same


def take_telling(prompt: str) -> str:
    """Return the lines of a prompt that tell of its matter; all of them when nothing would be left."""
    if "\n" not in prompt.strip():
        return prompt
    seen: set[str] = set()
    kept = []
    for line in _COMMENT.sub("", prompt).split("\n"):
        logged = _CHANGING.sub("0", line.strip()) if _LOGGED.match(line) else ""
        if not _NOISE.match(line) and logged not in seen:
            kept.append(line)
        if logged:
            seen.add(logged)
    telling = "\n".join(kept)
    return telling if telling.strip() else prompt
