"""Which headers named `.h` are C++, told by their lines before a parser reads them.

A line that begins a namespace, a template, a class or the members of one access says so; what stands in a
comment does not, nor does `extern "C"`, which is for headers of both languages.
"""

from __future__ import annotations

import re

# Repeats are bounded: the text is not ours. No `struct class {` and no `class:1` of C is one.
_SIGNS = re.compile(
    rb"^[ \t]*+(?:(?:inline )?namespace(?:[ \t]++[\w:]++)?\s*+\{|using[ \t]++namespace[ \t]|template[ \t]*+<"
    rb"|class[ \t]++\w[^;(){}=]{0,300}[{:]|(?:public|private|protected)[ \t]*+:)",
    re.MULTILINE,
)
_COMMENTS = re.compile(rb"/\*(?:.*?\*/|.*+)|//[^\n]*+", re.DOTALL)


def looks_like_cpp(text: bytes) -> bool:
    """True for the text of a header that no compiler of C would take."""
    return _SIGNS.search(text) is not None and _SIGNS.search(_COMMENTS.sub(b"", text)) is not None
