"""The name of what a file of TypeScript or JavaScript exports without a name.

    module.exports = (path) => ...    in read-file.js: `readFile`
    export default function () {}     in Header.jsx: `Header`

Left out on purpose: files called `index`, whose folders a parser does not know.
"""

from __future__ import annotations

import re

UNNAMED = "default"
_FILE_NAME = re.compile(r"([A-Za-z_$][\w$]*(?:-[\w$]+)*)\.[a-z]+")
# What begins a line that declares the name after it, unless `require` gives it.
_DECLARING = (
    rb"^(?:export\s++)?(?:default\s++)?(?:declare\s++)?(?:abstract\s++)?(?:async\s++)?"
    rb"(?:function(?:\s*+\*)?|class|const|let|var|interface|type|enum|namespace)\s++%b\b(?!\s*+=\s*+require\b)"
)


def name_unnamed(file_name: str, text: bytes) -> str:
    """Return the name of a file as importers mostly write it.

    It is UNNAMED if the name of the file says too little, or if the file declares something of that name.
    """
    found = _FILE_NAME.fullmatch(file_name)
    if found is None or found[1] == "index":
        return UNNAMED
    first, *others = found[1].split("-")
    name = first + "".join(one[:1].upper() + one[1:] for one in others)
    declared = re.search(_DECLARING % re.escape(name.encode()), text, re.MULTILINE)
    return UNNAMED if declared else name
