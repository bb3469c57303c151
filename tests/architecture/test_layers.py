"""The stair: a file imports only from floors below its own, and a few libraries have one importer each.

The tables are the map of the two packages, top first. A row holds a file or a whole folder (a
room); a file that no row names fails. Inside a room the imports form no cycle.
"""

from __future__ import annotations

import re

import pytest

from tests.architecture.source_tree import ROOT, Module, expect_none, list_imports, load_modules, module_names

INDEX_FORMAT_FLOORS: tuple[tuple[str, ...], ...] = (
    ("index_format.__main__",),
    ("index_format",),
    ("index_format.dump", "index_format.verify", "index_format.writer"),
    ("index_format.adopted_segments", "index_format.compactor"),
    ("index_format.doc_id_map",),
    ("index_format.merge_policy", "index_format.snapshot"),
    ("index_format.manifest", "index_format.segment_reader", "index_format.segment_writer"),
    ("index_format.posting_runs", "index_format.term_scan"),
    (
        "index_format.chunks",
        "index_format.file_records",
        "index_format.files",
        "index_format.meta",
        "index_format.norms",
        "index_format.postings",
        "index_format.terms",
    ),
    (
        "index_format.block_lists",
        "index_format.folded_pages",
        "index_format.occurrences",
        "index_format.signatures",
        "index_format.term_pages",
    ),
    (
        "index_format.columns",
        "index_format.frame",
        "index_format.memory_directory",
        "index_format.seals",
        "index_format.varints",
    ),
    ("index_format.disk_directory",),
    ("index_format.checksum", "index_format.directory", "index_format.packing", "index_format.runs"),
    ("index_format.errors", "index_format.records"),
    ("index_format.term_text",),
)

REPO_MCP_FLOORS: tuple[tuple[str, ...], ...] = (
    ("repo_mcp.__main__",),
    ("repo_mcp.cli",),
    ("repo_mcp.server",),
    ("repo_mcp.cli.doctor",),
    ("repo_mcp.cli.clients", "repo_mcp.cli.report"),
    ("repo_mcp.serving",),
    ("repo_mcp.toolsets.research",),
    (
        "repo_mcp.cli.console",
        "repo_mcp.toolsets.graph",
        "repo_mcp.toolsets.repo",
        "repo_mcp.toolsets.retrieval",
    ),
    ("repo_mcp.toolsets",),
    ("repo_mcp.repository",),
    ("repo_mcp.repository.opened",),
    ("repo_mcp.impact", "repo_mcp.research", "repo_mcp.scip"),
    ("repo_mcp.research.claims",),
    (
        "repo_mcp.research.settings",
        "repo_mcp.research.structure",
        "repo_mcp.research.words",
        "repo_mcp.research.written",
    ),
    ("repo_mcp.research.related",),
    ("repo_mcp.research.order",),
    ("repo_mcp.research.seeds",),
    ("repo_mcp.research.errors",),
    ("repo_mcp.research.kinds",),
    ("repo_mcp.research.edges",),
    ("repo_mcp.research.question",),
    ("repo_mcp.research.findings",),
    ("repo_mcp.code_search", "repo_mcp.graph", "repo_mcp.semantic"),
    ("repo_mcp.graph.lookup", "repo_mcp.graph.visibility"),
    ("repo_mcp.graph.edges", "repo_mcp.graph.hierarchy"),
    ("repo_mcp.graph.importers", "repo_mcp.graph.prototypes", "repo_mcp.graph.resolution"),
    ("repo_mcp.graph.nodes",),
    (
        "repo_mcp.graph.c",
        "repo_mcp.graph.csharp",
        "repo_mcp.graph.go",
        "repo_mcp.graph.java",
        "repo_mcp.graph.python",
        "repo_mcp.graph.rust",
        "repo_mcp.graph.swift",
        "repo_mcp.graph.typescript",
    ),
    ("repo_mcp.graph.typed",),
    ("repo_mcp.graph.shape", "repo_mcp.graph.vocabulary"),
    ("repo_mcp.graph.program",),
    ("repo_mcp.documentation", "repo_mcp.symbol_index"),
    ("repo_mcp.bundler",),
    ("repo_mcp.blocks", "repo_mcp.live"),
    ("repo_mcp.exact", "repo_mcp.ranking"),
    ("repo_mcp.ranking.direct_hits",),
    ("repo_mcp.ranking.files", "repo_mcp.ranking.page"),
    ("repo_mcp.ranking.scoring",),
    ("repo_mcp.ranking.query",),
    ("repo_mcp.indexing.derived",),
    ("repo_mcp.indexing",),
    ("repo_mcp.indexing.cluster",),
    ("repo_mcp.indexing.shards",),
    ("repo_mcp.audit", "repo_mcp.process"),
    ("repo_mcp.languages", "repo_mcp.protocol.http"),
    ("repo_mcp.config", "repo_mcp.languages.python", "repo_mcp.protocol"),
    (
        "repo_mcp.languages.c",
        "repo_mcp.languages.csharp",
        "repo_mcp.languages.go",
        "repo_mcp.languages.java",
        "repo_mcp.languages.outline",
        "repo_mcp.languages.rust",
        "repo_mcp.languages.swift",
        "repo_mcp.languages.typescript",
    ),
    ("repo_mcp.bodies", "repo_mcp.languages.treesitter", "repo_mcp.workspace"),
    ("repo_mcp.workspace.ignore",),
    ("repo_mcp.workspace.git", "repo_mcp.workspace.globs"),
    ("repo_mcp.workspace.reader",),
    ("repo_mcp.storage", "repo_mcp.symbols", "repo_mcp.text"),
    ("repo_mcp", "repo_mcp.languages.patterns", "repo_mcp.model"),
    (
        "repo_mcp.arrays",
        "repo_mcp.errors",
        "repo_mcp.exit_codes",
        "repo_mcp.file_stat",
        "repo_mcp.late_patterns",
        "repo_mcp.lru_cache",
        "repo_mcp.threads",
        "repo_mcp.titled_names",
    ),
    ("repo_mcp.record_classes",),
)

