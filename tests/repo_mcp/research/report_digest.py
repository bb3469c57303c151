"""Ask questions about fixed files, and compute the digest of all reports, also in a process of its own.

pytest is not imported, because that takes longer than the reports.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

from repo_mcp.research.findings.records import Focus
from tests.repo_mcp.research.asking import Asked

ROOT = Path(__file__).resolve().parents[3]
# What the questions ask about, a third of the room; `make deep` takes all of it.
ASKED_ABOUT = """
    __init__ bulk_scan edge_finder edges graph index_program nodes program qualified_names references
    symbol_search vocabulary
"""
OWN = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "repo_mcp" / "graph").glob("*.py"))
    if "DEEP_SHARE" in os.environ or path.stem in ASKED_ABOUT.split()
}
QUESTIONS = (
    "what calls find_incoming",
    "all implementations of Program",
    "what depends on repo_mcp/graph/program.py",
    "how does Graph.look_up reach ProgramNodes.name",
    "where is MAX_FILES set",
    "how are references resolved",
    "architecture",
    "what does EdgeFinder depend on",
    "BulkScan",
)
ASKED: tuple[tuple[str, Focus | None], ...] = (
    *((question, None) for question in QUESTIONS),
    *((question, focus) for question in (QUESTIONS[0], QUESTIONS[5]) for focus in Focus),
)


def digest(asked: Asked, step: int) -> str:
    """Return the digest of the reports about OWN on every question, or on each of so many."""
    reports = [asdict(asked.ask(question, 2, focus)) for question, focus in ASKED[::step]]
    return hashlib.blake2b(json.dumps(reports, default=repr).encode()).hexdigest()
