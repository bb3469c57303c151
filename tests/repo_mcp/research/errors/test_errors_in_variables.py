"""Errors that a function raises again, and what only looks like one: clauses, names, implementers."""

from __future__ import annotations

from repo_mcp.research.errors.made import MAX_ERRORS
from repo_mcp.research.errors.variables import find_maker, list_collected, name_held
from tests.growth import BOUND, measure_growth
from tests.repo_mcp.research.asking import Asked, drop_conditions

GATE = """package gate;

class Gate {
    Lock lock;
    void open(String name) throws GateException {
        GateException last = null;
        try {
            lock.turn(name);
        }
        catch (LockedException ex) {
            throw ex;
        }
        catch (GateException ex) {
            last = ex;
        }
        Note note = new Note(new RustError("seen"));
        RustError rust = new RustError("seen it twice");
        if (last != null) {
            throw last;
        }
    }
}
"""
TYPES = {
    "gate/GateException.java": "package gate;\nclass GateException extends RuntimeException {}\n",
    "gate/LockedException.java": "package gate;\nclass LockedException extends GateException {}\n",
    "gate/RustError.java": "package gate;\nclass RustError implements Flag {\n}\n",
    "gate/Lock.java": "package gate;\ninterface Lock {\n    void turn(String name);\n}\n",
}


def write_lock(name: str) -> str:
    return (
        f"package gate;\nclass {name} implements Lock {{\n    public void turn(String name) {{\n"
        f'        throw new {name}Exception("stuck in {name}");\n    }}\n}}\n'
    )


def test_what_is_caught_or_kept_is_named_where_it_is_raised_again() -> None:
    claim = Asked({"gate/Gate.java": GATE, **TYPES}).ask("which errors does Gate.open throw and when?").claim
    assert "LockedException (gate/Gate.java:11, `catch (LockedException ex)`)" in claim
    assert "GateException (gate/Gate.java:19, `if (last != null)`)" in claim


def test_a_clause_and_a_type_that_cannot_be_raised_are_no_errors() -> None:
    claim = Asked({"gate/Gate.java": GATE, **TYPES}).ask("which errors does Gate.open throw?").claim
    assert "Gate.java:5" not in claim.replace("Gate.java:5-", "")
    assert "RustError" not in claim


def test_a_bare_raise_has_the_errors_of_its_clause() -> None:
    text = "def read(row):\n    try:\n        go(row)\n    except (KeyError, ValueError):\n        raise\n"
    claim = drop_conditions(Asked({"a.py": text}).ask("which errors does read raise?").claim)
    assert "KeyError (a.py:5) and ValueError (a.py:5)" in claim


def test_errors_of_many_implementers_are_not_told_but_that_they_depend_on_these() -> None:
    locks = {f"gate/{name}.java": write_lock(name) for name in ("Bolt", "Hook", "Latch")}
    claim = Asked({"gate/Gate.java": GATE, **TYPES, **locks}).ask("which errors does Gate.open throw?").claim
    assert "stuck in" not in claim
    assert "Further errors depend on what implements Lock.turn (gate/Lock.java:3)." in claim


def test_a_variable_is_followed_however_it_is_raised() -> None:
    text = (
        "export function findRow(rows) {\n  return new Promise((resolve, reject) => {\n"
        "    const lost = new LostError('there is no row');\n    lost.rows = rows;\n    reject(lost);\n"
        "  });\n}\n"
    )
    claim = Asked({"rows.js": text}).ask("which errors does findRow raise?").claim
    assert claim == 'Errors that arise here: LostError "there is no row" (rows.js:5).'


def test_a_function_that_raises_variables_everywhere_is_read_in_linear_time() -> None:
    def follow(lines: list[str]) -> None:
        for at in range(2, len(lines) + 1):
            name_held(lines, 1, at)
            find_maker(lines, 1, at)

    growth = measure_growth(lambda size: ["void open() {", *["    throw ex;"] * size], follow, 300)
    assert growth < BOUND


def test_a_function_that_fills_lists_everywhere_is_read_in_linear_time() -> None:
    def fill(size: int) -> list[str]:
        return ["void open() {", *(f"    found{at}.add(ex);" for at in range(size))]

    assert measure_growth(fill, lambda lines: list_collected(lines, 1, len(lines)), 300) < BOUND


JUDGE = """class Judge
{
    public void Check(Parcel[] parcels)
    {
        List<Exception> found = [];
        foreach (var parcel in parcels)
        {
            if (parcel.Label == null)
            {
                found.Add(new LabelException(parcel));
            }
            try
            {
                parcel.Weigh();
            }
            catch (Exception lost)
            {
                found.Add(lost);
            }
        }
        if (found.Count > 1)
        {
            throw new AggregateException(found);
        }
        if (found.Count > 0)
        {
            throw found[0];
        }
    }
}
"""


def test_errors_that_are_kept_in_a_list_are_told_with_the_lines_that_raise_it() -> None:
    claim = Asked({"Judge.cs": JUDGE}).ask("which errors does Judge.Check throw?").claim
    assert (
        "`found` keeps errors (Judge.cs:10) and what is caught (:18) until it is raised (:23, :27)."
    ) in claim


def test_of_many_lines_that_fill_a_list_of_errors_the_first_are_told() -> None:
    one = "found.Add(new LabelException(parcel));"
    text = JUDGE.replace(one, "\n                ".join([one] * 40))
    claim = Asked({"Judge.cs": text}).ask("which errors does Judge.Check throw?").claim
    assert f", :{10 + MAX_ERRORS - 1}, {40 - MAX_ERRORS} more) and what is caught (:57) until" in claim


def test_a_list_of_errors_that_is_only_returned_raises_none() -> None:
    text = JUDGE.replace("throw new AggregateException(found)", "Log(found)").replace(
        "throw found[0]", "return"
    )
    assert list_collected(text.splitlines(), 3, 30) == []


def test_a_clause_with_its_brace_on_the_next_line_says_what_is_raised_again() -> None:
    lines = ["catch (LockedException lost)", "{", "    throw;", "}"]
    assert name_held(lines, 1, 3) == ["LockedException"]
