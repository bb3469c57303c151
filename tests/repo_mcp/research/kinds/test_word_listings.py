"""Where one more of a kind is added that no type is the base of: a table, a switch, calls, or exports."""

from __future__ import annotations

from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.kinds.parallel_lines import find_runs
from tests.repo_mcp.research.asking import Asked, find_one

PRESSES = {
    "depot/press.py": "_presses = {}\n\n\ndef enrol(press, name):\n    _presses[name] = press\n\n\n"
    "def register(press, name):\n    enrol(press, name)\n    return name\n\n\n"
    + "".join(f"register(press_{name}, '{name}')\n\n" for name in ("flat", "tall", "wide"))
}
COMMANDS = {
    "cmd.c": '#include "depot.h"\n\nconst struct cmd_entry *cmd_table[] = {\n'
    + "".join(f"\t&cmd_{name}_entry,\n" for name in ("carry", "load", "press", "stamp", "weigh"))
    + "\tNULL\n};\n\n/* Finds a command. */\nint\n"
    "cmd_find(const char *name)\n{\n\tfor (int i = 0; cmd_table[i] != NULL; i++)\n"
    "\t\tif (same(cmd_table[i], name))\n\t\t\treturn i;\n\treturn -1;\n}\n",
    "depot.h": "struct cmd_entry {\n\tconst char *name;\n\tint (*run)(void);\n};\n",
}


def test_calls_of_one_function_are_where_one_more_is_registered() -> None:
    report = Asked(PRESSES).ask("Where would I add a new press method?")
    assert report.claim.startswith("Add one to depot/press.py (depot/press.py:13-17), which has")
    assert "press.register (depot/press.py:8-10) registers it." in report.claim


def test_a_table_with_an_abbreviated_noun_comes_before_what_only_has_words() -> None:
    report = Asked(COMMANDS).ask("Where would I add a new command?")
    assert report.claim.startswith("Add one to cmd_table (cmd.c:3-10), which has")
    assert "cmd_find (cmd.c:13-20) reads cmd_table." in report.claim
    assert "&cmd_carry_entry" in find_one(report, "cmd_table").excerpt


def test_a_switch_with_the_nouns_in_its_function_shows_what_its_cases_do() -> None:
    cases = "".join(
        f'            case "{name}":\n                return new {name.capitalize()}Lid();\n'
        for name in ("flat", "round", "tall", "wide")
    )
    text = f"class LidReader {{\n    Lid readLidShape(String name) {{\n        switch (name) {{\n{cases}"
    text += "            default:\n                throw new Bad(name);\n        }\n    }\n}\n"
    report = Asked({"src/LidReader.java": text}).ask("Where would I add a new lid shape?")
    assert report.claim.startswith("Add one to LidReader.readLidShape (src/LidReader.java:2-")
    assert "return new FlatLid();" in find_one(report, "LidReader.readLidShape").excerpt


def test_a_table_of_types_of_the_language_lists_the_built_in_ones() -> None:
    names = ("str", "int", "float", "Decimal", "UUID", "timedelta")
    text = (
        "from datetime import timedelta\nfrom decimal import Decimal\nfrom uuid import UUID\n\nWRITERS = {\n"
    )
    text += "".join(f"    {name}: write_{name.lower()},\n" for name in names)
    text += "}\n\n\ndef find_writer(one):\n    return WRITERS[type(one)]\n"
    report = Asked({"depot/writers.py": text}).ask("Where would I add support for a new built-in type?")
    assert report.claim.startswith("Add one to writers.WRITERS (depot/writers.py:5-12), which names 6")
    assert "writers.find_writer (depot/writers.py:15-16) reads writers.WRITERS." in report.claim


def test_arguments_and_fields_in_a_row_are_no_list() -> None:
    text = "def send(depot):\n    publish(\n"
    text += "".join(f"        parcel_{name},\n" for name in ("flat", "round", "tall", "wide")) + "    )\n"
    report = Asked({"depot/send.py": text}).ask("Where would I add a new parcel?")
    assert all(one.role is not Role.LISTS for one in report.findings)


def test_a_base_of_another_kind_is_none_of_a_kind_of_two_words() -> None:
    texts = {
        "dates/days.py": "class TimeFormat:\n    def render(self):\n        raise NotImplementedError\n\n\n"
        "class DayFormat(TimeFormat):\n    def render(self):\n        line = self.day\n        line += 1\n"
        "        return line\n",
        "labels.py": "LABEL_WRITERS = {\n"
        + "".join(f'    "{name}": "labels.{name}",\n' for name in ("csv", "json", "text", "toml", "xml"))
        + "}\n",
    }
    claim = Asked(texts).ask("Where would I add a new label format?").claim
    assert claim.startswith("Add one to labels.LABEL_WRITERS (labels.py:1-7), which has")


def test_lines_that_begin_alike_make_a_run() -> None:
    lines = ('    add("a")', "", '    add("b")', '    add("c")', "    check(d)", "if (x)", "one,", "two,")
    assert [(run.kind, [*run.lines]) for run in find_runs(lines, set())] == [("add", [1, 3, 4])]


def test_without_a_type_or_a_list_the_claim_says_so_before_what_has_the_words() -> None:
    text = "def weigh(parcel):\n    scale = parcel.scale\n    return scale.read(parcel)\n"
    claim = Asked({"depot/weigh.py": text}).ask("Where would I add a new scale?").claim
    assert claim.startswith("No type or list was found to which one more would belong. ")
