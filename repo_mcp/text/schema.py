"""The fields of the index and the meaning of a file's flags, shared by the indexer and the searcher.

`body` and `doc` divide a file's text: comments and docstrings are `doc`, all else is `body`, so that
no word is indexed twice. `symbol` repeats the names that a unit defines. `path` is one text for each file,
not for each unit.
"""

from __future__ import annotations

from index_format import Field, Level

BODY, DOC, SYMBOL, PATH = range(4)
TEXT_FIELDS = (BODY, DOC)  # together they hold every word of a file, each once
FIELDS = (
    Field("body", Level.UNIT),
    Field("doc", Level.UNIT),
    Field("symbol", Level.UNIT),
    Field("path", Level.FILE),
)
FLAG_REPLACED = 1  # the file was decoded with replacement characters
FLAG_ADAPTER_FAILED = 2  # the installed adapter returned no usable names, or no usable chunks
CHUNK_LINES_KIND = 0  # a chunk cut by line numbers alone