# Everything of ours that the other package may enter by.
FRONT_DOOR = "index_format"

# library or module -> the only files (or folders, ending in "/") that import it
ONLY_IMPORTERS: dict[str, tuple[str, ...]] = {
    "pathspec": ("repo_mcp/workspace/ignore/lines.py",),
    "whoosh": (
        "repo_mcp/process/lean_imports.py",
        "repo_mcp/ranking/scoring/bm25f.py",
        "repo_mcp/text/analysis.py",
    ),
    "watchfiles": ("repo_mcp/indexing/watcher.py",),
    "msgpack": ("index_format/packing.py",),
    "re2": ("repo_mcp/exact/engines.py",),
    "xxhash": ("index_format/checksum.py",),
    "distributed": ("repo_mcp/indexing/cluster/loop.py",),
    "tomlkit": ("repo_mcp/cli/clients/toml_edit.py",),
    "multiprocessing": (
        "repo_mcp/indexing/shards/workers.py",
        "repo_mcp/process/lister.py",
        "repo_mcp/process/lister_process.py",
        "repo_mcp/process/parse_process.py",
        "repo_mcp/process/parse_worker.py",
    ),
    "mcp": (
        "repo_mcp/protocol/http/server.py",
        "repo_mcp/protocol/sdk_server.py",
    ),
    "starlette": ("repo_mcp/protocol/http/server.py",),
    "uvicorn": ("repo_mcp/protocol/http/connections.py", "repo_mcp/protocol/http/server.py"),
    "h11": ("repo_mcp/protocol/http/connections.py",),
    **dict.fromkeys(
        (
            "tree_sitter",
            "tree_sitter_c",
            "tree_sitter_c_sharp",
            "tree_sitter_cpp",
            "tree_sitter_go",
            "tree_sitter_java",
            "tree_sitter_javascript",
            "tree_sitter_rust",
            "tree_sitter_swift",
            "tree_sitter_typescript",
        ),
        ("repo_mcp/languages/treesitter/grammars.py", "repo_mcp/languages/treesitter/parser.py"),
    ),
    "mcp_types": ("repo_mcp/protocol/sdk_server.py",),
    **dict.fromkeys(("aiohttp", "fsspec"), ("repo_mcp/cli/pack_stores.py",)),
    "cryptography": ("repo_mcp/storage/pack_keys.py",),
}


def build_floors() -> dict[str, int]:
    """Name of a file or room -> its floor, 0 on top. The packages know nothing of each other here."""
    return {
        name: floor
        for table in (INDEX_FORMAT_FLOORS, REPO_MCP_FLOORS)
        for floor, row in enumerate(table)
        for name in row
    }


FLOORS = build_floors()
PACKAGE_ROOTS = ("repo_mcp", "index_format")


def find_room(name: str) -> str | None:
    """Return the row entry a module belongs to: itself, or the nearest folder above it that has a row."""
    if name in FLOORS:
        return name
    above = name.rpartition(".")[0]
    while above and above not in PACKAGE_ROOTS:
        if above in FLOORS:
            return above
        above = above.rpartition(".")[0]
    return None


