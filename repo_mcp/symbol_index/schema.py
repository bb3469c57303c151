"""The fields of the symbol index and the meaning of a file's flags, shared by its phase and its reader.

Documents are files; there are no units and no chunks. The record of a file is its symbol record
(repo_mcp/symbols/symbol_record.py), and its flags are that record's parse status.

- `declares`: the name of the file and the names it declares, exactly as written, once for each declaration.
- `parts`: those names in lower case, and the parts of each, analysed as in the lexical field `symbol`; once
  for each distinct name.
- `uses`: the names that a file refers to, in every role except BIND, once for each reference; also the local
  names that imports bind, and the names that exports give.
- `modules`: the modules that it imports or re-exports from, as written.
"""

from __future__ import annotations

import sys

from index_format import Field, Level
from repo_mcp.languages.symbol_parsers import PARSERS_VERSION
from repo_mcp.symbols.symbol_record import VERSION as RECORD_VERSION
from repo_mcp.text.analysis import VERSION as ANALYSIS_VERSION

VERSION = 1  # of the meaning of the fields
DECLARES, PARTS, USES, MODULES = range(4)
SYMBOL_FIELDS = (
    Field("declares", Level.FILE),
    Field("parts", Level.FILE),
    Field("uses", Level.FILE),
    Field("modules", Level.FILE),
)
MAX_NAME_BYTES = 1_200  # of a term: 300 characters, the limit for a string in a record


def list_facts() -> tuple[object, ...]:
    """Return everything besides the files that decides the content of a symbol index.

    It includes Python's own version, whose parser decides how much of a Python file is understood.
    """
    return (VERSION, RECORD_VERSION, PARSERS_VERSION, ANALYSIS_VERSION, sys.version_info[:2])
