"""The fields of the structure index and what a file's flags mean: what its phase writes and its view reads.

Documents are files; there are no units and no chunks. The record of a file is its structure record
(repo_mcp/symbols/symbol_record.py), its flags are that record's parse status.

- `declares`: the name of the file, and those that it declares, exactly as written, once for each declaration.
- `parts`: those names lower-cased, and the parts of each, by the analysis of the lexical field `symbol`; once
  for each distinct name.
- `uses`: the names that a file refers to, in every role but BIND, once for each reference; also the local
  names that imports bind, and the names that exports give.
- `modules`: the modules that it imports from or exports again from, as written.
"""

from __future__ import annotations

import sys

from index_format import Field, Level
from repo_mcp.languages.symbol_parsers import PARSERS_VERSION
from repo_mcp.symbols.symbol_record import VERSION as RECORD_VERSION
from repo_mcp.text.analysis import VERSION as ANALYSIS_VERSION

VERSION = 1  # of what the fields hold
DECLARES, PARTS, USES, MODULES = range(4)
SYMBOL_FIELDS = (
    Field("declares", Level.FILE),
    Field("parts", Level.FILE),
    Field("uses", Level.FILE),
    Field("modules", Level.FILE),
)
MAX_NAME_BYTES = 1_200  # of a term: 300 characters, which is what a record holds of a string


def list_facts() -> tuple[object, ...]:
    """What decides the content of a structure index, besides the files.

    Python's own version among them: its parser decides what of a Python file is understood.
    """
    return (VERSION, RECORD_VERSION, PARSERS_VERSION, ANALYSIS_VERSION, sys.version_info[:2])
