"""Of many callers, those of each folder are shown, and direct ones before what calls them."""

from __future__ import annotations

from repo_mcp.toolsets.research.shown_findings import choose_all
from tests.repo_mcp.research.asking import Asked, list_found

NEAR = {
    f"depot/near/user_{at:02}.py": f"from depot.near.drop import drop\n\n\ndef use_{at:02}():\n    drop()\n"
    for at in range(45)
}
FAR = {
    f"{folder}/far/user.py": f"from depot.near.drop import drop\n\n\ndef use_{folder}():\n    drop()\n"
    for folder in ("quay", "yard")
}
ABOVE = {"depot/near/above.py": "from depot.near.user_00 import use_00\n\n\ndef run():\n    use_00()\n"}
DROP = {"depot/near/drop.py": "def drop():\n    return 1\n"}


def test_callers_in_other_folders_are_among_those_that_are_shown() -> None:
    report = Asked(NEAR | FAR | DROP).ask("what calls drop?")
    found = [name.rpartition(".")[2] for name in list_found(report, 1)]
    assert found[:4] == ["use_00", "use_quay", "use_yard", "use_01"]


def test_direct_callers_come_before_what_calls_them() -> None:
    few = dict([*NEAR.items()][:20])
    report = Asked(few | FAR | DROP | ABOVE).ask("what calls drop?")
    shown = choose_all(report, 15)[0][0]
    assert {one.hop for one in shown} == {0, 1}
    assert {one.hop for one in report.findings} == {0, 1, 2}
