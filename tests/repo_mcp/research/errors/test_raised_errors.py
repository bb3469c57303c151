"""Where errors of a type are raised: with their conditions, and apart from where they are made or caught."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.uses import MAX_LINES
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Form, Report
from tests.repo_mcp.research.asking import Asked

JAVA = {
    "gate/GateException.java": """package gate;

public class GateException extends RuntimeException {
    public GateException(String message) {
        super(message);
    }
    public static GateException of(String name) {
        return new GateException(name);
    }
}
""",
    "gate/LockedException.java": """package gate;

public class LockedException extends GateException {
    LockedException() { super("locked"); }
}
""",
    "gate/Gate.java": """package gate;

class Gate {
    void open(String name) throws GateException {
        if (name == null) {
            throw new GateException("no name");
        }
        if (name.isEmpty()) {
            throw GateException.of(name);
        }
    }
    void close(String name) {
        if (name.equals("main")) {
            throw new LockedException();
        }
    }
    void watch(Span span) {
        span.error(new GateException("seen"));
    }
    Mono<Void> later(Mono<Void> open) {
        return open.switchIfEmpty(Mono.error(new GateException("late")));
    }
    GateException refuse(String name) {
        return new GateException(name);
    }
    void pass(String name) {
        if (name.length() > 9) {
            throw refuse(name);
        }
    }
    void enter(String name) {
        try {
            open(name);
        } catch (GateException ex) {
            log(ex);
        }
    }
}
""",
}


def list_role(report: Report, role: Role) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.name, one.lines) for one in report.findings if one.role is role]


@pytest.mark.parametrize(
    "question",
    [
        "who throws GateException?",
        "when is GateException thrown for guests?",
        "when is GateException thrown, and under which conditions?",
        "where do we throw GateException",
        "under which conditions is GateException raised?",
        "all code that throws new GateException()",
    ],
)
def test_a_type_of_errors_leads_to_what_raises_it(question: str) -> None:
    report = Asked(JAVA).ask(question)
    assert report.reading.form is Form.RAISED
    raising = list_role(report, Role.RAISES)
    assert sorted(raising) == [
        ("close", (14,)),
        ("later", (21,)),
        ("open", (6, 9)),
        ("pass", (28,)),
    ]
    assert list_role(report, Role.CATCHES) == [("enter", (34,))]
    assert list_role(report, Role.MAKES_ERROR) == [("watch", (18,))]
    assert list_role(report, Role.GIVES_ERROR) == [("refuse", (24,))]
    assert "known to cause an error" not in report.claim


def test_the_condition_is_told_and_what_derives_from_the_type_apart() -> None:
    claim = Asked(JAVA).ask("when is GateException thrown?").claim
    assert "Gate.open (gate/Gate.java:6, `if (name == null)`; :9, `if (name.isEmpty())`)" in claim
    assert (
        "derives from it (LockedException) is raised by Gate.close (gate/Gate.java:14, `if (name.eq" in claim
    )
    assert "It is caught by Gate.enter" in claim
    assert "It is only made, and not raised, by Gate.watch" in claim


def test_lines_of_any_language_count() -> None:
    texts = {
        "bolt.py": "class NoBolt(Exception):\n    pass\n\n\ndef turn(bolt):\n    if bolt is None:\n"
        "        raise NoBolt(bolt)\n    try:\n        go()\n    except NoBolt:\n        pass\n",
        "bolt.ts": "export class NoBolt extends Error {}\n\nexport function push(bolt?: string) {\n"
        "    if (!bolt) {\n        return Promise.reject(new NoBolt());\n    }\n}\n",
        "Bolt.swift": "enum NoBolt: Error { case gone }\n\nfunc pull(_ bolt: String?) throws {\n"
        "    guard let bolt else {\n        throw NoBolt.gone\n    }\n}\n",
        "Bolt.cs": "class Door {\n    void Slam(string bolt) {\n        var error = new NoBolt();\n"
        "        if (bolt == null)\n            throw error;\n    }\n}\n",
        "Bolt.kt": 'fun lift(bolt: String?) {\n    bolt ?: throw NoBolt("gone")\n}\n',
    }
    report = Asked(texts).ask("who raises NoBolt?")
    found = {(one.path, *one.lines) for one in report.findings if one.role is Role.RAISES}
    assert found == {("bolt.py", 7), ("bolt.ts", 5), ("Bolt.swift", 5), ("Bolt.cs", 5), ("Bolt.kt", 2)}


def test_an_error_that_is_declared_elsewhere_is_found_by_its_name() -> None:
    texts = {"a.py": "def read(row):\n    if not row:\n        raise ValueError('no row')\n"}
    assert (
        "ValueError is raised by a.read (a.py:3, `if not row`)"
        in Asked(texts).ask("who raises ValueError?").claim
    )


def test_what_is_no_error_is_called_and_a_function_has_errors() -> None:
    texts = {"a.py": "class Bell: ...\n\n\ndef ring():\n    Bell()\n    raise ValueError('x y')\n"}
    assert Asked(texts).ask("who raises Bell?").reading.form is Form.CALLERS
    assert Asked(texts).ask("which errors does ring raise?").reading.form is Form.ERRORS


def test_an_error_that_a_function_of_ruby_ends_with_is_made_for_its_callers() -> None:
    texts = {
        "setup.py": "def install():\n    return 1\n",
        "lib/errors.rb": "module Depot\n  class Locked < StandardError\n  end\nend\n",
        "lib/gate.rb": "class Gate\n  def refuse(why)\n    case why\n    when :key\n"
        '      Depot::Locked.new("locked")\n    end\n  end\nend\n',
        "lib/log.rb": "class Log\n  def note\n    write(Depot::Locked.new)\n  end\nend\n",
    }
    report = Asked(texts).ask("when is Depot::Locked raised?")
    assert {one.path: one.role for one in report.findings} == {
        "lib/gate.rb": Role.GIVES_ERROR,
        "lib/log.rb": Role.MAKES_ERROR,
    }


def test_an_error_of_go_is_raised_where_it_is_returned() -> None:
    texts = {
        "go.mod": "module example.org/rows\n",
        "rows.go": "package rows\n\ntype LostError struct {\n\tid int\n}\n\n"
        'func (e LostError) Error() string {\n\treturn "lost"\n}\n\n'
        "func Find(id int) (*Row, error) {\n\tif id < 0 {\n\t\treturn nil, LostError{id}\n\t}\n"
        "\treturn read(id)\n}\n\nfunc IsLost(err error) bool {\n\tvar lost LostError\n"
        "\treturn errors.As(err, &lost)\n}\n",
    }
    claim = Asked(texts).ask("who raises LostError?").claim
    assert claim == "rows.LostError (rows.go:3-5) is raised by rows.Find (rows.go:13, `if id < 0`)."


def test_an_error_that_is_mapped_to_is_raised_and_one_that_is_tested_is_not_made() -> None:
    texts = {
        "src/lib.rs": "pub enum ScanError {\n    Empty,\n    Number(ParseIntError),\n}\n\n"
        "pub fn scan(row: &str) -> Result<u8, ScanError> {\n"
        "    let number = row.parse().map_err(ScanError::Number)?;\n    Ok(number)\n}\n",
        "rows.py": "class ScanError(Exception): ...\n\n\ndef keep(error):\n"
        "    return ScanError.is_one(error)\n",
        "rows.js": "function end(error) {\n"
        "  stop(error instanceof ScanError ? error : new EndError(error));\n}\n",
    }
    report = Asked(texts).ask("who raises ScanError?")
    assert list_role(report, Role.RAISES) == [("scan", (7,))]
    assert not [one for one in report.findings if one.path.startswith("rows.") and one.hop]


def test_a_type_that_derives_from_one_of_the_library_of_cpp_is_raised() -> None:
    texts = {
        "post.cpp": "#include <stdexcept>\n\nstruct Lost : std::runtime_error {\n"
        '    Lost() : runtime_error("lost") {}\n'
        "};\n\nvoid find(int id) {\n    if (id < 0)\n        throw Lost();\n}\n"
    }
    report = Asked(texts).ask("who throws Lost?")
    assert report.reading.form is Form.RAISED
    assert list_role(report, Role.RAISES) == [("find", (9,))]


def test_an_error_is_raised_where_a_function_gives_its_class() -> None:
    report = Asked(
        {
            "gate/LockedError.js": "class LockedError extends Error {}\nmodule.exports = LockedError;\n",
            "gate/gate.js": """const getLockedError = once(() => require("./LockedError"));
function open(name) {
  if (!name) {
    throw new (getLockedError())(name);
  }
}
""",
        }
    ).ask("when is LockedError raised?")
    assert [(one.symbol, one.lines) for one in report.findings if one.role is Role.RAISES] == [("open", (4,))]


def test_a_limit_names_no_derived_types_where_there_are_none() -> None:
    text = "class LostError extends Error {}\n" + "".join(
        f"function lose{at}() {{\n  throw new LostError({at});\n}}\n" for at in range(MAX_LINES)
    )
    report = Asked({"lost.js": text}).ask("where is LostError raised?")
    assert "lines with LostError" in [one.what for one in report.limits]


def test_functions_that_are_not_noted_are_counted_where_many_raise_an_error() -> None:
    raising = "".join(f"def open{at}(key):\n    raise DoorStuck(key)\n\n\n" for at in range(50))
    files = {"doors.py": f"class DoorStuck(Exception):\n    pass\n\n\n{raising}"}
    claim = Asked(files).ask("who raises DoorStuck?").claim
    assert claim.endswith("and at least 45 more.")
