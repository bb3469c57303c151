"""Names that are bound to what is called: they stand for what a call runs, under the package's name, too."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked, find_one, list_found

FILES = {
    "src/_tool/outcomes.py": (
        "class Stopped(Exception):\n    pass\n\n\n"
        'class _Stop:\n    """Stop a run."""\n\n    Exception = Stopped\n\n'
        "    def __call__(self, reason):\n        raise Stopped(reason)\n\n\n"
        "stop: _Stop = _Stop()\n\n\n"
        "class Base:\n    def __call__(self, reason):\n        wait_for(reason)\n\n\n"
        'class _Pause(Base):\n    """Pause a run."""\n\n\n'
        "pause = _Pause()\n\n\n"
        "def wait_for(reason):\n    return reason\n\n\n"
        "built = wait_for(3)\n"
    ),
    "src/_tool/report.py": (
        "from _tool.outcomes import stop\n\n\n"
        "def tell(error):\n    if isinstance(error, stop.Exception):\n        return 'stopped'\n"
        "    return 'failed'\n"
    ),
    "src/tool/__init__.py": "from _tool.outcomes import stop\nfrom _tool.outcomes import pause\n",
    "src/app/run.py": "import tool\n\n\ndef run(limit):\n    if limit:\n        tool.stop('limit')\n",
    "web/stop.ts": "function doHalt(a: number) {\n  return log(a)\n}\n\nfunction log(a: number) {\n"
    "  return a\n}\n\nexport const halt = doHalt\n",
    "web/use.ts": "import { halt } from './stop'\n\nexport function useHalt() {\n  return halt(1)\n}\n",
    "m/m.go": "package m\n\nfunc doHalt(a int) int { return rest(a) }\n\n"
    "func rest(a int) int { return a }\n\n"
    "var Halt = doHalt\n",
}


def list_subjects(question: str) -> list[str]:
    reading = Asked(FILES).ask(question).reading
    return [node.qualified_name for one in reading.subjects for node in one.nodes]


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("how does tool.stop work?", ["_tool.outcomes._Stop.__call__"]),
        ("what happens when I call pause?", ["_tool.outcomes.Base.__call__"]),
        ("who calls tool.stop?", ["_tool.outcomes.stop"]),
        ("what breaks if I change tool.stop?", ["_tool.outcomes.stop", "_tool.outcomes._Stop.__call__"]),
        ("what happens when I call halt?", ["doHalt"]),
        ("who calls halt?", ["halt"]),
        ("what does m.Halt call?", ["m.doHalt"]),
        ("who uses built?", ["_tool.outcomes.built"]),
    ],
)
def test_a_name_bound_to_what_is_called_stands_for_what_runs(question: str, subjects: list[str]) -> None:
    assert list_subjects(question) == subjects


def test_the_errors_are_those_of_the_call() -> None:
    assert (
        "Stopped (src/_tool/outcomes.py:11)" in Asked(FILES).ask("which errors does tool.stop raise?").claim
    )


def test_callable_objects_are_compared_by_their_types_and_by_what_decides_by_them() -> None:
    question = "What is the difference between tool.stop and tool.pause when I call them inside a run?"
    report = Asked(FILES).ask(question)
    assert report.reading.form is Form.DIFFERENCE
    assert list_found(report)[:2] == ["_tool.outcomes._Stop", "_tool.outcomes._Pause"]
    assert find_one(report, "_tool.report.tell").why == "decides by stop"
    assert "report.tell (src/_tool/report.py:5) decides by stop." in report.claim


def test_what_is_known_of_a_difference_is_told_beside_the_name_that_is_missing() -> None:
    report = Asked(FILES).ask("What is the difference between tool.stop and tool.nap?")
    assert report.claim.startswith("tool.nap is not declared in this repository.")
    assert "outcomes._Stop (src/_tool/outcomes.py:5-11): Stop a run." in report.claim
    assert find_one(report, "_tool.outcomes._Stop").why == 'what "tool.stop" refers to'


def test_a_difference_is_no_question_for_a_setting() -> None:
    files = FILES | {"src/_tool/names.py": "KNOWN = ['tool.nap', 'tool.rest']\n"}
    question = "What is the difference between tool.nap and to leave the run as it is when I call them?"
    assert Asked(files).ask(question).reading.form is Form.OPEN
