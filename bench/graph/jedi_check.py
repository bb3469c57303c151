"""A second opinion, by jedi, on edges that the precise indexer does not judge.

jedi follows a name with `goto`; the answer may be right, another place, or nothing. It must not guess
parameters from their callers, so that it too uses only what the texts say.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

from bench.graph.compare import Sides, is_declared_at, iter_verdicts
from repo_mcp.graph.program import Program


def ask_jedi(
    tree: Path, program: Program, sides: Sides, lines: dict[str, list[str]], most: int, seed: int
) -> Counter[str]:
    """Draw unjudged edges by a seed, and count those that jedi calls "right", "wrong" or "unknown"."""
    import jedi

    jedi.settings.dynamic_params = False
    project = jedi.Project(tree)
    chosen = [one for one in iter_verdicts(program, sides, False) if one[0] == "unjudged"]
    counts: Counter[str] = Counter()
    for _, (path, line, name), targets in random.Random(seed).sample(chosen, min(most, len(chosen))):
        found: set[tuple[str, int]] = set()
        script = jedi.Script("\n".join(lines[path]), path=tree / path, project=project)
        for match in re.finditer(rf"\b{re.escape(name)}\b", lines[path][line - 1]):
            found |= _follow(script, line, match.start(), tree)
        if not found:
            counts["unknown"] += 1
        else:
            right = any(is_declared_at(program, target[0], found) for target in targets)
            counts["right" if right else "wrong"] += 1
            if not right:
                print(f"jedi: {path}:{line} {name} is {sorted(found)[:2]}, ours {targets[:2]}")
    return counts


def _follow(script: Any, line: int, column: int, tree: Path) -> set[tuple[str, int]]:
    """Path and line of what stands at a place, of what is in the tree."""
    try:
        names = script.goto(line, column, follow_imports=True)
    except Exception:  # jedi fails in its own ways on some texts
        return set()
    return {
        (one.module_path.relative_to(tree).as_posix(), one.line)
        for one in names
        if one.module_path is not None and one.line is not None and one.module_path.is_relative_to(tree)
    }
