"""Render a run as tables in Markdown, choose the figures to store, and find what costs more than before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.economy.evidence import Spent
from bench.economy.pages import Cost, sum_up
from bench.economy.run import BUDGET_BYTES, Result, Run
from bench.stored_run import Measures, Regression

SHARES = (("half", 0.5), ("four_fifths", 0.8))
HALVES = (("open", False), ("kept back", True))
# Bytes of equal code and trees differ by the digits of durations, nothing else.
TOLERANCE = 1.02
# ripgrep's rows show no change of ours, and a status holds sizes and times that differ between two runs.
NOT_COMPARED = ("ripgrep", "repo.status")


def find_share(spent: Sequence[Spent], share: float) -> int:
    """Return the bytes within which a share of the tasks has its evidence; the budget if fewer have it."""
    sizes = sorted(one.bytes if one.bytes is not None else BUDGET_BYTES for one in spent)
    return sizes[max(0, -(-len(sizes) * round(share * 100) // 100) - 1)]


def build_rows(run: Run) -> dict[str, Measures]:
    """Return the stored figures of each row; smaller is always better."""
    rows: dict[str, Measures] = {}
    for name, is_kept_back in HALVES:
        own = [one for one in run.results if one.quest.is_kept_back == is_kept_back]
        if own:
            rows[f"evidence, {name} half"] = _measure([one.ours for one in own])
        if own and own[0].ripgrep:
            rows[f"ripgrep, {name} half"] = _measure([one.ripgrep for one in own if one.ripgrep])
    for cost in sum_up(run.pages):
        times = {"times": cost.times, "median_times": cost.median_times}
        measured = {what: value for what, value in times.items() if value is not None}
        rows[cost.kind] = {"bytes": cost.bytes, "cut": cost.cut} | measured
    return rows | {f"tool list: {name}": {"bytes": size} for name, size in run.list_bytes.items()}


def _measure(spent: Sequence[Spent]) -> Measures:
    shares = {name: float(find_share(spent, share)) for name, share in SHARES}
    return shares | {"never": float(sum(one.bytes is None for one in spent))}


def find_dearer(
    measured: Mapping[str, Measures], stored: Mapping[str, Measures], tolerance: float = TOLERANCE
) -> list[Regression]:
    """Return the rows that cost more than the stored ones, in the order of their names."""
    found = []
    for name, new in measured.items():
        old = {} if name.startswith(NOT_COMPARED) else stored.get(name, {})
        for what in old.keys() & new.keys():
            is_dearer = new[what] > old[what] * tolerance
            if is_dearer:
                found.append(Regression(name, what, new[what] / old[what] if old[what] else float("inf")))
    return sorted(found, key=str)


def render_tables(run: Run) -> list[str]:
    """Render the tables: bytes to evidence, of either half; then what each kind of answer costs."""
    lines = _render_evidence(run.results)
    if run.pages:
        lines += ["", "| answer | pages | bytes, the mean | times what stands beside it | median | cut |"]
        lines += ["|---|--:|--:|--:|--:|--:|", *(_render_cost(cost) for cost in sum_up(run.pages))]
    if run.list_bytes:
        lines += ["", "| tool list | bytes |", "|---|--:|"]
        lines += [f"| {name} | {size:,} |" for name, size in run.list_bytes.items()]
    return lines


def _render_evidence(results: Sequence[Result]) -> list[str]:
    lines = ["| tasks | | half within, bytes | four fifths within | calls, the median | never |"]
    lines += ["|---|---|--:|--:|--:|--:|"]
    for name, is_kept_back in HALVES:
        own = [one for one in results if one.quest.is_kept_back == is_kept_back]
        if not own:
            continue
        ours = [one.ours for one in own]
        lines.append(_render_spent(f"{name}, {len(own)}", "repo-mcp", ours))
        other = [one.ripgrep for one in own if one.ripgrep]
        if other:
            lines.append(_render_spent("", "ripgrep and sed", other))
            shares = [_show_ratio(find_share(ours, share), find_share(other, share)) for _, share in SHARES]
            lines.append(f"| | ratio | {' | '.join(shares)} | | |")
    return lines


def _render_spent(tasks: str, policy: str, spent: Sequence[Spent]) -> str:
    shares = " | ".join(_show(find_share(spent, share)) for _, share in SHARES)
    calls = sorted(one.calls for one in spent)[len(spent) // 2]
    never = sum(one.bytes is None for one in spent)
    return f"| {tasks} | {policy} | {shares} | {calls} | {never} |"


def _show_ratio(ours: int, other: int) -> str:
    """Render a ratio, with "below" if ripgrep never found the evidence; nothing if we did not."""
    if ours >= BUDGET_BYTES:
        return ""
    return f"below {ours / other:.2f}" if other >= BUDGET_BYTES else f"{ours / other:.2f}"


def _show(size: int) -> str:
    return f"over {BUDGET_BYTES:,}" if size >= BUDGET_BYTES else f"{size:,}"


def _render_cost(cost: Cost) -> str:
    times = f"{cost.times:.2f} | {cost.median_times:.2f}" if cost.times and cost.median_times else " | "
    return f"| {cost.kind} | {cost.pages} | {cost.bytes:,.0f} | {times} | {cost.cut} |"
