"""Where this is imported, parsers of usual languages have compiled their queries, and what they use besides.

That takes a tenth of a second of processor time for each language, and a process that is forked from one that
has done it has them already.
"""

from __future__ import annotations

from repo_mcp.languages.symbol_parsers import run_parser_task
from tests.compiled_first import compile_first

USUAL = ("python", *(f"structure/{name}" for name in ("typescript", "javascript", "csharp", "c")))

for task in USUAL:
    run_parser_task(task, b"x;\n")
compile_first()
