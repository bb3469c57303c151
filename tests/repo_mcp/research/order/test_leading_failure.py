"""Asked which errors come up, what is named for the question leads."""

from __future__ import annotations

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


def test_a_question_that_ends_with_when_gets_the_condition_of_each_error() -> None:
    claim = Asked(FILES).ask(ASKED).claim
    assert '"reading the shelf failed" (:11, `catch (Exception exception)`)' in claim


def test_what_fails_below_the_best_function_says_so_though_a_guess_names_it() -> None:
    found = find_one(Asked(FILES).ask(ASKED.replace("ShelfException, ", "")), "ShelfList.Parse")
    assert found.why == "fails, and ShelfList calls it"
