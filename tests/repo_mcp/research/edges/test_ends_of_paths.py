"""A path has two ends; a macro that is used everywhere is no step of one."""

from __future__ import annotations

from repo_mcp.research.findings.records import Form
from repo_mcp.research.findings.research_state import EVERYWHERE
from tests.repo_mcp.research.asking import Asked, list_found

TEXTS = {
    "net.c": "static int store_parcel(struct parcel *p)\n{\n\treturn 1;\n}\n\n"
    "static int deliver(struct parcel *p)\n{\n\treturn store_parcel(p);\n}\n\n"
    "int receive(struct parcel *p)\n{\n\treturn deliver(p);\n}\n\n"
    "int refuse(struct parcel *p)\n{\n\treturn 0;\n}\n",
    "hw.h": "struct hw {\n\tint driver;\n\tint parcel;\n};\n",
}


def test_a_path_leads_from_the_first_place_to_the_second() -> None:
    reading = Asked(TEXTS).ask("how does a parcel get from receive to store_parcel?").reading
    assert reading.form is Form.FLOW
    assert [one.asked for one in reading.subjects] == ["receive", "store_parcel"]


def test_a_macro_that_is_used_everywhere_is_no_callee() -> None:
    head = '#include "base.h"\n\n'
    texts = {
        f"use_{at}.c": f"{head}int use_{at}(int x)\n{{\n\tif (unlikely(x))\n"
        "\t\treturn seldom(x);\n\treturn 0;\n}\n"
        for at in range(EVERYWHERE)
    }
    texts["base.h"] = "#define unlikely(x) (!!(x))\n\nint seldom(int x);\n"
    texts["base.c"] = f"{head}int seldom(int x)\n{{\n\treturn x;\n}}\n"
    report = Asked(texts).ask("what does use_7 call?")
    assert list_found(report, 1) == ["seldom"]
