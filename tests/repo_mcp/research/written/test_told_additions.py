"""Where one is added: documents that say how, and what is no table or named so."""

from __future__ import annotations

from repo_mcp.research.findings.reasons import Role
from tests.repo_mcp.research.asking import Asked, list_found

MANUAL = (
    "Adding a New System Call\n========================\n\n"
    "This document describes what to add for a new system call.\n\n"
    "small System Call Implementation\n--------------------------------\n\n"
    "To wire up your new system call for small machines, update::\n\n  arch/small/calls_64.tbl\n"
)
TEXTS = {
    "Documentation/calls.rst": MANUAL,
    "arch/small/calls_64.tbl": "# calls\n0 common read sys_read\n1 common write sys_write\n"
    "2 common open sys_open\n",
    "kernel/check.c": "static int add_func_call(struct env *env, int id)\n{\n\tif (!env)\n\t\treturn -1;\n"
    "\treturn env->tab[id];\n}\n",
}
QUESTION = "where should I add a new system call for small machines? calls_64.tbl SYSCALL_DEFINE"


def test_a_document_tells_how_one_is_added() -> None:
    report = Asked(TEXTS).ask(QUESTION)
    assert report.claim == (
        "How one is added is told in Adding a New System Call (Documentation/calls.rst:1-5)."
        " See also Adding a New System Call > small System Call Implementation"
        " (Documentation/calls.rst:6-11)."
    )
    assert list_found(report)[0] == "Adding a New System Call"


def test_a_section_shows_the_line_that_names_a_file() -> None:
    report = Asked(TEXTS).ask(QUESTION)
    section = next(one for one in report.findings if one.symbol.endswith("Implementation"))
    assert "arch/small/calls_64.tbl" in section.excerpt


def test_what_shares_one_noun_is_not_said_to_do_what_a_document_tells() -> None:
    report = Asked(TEXTS).ask(QUESTION)
    assert all(one.role is not Role.NAMED_SO for one in report.findings)


def test_fields_of_one_declaration_are_no_entries_of_a_table() -> None:
    texts = {
        "prog.h": "struct prog {\n\tunsigned jited:1,\t/* Is it? */\n\t\tis_asked:1,\n\t\tis_call:1,\n"
        "\t\tis_last:1,\n\t\tis_alone:1;\n};\n",
        "add.c": '#include "prog.h"\n\nint add_call(struct prog *prog)\n{\n\tif (!prog->is_asked)\n'
        "\t\treturn -1;\n\treturn prog->is_call;\n}\n",
    }
    report = Asked(texts).ask("where should I add a new call?")
    assert all(one.role is not Role.TABLE for one in report.findings)
