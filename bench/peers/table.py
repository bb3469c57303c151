"""The rows of the comparison: ours, the peer's, the ratio, the goal of the project, and whether it is met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from bench.exact_patterns import EXPRESSIONS, LITERALS
from bench.peers import engines
from bench.peers.measure import RIPGREP, BuildFigures, Comparison, get_quantile
from bench.peers.scale import Growth
from bench.peers.server_times import WATCH_PATIENCE_SECONDS
from bench.queries import MIX
from bench.report import render_time
from bench.symbols import QUESTIONS

STRUCTURE_MB = 10  # of parsed text, in a second at most
CTAGS = "ctags, one process"


class Measure(Enum):
    """The figure that a goal limits."""

    RATIO = "ratio"  # ours divided by the peer's
    VALUE = "value"  # ours alone


@dataclass(frozen=True, slots=True)
class Goal:
    """A limit that ours must not pass."""

    limit: float
    measure: Measure
    text: str

    @classmethod
    def of_ratio(cls, limit: float) -> Goal:
        """Make a goal of at most so many times the peer's."""
        return cls(limit, Measure.RATIO, f"≤ {limit:g} x")

    @classmethod
    def of_seconds(cls, limit: float) -> Goal:
        """Make a goal of at most so many seconds."""
        return cls(limit, Measure.VALUE, f"≤ {render_time(limit)}")

    @classmethod
    def of_megabytes(cls, limit: float) -> Goal:
        """Make a goal of at most so many megabytes."""
        return cls(limit, Measure.VALUE, f"≤ {limit:g} MB")


GOALS_OF_KINDS = {"identifiers": Goal.of_ratio(1.5), "substrings": Goal.of_ratio(5.0)}  # at the median


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Without a goal it is for information."""

    what: str
    unit: str  # "s" or "MB"
    ours: float | None  # None: not there
    peer: str = ""
    theirs: float | None = None
    goal: Goal | None = None

    @property
    def ratio(self) -> float | None:
        """Return our figure divided by the peer's."""
        return self.ours / self.theirs if self.ours is not None and self.theirs else None

    @property
    def share(self) -> float | None:
        """Return our share of the limit: above 1 the goal is missed. None without a goal or a figure."""
        if self.goal is None:
            return None
        if self.goal.measure is Measure.VALUE:
            return self.ours / self.goal.limit if self.ours is not None else None
        return round(self.ratio, 2) / self.goal.limit if self.ratio is not None else None  # as it is shown


def build_rows(result: Comparison) -> list[Row]:
    """Build all rows of one tree, in the order of the goals."""
    parts = (_iter_build, _iter_server, _iter_queries, _iter_changes, _iter_structure, _iter_others)
    return [row for part in parts for row in part(result)]


def _iter_build(result: Comparison) -> Iterator[Row]:
    columns: list[tuple[str, str, str, Goal, str]] = [
        ("searchable from nothing", "s", "searchable_seconds", Goal.of_ratio(1.0), engines.TANTIVY),
        ("merged from nothing", "s", "merged_seconds", Goal.of_ratio(1.2), engines.TANTIVY),
        ("processor time of a build", "s", "cpu_seconds", Goal.of_ratio(1.5), engines.TANTIVY),
        ("peak memory of a build, all processes", "MB", "peak_mb", Goal.of_megabytes(800), engines.TANTIVY),
        # Compared with the one that stores what ours stores: no positions.
        ("index on disk", "MB", "index_mb", Goal.of_ratio(1.8), engines.TANTIVY_FREQ),
    ]
    built = {name: one.build for name, one in result.engines.items() if one.build is not None}
    for what, unit, attribute, goal, judge in columns:
        yield from _compare(
            result, what, unit, {name: _get(one, attribute) for name, one in built.items()}, goal, judge
        )


def _get(figures: BuildFigures, attribute: str) -> float:
    value: float = getattr(figures, attribute)
    return value


def _compare(
    result: Comparison, what: str, unit: str, values: dict[str, float], goal: Goal, judge: str
) -> Iterator[Row]:
    """Yield one row for each peer; the goal is in the row of `judge`.

    Without that peer, the goal has a row of its own, as not measured if it is a multiple of the judge's
    figure.
    """
    ours = values[engines.OURS]
    peers = [name for name in values if not name.startswith(engines.OURS)]
    if judge not in peers:
        yield Row(what, unit, ours, judge if goal.measure is Measure.RATIO else "", goal=goal)
    for name in peers:
        yield Row(what, unit, ours, name, values[name], goal if name == judge else None)


