"""Tables of a run in Markdown, a run as JSON, and what moved since a stored one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from bench.quality.metrics import CUTS, Score, mean
from bench.quality.run import Outcome

HEAD = (
    "| | tasks | NDCG@10 | "
    + " | ".join(f"Acc@{cut}" for cut in CUTS)
    + " | MRR | recall at 2,000 tokens | Acc@5, Acc@10 without tests |"
)
SHOWN_QUERY_CHARS = 90
LEAST_CHANGE = 1e-9

Stored = Mapping[str, Mapping[str, object]]


def render_tables(outcomes: Sequence[Outcome]) -> list[str]:
    """Render the measures of all tasks, by category and by language."""
    lines = [HEAD, "|---" + "|--:" * (len(CUTS) + 5) + "|", _render_row("all", outcomes)]
    for key in (lambda one: one.task.category, lambda one: one.task.language):
        groups = _group(outcomes, key)
        if len(groups) > 1:
            lines += [_render_row(name, own) for name, own in sorted(groups.items())]
    seconds = sorted(one.seconds for one in outcomes)
    middle, high = seconds[len(seconds) // 2], seconds[len(seconds) * 95 // 100]
    lines += ["", f"Time of a search: median {middle * 1e3:.1f} ms, 95 % within {high * 1e3:.1f} ms."]
    return lines


def _render_row(name: str, outcomes: Sequence[Outcome]) -> str:
    score = mean(one.score for one in outcomes)
    acc = " | ".join(_show(value) for value in score.acc)
    return (
        f"| {name} | {len(outcomes)} | {_show(score.ndcg)} | {acc} | {_show(score.first)}"
        f" | {_show(score.recall)} | {_show(score.plain_acc[2])}, {_show(score.plain_acc[3])} |"
    )


def _show(value: float) -> str:
    return f"{value:.3f}"


def _group(outcomes: Iterable[Outcome], key: Callable[[Outcome], str]) -> dict[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(key(one), []).append(one)
    return groups


def write_run(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Store a run, so that later ones can be compared with it."""
    rows = {
        one.task.id: {"ndcg": one.score.ndcg, "acc": one.score.acc, "files": one.files} for one in outcomes
    }
    path.write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")


def read_run(path: Path) -> Stored:
    """Read a stored run."""
    stored: Stored = json.loads(path.read_text(encoding="utf-8"))
    return stored


def render_comparison(outcomes: Sequence[Outcome], stored: Stored, most: int) -> list[str]:
    """Render what changed since a stored run of the same tasks, the worst first."""
    pairs = [(one, before) for one in outcomes if (before := stored.get(one.task.id)) is not None]
    moves = [(_measure(one.score) - _measure_stored(before), one, before) for one, before in pairs]
    moved = sorted((move for move in moves if abs(move[0]) > LEAST_CHANGE), key=lambda move: move[0])
    worse = sum(change < 0 for change, _, _ in moved)
    total = sum(change for change, _, _ in moves) / max(1, len(moves))
    lines = [
        f"Of {len(pairs)} tasks {worse} got worse, {len(moved) - worse} better;"
        f" the mean of NDCG@10 moved by {total:+.4f}."
    ]
    for change, one, before in [*moved[:most], *moved[-most:][::-1]] if moved else []:
        lines.append(f"{change:+.3f} {one.task.id} [{one.task.category}] {_shorten(one.task.query)}")
        lines.append(f"    wanted {', '.join(one.task.targets)}")
        lines += [f"    before {_name_files(before['files'])}", f"    now    {_name_files(one.files)}"]
    return lines


def _measure(score: Score) -> float:
    return score.ndcg


def _measure_stored(row: Mapping[str, object]) -> float:
    value = row["ndcg"]
    return float(value) if isinstance(value, int | float) else 0.0


def _name_files(files: object) -> str:
    return ", ".join(str(path) for path in files[:4]) if isinstance(files, Sequence) else ""


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_QUERY_CHARS else line[:SHOWN_QUERY_CHARS] + "…"
