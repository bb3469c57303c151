"""How something works that only sets a field: what reads the field, and what that calls, is told."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one, list_found

QUERIES = {
    "shelf/query.py": """class Query:
    def __init__(self):
        self.with_related = False

    def add_with_related(self, names):
        self.with_related = names


class Shelf:
    def __init__(self):
        self.query = Query()

    def with_related(self, *names):
        if not names:
            self.query.with_related = True
        else:
            self.query.add_with_related(names)
        return self
""",
    "shelf/compiler.py": """class Compiler:
    def is_wide(self):
        return bool(self.query.with_related)

    def compile(self):
        columns = []
        if self.query.with_related:
            columns += self.get_with_related_columns()
        return columns

    def get_with_related_columns(self):
        return [name for name in self.query.names if follows_related(name)]


def follows_related(name):
    return not name.startswith("_")
""",
    "shelf/users.py": "".join(
        f"def use_{at}(shelf):\n    return shelf.with_related('name')\n\n\n" for at in range(40)
    ),
}
BUILDER = {
    "src/Builder.java": """package app;

public class Builder {
  private boolean strictNumbers;
  private boolean replacement;

  @Inline(
      replacement = "this.setMode(1)")
  public Builder setStrict() {
    boolean local = false;
    local = true;
    strictNumbers = true;
    if (local) return strictNumbers;
    return this;
  }

  public int read(String text) {
    if (strictNumbers && text.isEmpty()) {
      throw new IllegalStateException("empty");
    }
    return text.length();
  }

  public boolean uses(boolean local) {
    return local == replacement;
  }
}
"""
}


def test_a_field_named_like_what_sets_it_is_told_from_its_calls() -> None:
    report = Asked(QUERIES).ask("how does with_related work?")
    assert list_found(report) == [
        "query.Shelf.with_related",
        "query.Query.add_with_related",
        "compiler.Compiler.compile",
        "compiler.Compiler.get_with_related_columns",
        "compiler.follows_related",
        "compiler.Compiler.is_wide",
    ]
    assert "self.query.with_related = True" in find_one(report, "query.Shelf.with_related").excerpt
    assert find_one(report, "compiler.follows_related").why == "called by get_with_related_columns"
    assert report.claim.endswith(
        " What it sets is read by Compiler.compile (shelf/compiler.py:5-9) and Compiler.is_wide"
        " (shelf/compiler.py:2-3), and handed on to Compiler.get_with_related_columns"
        " (shelf/compiler.py:11-12). Compiler.get_with_related_columns calls compiler.follows_related"
        " (shelf/compiler.py:15-16)."
    )


def test_a_field_without_an_owner_is_one_but_a_variable_or_an_argument_is_none() -> None:
    report = Asked(BUILDER).ask("how does setStrict work?")
    assert list_found(report) == ["app.Builder.setStrict", "app.Builder.read"]
    assert "calls nothing that the repository declares. What it sets is read by Builder.read" in report.claim


def test_the_function_that_is_asked_for_is_shown_nearly_whole() -> None:
    steps = "".join(f"    step_{at} = prepare_one_more_step(step={at})\n" for at in range(40))
    report = Asked({"steps.py": f"def take_steps():\n{steps}    return step_39\n"}).ask(
        "how does take_steps work?"
    )
    assert "step_35 = " in find_one(report, "steps.take_steps").excerpt
