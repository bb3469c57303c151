"""What implements a member of a type of C: the tables that set it to a function."""

from __future__ import annotations

from repo_mcp.research.edges.function_tables import MAX_TABLES
from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked, list_found

TEXTS = {
    "shelf.h": "struct shelf_ops {\n\tint (*load)(int at);\n\tint size;\n};\n\n"
    "static inline int call_load(struct shelf_ops *ops, int at)\n{\n\treturn ops->load(at);\n}\n",
    "disk.c": '#include "shelf.h"\n\nstatic int load_disk(int at)\n{\n\treturn at;\n}\n\n'
    "const struct shelf_ops disk_ops = {\n\t.load\t= load_disk,\n\t.size\t= 3,\n};\n",
    "tape.c": '#include "shelf.h"\n\nstatic int load_tape(int at)\n{\n\treturn -at;\n}\n\n'
    "const struct shelf_ops tape_ops = {\n\t.load\t= load_tape,\n};\n\n"
    "const struct shelf_ops no_ops = {\n\t.load\t= NULL,\n};\n",
}


def test_the_tables_that_set_a_member_to_functions_implement_it() -> None:
    report = Asked(TEXTS).ask("who implements shelf_ops.load?")
    assert report.reading.form is Form.IMPLEMENTATIONS
    assert report.claim == (
        "2 tables set shelf_ops.load (shelf.h:2): disk_ops to load_disk (disk.c:9)"
        " and tape_ops to load_tape (tape.c:9)."
    )
    assert list_found(report, 1) == ["disk_ops", "tape_ops"]
    assert [one.why for one in report.findings][1:] == [
        "sets it to load_disk (disk.c:3-6)",
        "sets it to load_tape (tape.c:3-6)",
    ]


def test_a_count_of_tables_is_a_least_one_if_not_all_are_noted() -> None:
    tables = "".join(
        f"const struct shelf_ops ops_{at} = {{\n\t.load = load_tape,\n}};\n" for at in range(MAX_TABLES + 3)
    )
    report = Asked({**TEXTS, "tape.c": TEXTS["tape.c"] + tables}).ask("who implements shelf_ops.load?")
    assert report.claim.startswith(f"At least {MAX_TABLES} tables set shelf_ops.load (shelf.h:2): ")


def test_a_guessed_function_comes_first() -> None:
    report = Asked(TEXTS).ask("who implements shelf_ops.load? call_load load_tape")
    assert list_found(report, 1) == ["tape_ops", "disk_ops"]
