"""Which errors of one name a type raises: the type is a place, and no owner of the error."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.uses import MAX_LINES
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.raised_places import find_raised_place
from tests.growth import assert_linear
from tests.repo_mcp.graph.memory_index import make_graph
from tests.repo_mcp.research.asking import Asked, drop_conditions

JAVA = {
    "gate/LockedException.java": "package gate;\n\npublic class LockedException extends RuntimeException {\n"
    '    LockedException() { super("locked"); }\n}\n',
    "gate/Gate.java": """package gate;

class Gate {
    void open(String name) {
        if (name == null) {
            refuse();
        }
    }
    private static void refuse() {
        throw new LockedException();
    }
    class Bolt {
        void turn(int force) {
            if (force > 9)
                throw new LockedException();
        }
    }
}
""",
    "gate/Door.java": """package gate;

class Door {
    void shut(String name) {
        if (name.isEmpty()) {
            throw new LockedException();
        }
    }
}
""",
    "gate/Wall.java": "package gate;\n\nclass Wall {\n    int height;\n}\n",
}


@pytest.mark.parametrize(
    "question",
    [
        "who throws LockedException in Gate?",
        "When is LockedException thrown by Gate?",
        "When is LockedException thrown from Gate iteration? (turn, force)",
        "which code in Gate throws LockedException?",
        "does Gate throw LockedException?",
    ],
)
def test_a_type_in_which_an_error_is_raised_is_a_place(question: str) -> None:
    report = Asked(JAVA).ask(question)
    assert report.reading.form is Form.RAISED
    assert report.reading.text.endswith(", in gate.Gate")
    raising = {one.symbol for one in report.findings if one.role is Role.RAISES}
    assert raising == {"gate.Gate.open", "gate.Gate.refuse", "gate.Gate.Bolt.turn"}


def test_the_condition_is_around_the_call_of_what_only_raises() -> None:
    claim = Asked(JAVA).ask("who throws LockedException in Gate?").claim
    assert "Gate.open (gate/Gate.java:6, `if (name == null)`)" in claim
    assert "Bolt.turn (gate/Gate.java:15, `if (force > 9)`)" in claim


def test_a_type_that_raises_no_such_error_is_said_to_raise_none() -> None:
    claim = Asked(JAVA).ask("who throws LockedException in Wall?").claim
    assert claim.startswith("No line of gate.Wall itself is known to raise gate.LockedException")
    assert "is raised by Door.shut" in claim


def test_members_that_are_declared_outside_of_their_type_lie_in_it() -> None:
    report = Asked(
        {
            "go.mod": "module example.org/rows\n",
            "rows.go": "package rows\n\ntype Store struct{}\n\ntype LostError struct{}\n\n"
            'func (e LostError) Error() string { return "lost" }\n\n'
            "func (s Store) Find(id int) error {\n\tif id < 0 {\n\t\treturn LostError{}\n\t}\n"
            "\treturn nil\n}\n\n"
            "func Seek(id int) error {\n\treturn LostError{}\n}\n",
        }
    ).ask("who raises LostError in Store?")
    assert [one.symbol for one in report.findings if one.role is Role.RAISES] == ["rows.Store.Find"]


def test_of_a_function_in_which_an_error_is_raised_the_errors_are_told() -> None:
    report = Asked(JAVA).ask("who throws LockedException in Gate.open?")
    assert report.reading.form is Form.ERRORS
    assert "LockedException (gate/Gate.java:10)" in drop_conditions(report.claim)


def test_of_an_error_that_is_everywhere_the_lines_of_the_type_are_read() -> None:
    rows = "".join(
        f"    void lose{at}() {{\n        throw new LockedException();\n    }}\n" for at in range(MAX_LINES)
    )
    report = Asked({**JAVA, "gate/Abyss.java": f"package gate;\n\nclass Abyss {{\n{rows}}}\n"}).ask(
        "who throws LockedException in Gate?"
    )
    raising = {one.symbol for one in report.findings if one.role is Role.RAISES}
    assert raising == {"gate.Gate.open", "gate.Gate.refuse", "gate.Gate.Bolt.turn"}
    assert not report.limits


def test_the_path_of_the_type_is_no_glob() -> None:
    rows = "".join(
        f"export const lose{at} = () => {{ throw new LockedError(); }};\n" for at in range(MAX_LINES)
    )
    report = Asked(
        {
            "app/errors.ts": "export class LockedError extends Error {}\n",
            "app/abyss.ts": f'import {{ LockedError }} from "./errors";\n{rows}',
            "app/[id]/gate.ts": 'import { LockedError } from "../errors";\n'
            "export class Gate {\n  open() {\n    throw new LockedError();\n  }\n}\n",
        }
    ).ask("who throws LockedError in Gate?")
    assert [one.symbol for one in report.findings if one.role is Role.RAISES] == ["Gate.open"]


def test_a_long_question_takes_no_longer() -> None:
    graph = make_graph({})
    assert_linear(lambda size: "A." * size, lambda query: find_raised_place(graph, query, ""), 500)
