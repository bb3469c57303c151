"""Asked which errors come up, what is named for the question leads; what lets errors out is told."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked, find_one, list_found

LOADER = """class ShelfLoader {
    private Shelf ReadShelfListFile(Shop shop, string path) {
        try {
            return new ShelfList(path);
        } catch (Exception ex) {
            if (ex.MustBeRaised() || shop.IsStrict)
                throw;
            Logger.Error(ex, "no list");
            return CreateEmptyShelf(path);
        }
    }

    private Shelf CreateEmptyShelf(string path) {
        return new Shelf(path);
    }
}
"""
JUDGES = """static class Faults {
    public static bool MustBeRaised(this Exception exception) {
        var isList = exception is ShelfException;
        if (!exception.IsLogged()) {
            Logger.Error(exception, "a fault of reading a shelf list file");
        }
        return isList;
    }

    public static bool IsLogged(this Exception exception) {
        return exception.Data["logged"] != null;
    }
}
"""
LISTS = """class ShelfList {
    public ShelfList(string path) { Parse(path, 1); }
    public ShelfList(Uri path) { Parse(path.Text, 2); }

    public void Reload(string path) { Parse(path, 3); }

    private void Parse(string path, int depth) {
        try {
            Split(path, depth);
        } catch (Exception exception) {
            throw new ShelfException("reading the shelf failed", exception);
        }
    }
}
"""
LOGGER = """static class Logger {
    public static void Error(Exception ex, string text) {
        if (text == null) throw new LogException("no text to log");
        sink.Put(text);
    }
}
"""
FILES = {"Logger.cs": LOGGER, "Loader.cs": LOADER, "Faults.cs": JUDGES, "Lists.cs": LISTS}
ASKED = "Which errors can reading a shelf list file raise and when? (ShelfException, MustBeRaised, Parse)"


def test_what_only_judges_an_error_leaves_the_lead_to_what_is_named_for_the_question() -> None:
    found = list_found(Asked(FILES).ask(ASKED))
    assert found[0] == "ShelfLoader.ReadShelfListFile"
    assert not {"Faults.MustBeRaised", "Faults.IsLogged"} & {*found[:3]}


def test_errors_of_a_logger_are_none_of_what_logs() -> None:
    assert "LogException" not in Asked(FILES).ask(ASKED).claim


def test_the_condition_under_which_a_caught_error_is_raised_again_is_told() -> None:
    claim = Asked(FILES).ask(ASKED).claim
    assert (
        "ShelfLoader.ReadShelfListFile re-raises what it catches only under"
        " `if (ex.MustBeRaised() || shop.IsStrict)` (Loader.cs:6)." in claim
    )


def test_a_question_that_ends_with_when_gets_the_condition_of_each_error() -> None:
    claim = Asked(FILES).ask(ASKED).claim
    assert '"reading the shelf failed" (:11, `catch (Exception exception)`)' in claim


@pytest.mark.parametrize(
    ("again", "is_told"),
    [
        ("if strict:\n            raise", True),
        ("if strict:\n            raise error", True),
        ("raise", False),
    ],
)
def test_only_an_error_that_leaves_under_a_condition_is_told_so(again: str, is_told: bool) -> None:
    code = (
        "def read_shelf_file(path, strict):\n    if not path:\n        raise NoShelf('no shelf file')\n"
        f"    try:\n        return split(path)\n    except OSError as error:\n        {again}\n"
    )
    claim = Asked({"shelf.py": code}).ask("which errors can reading the shelf file raise?").claim
    assert "NoShelf" in claim
    assert ("re-raises what it catches only under `if strict`" in claim) is is_told


def test_a_condition_that_is_told_with_an_error_is_not_told_again() -> None:
    code = (
        "def read_shelf_file(path, strict):\n    if strict:\n        raise NoShelf('no shelf file')\n"
        "    try:\n        return split(path)\n    except OSError as error:\n        if strict:\n"
        "            raise\n    return None\n"
    )
    claim = Asked({"shelf.py": code}).ask("which errors can reading the shelf file raise and when?").claim
    assert claim == (
        "Errors that arise in shelf.read_shelf_file (shelf.py:1-9):"
        ' NoShelf "no shelf file" (:3, `if strict`) and OSError (:8, `if strict`).'
    )


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("    if error:\n        raise error\n", ""),  # nothing is caught
        (
            "    try:\n        return split(path)\n    except OSError as error:\n        if strict:\n"
            "            raise\n    try:\n        return cut(path)\n    except OSError:\n        raise\n",
            "re-raises what it catches under `if strict`",
        ),
        (
            "    try:\n        return split(path)\n    except OSError as error:\n        if strict:\n"
            "            raise\n    return None\n",
            "re-raises what it catches only under `if strict`",
        ),
    ],
)
def test_only_what_is_caught_is_let_out_and_only_where_nothing_else_lets_it_out(body: str, told: str) -> None:
    code = (
        "def read_shelf_file(path, strict, error):\n"
        f"    if not path:\n        raise NoShelf('no shelf file')\n{body}"
    )
    claim = Asked({"shelf.py": code}).ask("which errors can reading the shelf file raise?").claim
    assert "NoShelf" in claim
    assert told in claim
    assert ("re-raises" in claim) is bool(told)


def test_what_fails_below_the_best_function_says_so_though_a_guess_names_it() -> None:
    found = find_one(Asked(FILES).ask(ASKED.replace("ShelfException, ", "")), "ShelfList.Parse")
    assert found.why == "fails, and ShelfList calls it"
