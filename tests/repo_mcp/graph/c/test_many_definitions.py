"""A prototype that many files define, one for each system: a call may mean any of them."""

from __future__ import annotations

from tests.repo_mcp.graph.resolved import Repository

SYSTEMS = [f"src/system{number:02}.c" for number in range(14)]
TEXTS = {
    "include/total.h": "unsigned total(void);\n",
    "test/use.c": '#include "../include/total.h"\nunsigned use(void) { return total(); }\n',
    **dict.fromkeys(SYSTEMS, '#include "../include/total.h"\nunsigned total(void) { return 1; }\n'),
}


def test_a_call_may_mean_each_of_many_definitions() -> None:
    found = Repository.build(TEXTS).ask("test/use.c", "return total", "total")
    assert found == [f"{path}:2 total possible" for path in SYSTEMS]