def list_faults(module: Module) -> list[str]:
    room = find_room(module.name)
    faults = []
    for imported in list_imports(module):
        package = imported.module.partition(".")[0]
        if package not in PACKAGE_ROOTS:
            continue
        where = f"{module.path}:{imported.line} imports {imported.module}"
        if package != module.name.partition(".")[0]:
            if package != FRONT_DOOR or imported.module != FRONT_DOOR:
                faults.append(f"{where}: the other package is entered by {FRONT_DOOR} alone")
            continue
        target = find_room(imported.module)
        if target is None:
            faults.append(f"{where}: which has no floor")
        elif target != room and room is not None and FLOORS[target] <= FLOORS[room]:
            faults.append(f"{where}: floor {FLOORS[target]} is not below floor {FLOORS[room]}")
    return faults


def test_every_file_has_a_floor() -> None:
    expect_none(
        (module.path for module in load_modules() if find_room(module.name) is None),
        "Give each of these a row in the tables of this file, and a place in the chart of ARCHITECTURE.md:",
    )


def test_imports_go_down() -> None:
    expect_none(
        (fault for module in load_modules() for fault in list_faults(module)),
        "Move what is needed to a lower row of the tables of this file, or pass it as an argument:",
    )


def test_no_name_stands_on_two_floors() -> None:
    names = [name for table in (INDEX_FORMAT_FLOORS, REPO_MCP_FLOORS) for row in table for name in row]
    assert len(names) == len(set(names))


def test_inside_a_room_imports_form_no_cycle() -> None:
    edges = {
        module.name: {imported.module for imported in list_imports(module)} & module_names() - {module.name}
        for module in load_modules()
    }
    resting = set(edges)
    while True:
        done = {name for name in resting if not edges[name] & resting}
        if not done:
            break
        resting -= done
    expect_none(
        sorted(resting), "These import each other in a circle, or from one: cut it at the smallest import."
    )


@pytest.mark.parametrize("library", ONLY_IMPORTERS)
def test_library_is_imported_in_one_place(library: str) -> None:
    allowed = ONLY_IMPORTERS[library]
    elsewhere = [
        f"{module.path}:{imported.line}"
        for module in load_modules()
        for imported in list_imports(module)
        if imported.module.partition(".")[0] == library
        and not any(
            module.path == one or (one.endswith("/") and module.path.startswith(one)) for one in allowed
        )
    ]
    expect_none(elsewhere, f"Only {' and '.join(allowed)} may import {library}: use what is offered there.")


def test_server_never_imports_what_is_for_people() -> None:
    """The import closure of the server holds neither the command line nor its libraries."""
    edges = {module.name: {one.module for one in list_imports(module)} for module in load_modules()}
    seen: set[str] = set()
    waiting = ["repo_mcp.server"]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(edges.get(name, ()))
    assert {name for name in seen if name.partition(".")[0] == "tomlkit"} == set()
    assert {name for name in seen if name.startswith(("repo_mcp.cli.", "repo_mcp.__main__"))} == set()


def test_the_chart_of_the_document_is_the_table() -> None:
    """Each room and loose module stands in the chart once, and never below one that it may import.

    A row whose line is too long goes on in lines that begin with blanks.
    """
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    chart = re.sub(r"\n +", " ", text.split("```")[1].split("-----")[0]).splitlines()
    rows: dict[str, int] = {}
    for number, line in enumerate(filter(None, chart)):
        left = re.split(r" {3,}", line)[0]
        for room, inner in re.findall(r"(\w+)/?(?: \(([^)]*)\))?", left):
            rows[room] = number
            rows.update({f"{room}.{one.strip('/')}": number for one in inner.split()})
            assert all(
                one.endswith("/") == (ROOT / "repo_mcp" / room / one).is_dir() for one in inner.split()
            )
    charted = {name.removeprefix("repo_mcp."): floor for name, floor in FLOORS.items() if "." in name}
    charted = {name: floor for name, floor in charted.items() if not name.startswith(("index_format", "__"))}
    expect_none(
        (
            f"{name} is only in {where}"
            for where, names in (
                ("the chart", set(rows) - set(charted)),
                ("the table", set(charted) - set(rows)),
            )
            for name in sorted(names)
        ),
        "The chart of ARCHITECTURE.md and the tables of this file name the same rooms and loose modules:",
    )
    wrong = [
        (upper, lower)
        for upper in rows
        for lower in rows
        if rows[upper] < rows[lower] and charted[upper] > charted[lower] and "." not in upper + lower
    ]
    expect_none(
        (f"{upper} is above {lower}" for upper, lower in wrong),
        "The chart of ARCHITECTURE.md has a room above one that may import it by the tables of this file:",
    )
