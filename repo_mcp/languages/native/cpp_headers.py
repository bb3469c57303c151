"""Detection of C++ in headers named `.h`, by their lines, before a parser reads them.

A line that begins a namespace, a template, a class or an access section is C++. Comments do not count, nor
does `extern "C"`, which is for headers of both languages.
"""

from __future__ import annotations

import re

# Repeats are bounded: the text is not ours. `struct class {` and `class:1` of C do not match.
_SIGNS = re.compile(
    rb"^[ \t]*+(?:(?:inline )?namespace(?:[ \t]++[\w:]++)?\s*+\{|using[ \t]++namespace[ \t]|template[ \t]*+<"
    rb"|class[ \t]++\w[^;(){}=]{0,300}[{:]|(?:public|private|protected)[ \t]*+:)",
    re.MULTILINE,
)
_COMMENTS = re.compile(rb"/\*(?:.*?\*/|.*+)|//[^\n]*+", re.DOTALL)


def looks_like_cpp(text: bytes) -> bool:
    """Return True for the text of a header that no C compiler would accept."""
    return _SIGNS.search(text) is not None and _SIGNS.search(_COMMENTS.sub(b"", text)) is not None