def _iter_server(result: Comparison) -> Iterator[Row]:
    spawns = result.spawns
    if spawns is not None:
        bare = "bare Python"
        yield Row(
            "spawn to `initialize`", "s", spawns.initialize, bare, spawns.bare_python, Goal.of_ratio(2.0)
        )
        yield Row(
            "spawn to `tools/list`", "s", spawns.tools_list, bare, spawns.bare_python, Goal.of_seconds(0.06)
        )
        sdk = "the SDK's first call"
        yield Row(
            "spawn to the first search",
            "s",
            spawns.first_search,
            sdk,
            spawns.sdk_first_call,
            Goal.of_ratio(1.1),
        )


def _iter_queries(result: Comparison) -> Iterator[Row]:
    asked = {name: one.ask for name, one in result.engines.items() if one.ask is not None}
    first = {name: sorted(one.first)[len(one.first) // 2] for name, one in asked.items()}
    judge = engines.TANTIVY
    yield from _compare(result, "open and first query", "s", first, Goal.of_ratio(2.0), judge)
    new = {name: one.get_median_of_new() for name, one in asked.items()}
    yield from _compare(result, "a query asked for the first time, p50", "s", new, Goal.of_ratio(2.0), judge)
    for percent, limit in ((50, 1.0), (95, 1.0)):
        values = {name: one.get_quantile(percent / 100) for name, one in asked.items()}
        yield from _compare(result, f"warm query, p{percent}", "s", values, Goal.of_ratio(limit), judge)
    for kind in (kind for kind in MIX if asked[engines.OURS].warm.get(kind)):
        ours = asked[engines.OURS].get_quantile(0.5, kind)
        theirs = asked[judge].get_quantile(0.5, kind) if judge in asked else None
        yield Row(f"warm query, p50 of {kind}", "s", ours, judge, theirs, GOALS_OF_KINDS.get(kind))
        if engines.TANTIVY_TERMS in asked:
            same = asked[engines.TANTIVY_TERMS].get_quantile(0.5, kind)
            yield Row(f"warm query, p50 of {kind}", "s", ours, engines.TANTIVY_TERMS, same)
    if asked[engines.OURS].warm.get("identifiers"):
        ours = asked[engines.OURS].get_quantile(0.5, "identifiers")
        yield Row("an identifier, without an index", "s", ours, RIPGREP, result.ripgrep_seconds)
    plain = asked[engines.OURS].get_quantile(0.5)
    full = asked[engines.OURS_FULL].get_quantile(0.5) if engines.OURS_FULL in asked else None
    yield Row("warm query, full ranking, p50", "s", full, "our plain BM25F", plain, Goal.of_ratio(2.0))
    whole = asked[engines.OURS_SEARCH].get_quantile(0.5)
    yield Row("whole answer with snippets, p50", "s", whole, "our plain BM25F", plain, Goal.of_ratio(3.0))
    yield Row("over stdio, on top of that", "s", result.wire_seconds, goal=Goal.of_seconds(0.0015))
    for percent in (50, 95):
        seconds = result.stdio_seconds
        asked_over = get_quantile(seconds, percent / 100) if seconds else None
        yield Row(f"`repo.search` over stdio, p{percent}", "s", asked_over)


def _iter_changes(result: Comparison) -> Iterator[Row]:
    yield Row(
        "refresh with nothing changed",
        "s",
        result.refresh_seconds,
        "plain walk and stat",
        result.walk_seconds,
        Goal.of_ratio(1.5),
    )
    values = {
        name: one.update_seconds for name, one in result.engines.items() if one.update_seconds is not None
    }
    goal = Goal.of_seconds(0.05)
    yield from _compare(result, "20 files changed, walk apart", "s", values, goal, engines.TANTIVY)
    saved, gave_up = "saved to searchable, by the server", result.watch_seconds is None
    yield Row(
        f"{saved}: gave up" if gave_up else saved,
        "s",
        WATCH_PATIENCE_SECONDS if gave_up else result.watch_seconds,
        goal=Goal.of_seconds(0.15),
    )
    yield Row("server's memory after 1,000 queries", "MB", result.server_mb, goal=Goal.of_megabytes(140))


def _iter_structure(result: Comparison) -> Iterator[Row]:
    """Yield the rows of the symbol index, as not measured if no file of the tree has a parser."""
    found = result.others.structure
    per_part = STRUCTURE_MB / found.text_mb if found is not None else 0.0
    wall = found.wall_seconds * per_part if found is not None else None
    ctags = found.ctags_seconds * per_part if found is not None and found.ctags_seconds is not None else None
    what = f"symbols of {STRUCTURE_MB:g} MB of text"
    yield Row(what, "s", wall, CTAGS, ctags, Goal.of_seconds(1.0))
    cpu, parsing = (found.cpu_seconds, found.ast_seconds) if found is not None else (None, None)
    yield Row("symbols, processor time", "s", cpu, "`ast.parse` of the Python files alone", parsing)
    mb, of_words = found.index_mb if found is not None else None, result.engines[engines.OURS].build
    lexical = of_words.index_mb if of_words is not None else None
    yield Row("symbols, index on disk", "MB", mb, "our index of words", lexical)


def _iter_others(result: Comparison) -> Iterator[Row]:
    """Yield the rows of what no search engine does; there is no figure where the tree is too small."""
    others = result.others
    for kind in (*LITERALS, *EXPRESSIONS):
        seconds, theirs = (_find_median(found.get(kind)) for found in (others.exact, others.ripgrep))
        yield Row(f"exact search over stdio, {kind}, p50", "s", seconds, RIPGREP, theirs)
    for question in QUESTIONS:
        yield Row(f"navigation, {question}, p50", "s", _find_median(others.navigation.get(question)))
    yield Row("`search` of `retrieval` over stdio, p50", "s", _find_median(others.retrieval))


def _find_median(seconds: Sequence[float] | None) -> float | None:
    return get_quantile(seconds, 0.5) if seconds else None


def build_growth_rows(grown: Sequence[Growth]) -> list[Row]:
    """Build the rows that compare each size with the one before it, then those of each size."""
    rows = [row for before, after in pairwise(grown) for row in _compare_sizes(before, after)]
    return [*rows, *(row for one in grown for row in _describe_size(one))]


def _compare_sizes(before: Growth, after: Growth) -> Iterator[Row]:
    step, peer = f"{before.files:,} -> {after.files:,} files", f"at {before.files:,}"
    longer = round(after.longest_list / before.longest_list, 2)
    figures = (
        ("build time per file", after.build_per_file, before.build_per_file, Goal.of_ratio(1.15)),
        ("build time per MB", after.build_per_mb, before.build_per_mb, None),
        ("spawn to the first search", after.spawn_seconds, before.spawn_seconds, Goal.of_ratio(1.2)),
        ("open and first query", after.first_seconds, before.first_seconds, Goal.of_ratio(1.2)),
        ("warm query, p50", after.warm_seconds, before.warm_seconds, Goal.of_ratio(longer)),
    )
    for what, now, earlier, goal in figures:
        yield Row(f"{what}, {step}", "s", now, peer, earlier, goal)


def _describe_size(one: Growth) -> Iterator[Row]:
    peak = f"peak memory of a build, {one.files:,} files"
    yield Row(peak, "MB", one.peak_mb, goal=Goal.of_megabytes(1000))
    columns = (
        ("build time per file", one.build_per_file, one.peer_build_per_file),
        ("warm query, p50", one.warm_seconds, one.peer_warm_seconds),
    )
    for what, ours, theirs in columns:
        if theirs is not None:
            yield Row(f"{what}, {one.files:,} files", "s", ours, engines.TANTIVY, theirs)


def render_tables(rows: Sequence[Row]) -> list[str]:
    """Render the rows with a goal, then those for information."""
    others = [row for row in rows if row.goal is None]
    lines = render_table([row for row in rows if row.goal is not None])
    return [*lines, "", "For information:", "", *render_table(others)] if others else lines


def render_table(rows: Sequence[Row]) -> list[str]:
    """Render rows as a table in Markdown."""
    lines = ["| what | ours | peer | peer's | ratio | goal | |", "|---|--:|---|--:|--:|--:|---|"]
    for row in rows:
        cells = [row.what, render_value(row.ours, row.unit), row.peer]
        cells += [render_value(row.theirs, row.unit) if row.peer else "", render_ratio(row.ratio)]
        cells += [row.goal.text if row.goal else "", judge_row(row)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def judge_row(row: Row) -> str:
    """Return a word that says whether a row reaches its goal."""
    if row.goal is None:
        return ""
    if row.share is None:
        return "not measured"
    return "met" if row.share <= 1 else "missed"


def render_value(value: float | None, unit: str) -> str:
    """Render a value in three digits, with its unit."""
    if value is None:
        return "-"
    return render_time(value) if unit == "s" else f"{value:,.0f} MB" if value >= 100 else f"{value:.3g} MB"


def render_ratio(ratio: float | None) -> str:
    """Render a ratio with two digits behind the point, or fewer when it is large."""
    if ratio is None:
        return ""
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
