"""Calls on objects of unknown type: possible users behind the sure ones, unless the name is common."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one, list_found

TITLES = {
    "lib/suite.py": "class Suite:\n    def whole_title(self):\n        return self.path\n\n"
    "    def save(self):\n        return self.whole_title()\n",
    "lib/runnable.py": "class Runnable:\n    def whole_title(self):\n        return self.title\n",
    "lib/report.py": "def clean(test):\n    return [test.whole_title()]\n",
    "lib/kinds.py": "".join(
        f"class Kind{n}:\n    def whole_title(self):\n        return {n}\n\n\n" for n in range(9)
    ),  # so many that no call tells which is meant
    "tests/test_suite.py": "def test_title(given):\n    given.whole_title()\n",
}


def test_what_calls_a_name_of_few_files_on_any_object_is_a_possible_user() -> None:
    for question in ("what breaks if I change `Suite.whole_title`?", "who calls `Suite.whole_title`?"):
        report = Asked(TITLES).ask(question)
        found = find_one(report, "report.clean")
        assert (found.confidence, found.lines) == ("possible", (2,))
        assert (
            "by Suite.save (lib/suite.py:5-6), and perhaps by report.clean (lib/report.py:1-2)."
            in report.claim
        )
        found_ones = list_found(report)
        assert found_ones.index("report.clean") > found_ones.index("suite.Suite.save")
        assert "test_suite.test_title" not in list_found(report)


def test_a_name_that_many_files_declare_or_builtin_types_have_tells_nothing() -> None:
    kind = "class Kind:\n    def whole_title(self):\n        return 1\n"
    others = {f"lib/kind{n}.py": kind for n in range(6)}
    assert "report.clean" not in list_found(Asked(TITLES | others).ask("who calls `Suite.whole_title`?"))
    common = {path: text.replace("whole_title", "append") for path, text in TITLES.items()}
    assert "report.clean" not in list_found(Asked(common).ask("who calls `Suite.append`?"))


def test_of_a_long_user_what_leads_to_the_call_and_uses_its_result_is_shown() -> None:
    steps = "".join(f"        if other{n} > {n}:\n            step({n})\n" for n in range(9))
    text = (
        "from fixer import fix_rows\n\n\ndef run_all(rows):\n    while rows:\n"
        f"{steps}        if rows.many:\n            given = fix_rows(rows)\n{steps}        keep(given)\n"
    )
    texts = {"work.py": text, "fixer.py": "def fix_rows(rows):\n    return [*rows]\n"}
    shown = find_one(Asked(texts).ask("what breaks if I change fix_rows?"), "work.run_all").excerpt
    for line in ("if rows.many:", "given = fix_rows(rows)", "keep(given)"):
        assert line in shown
    assert "if other3 > 3:" not in shown
