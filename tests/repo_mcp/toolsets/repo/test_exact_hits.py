"""`repo.search` in its exact modes: which lines a page shows, below which declarations."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.live import tree_look
from repo_mcp.live.index_report import is_about_age
from repo_mcp.repository import Repository, no_match
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.searched_roots import LEDGER, build, call, places, search, tell
from tests.written_trees import write_tree


def _read_rows(rows: list[str], sign: str) -> list[tuple[str, str]]:
    """Return the number and the text, without its indentation, of each row that is a line of a file."""
    numbered = re.compile(rf"(\d+)(?:-\d+)?(?: .*?\.)?{sign}(.*)", re.DOTALL)
    return [(row[1], row[2].lstrip()) for row in map(numbered.match, rows) if row]


def test_a_literal_that_no_line_holds(repository: Repository) -> None:
    said = call(repository, "GET_user(", mode="literal")["warnings"]
    assert said == ["With ignore_case it would match in a.py, b/c.py and perhaps others."]
    assert call(repository, "GET_user\\(", mode="regex")["warnings"] == []


def test_a_literal_that_is_saved_while_its_absence_is_explained_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explain = no_match.explain_no_match

    def save_and_explain(*given: Any) -> str:
        (tmp_path / "root" / "new.py").write_text("GET_user(1)\n")
        return explain(*given)

    monkeypatch.setattr(no_match, "explain_no_match", save_and_explain)
    with closing(build(tmp_path / "root")) as repository:
        answer = call(repository, "GET_user(", mode="literal")
    assert places(answer["result"]) == [("new.py", 1)]
    assert answer["warnings"] == []


def test_what_would_match_is_said_whenever_the_tree_was_last_checked(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_look, "CHEAP_LOOK_FILES", 0)
    monkeypatch.setattr(tree_look, "LOOK_REUSE_FACTOR", 1e9)
    monkeypatch.setattr(repository._index.look, "_look", None)
    for ages in (0, 1):  # the first answer is by a look of its own
        warnings = call(repository, "GET_user(", mode="literal")["warnings"]
        assert list(map(is_about_age, warnings)) == [False] + ages * [True]


def test_a_literal_by_path_and_line(repository: Repository) -> None:
    result = search(repository, "get_user(", mode="literal")
    assert places(result) == [("a.py", 1), ("b/c.py", 5), ("tests/test_a.py", 1)]
    assert tell(result["hits"][0]) == {
        "path": "a.py",
        "start_line": 1,
        "end_line": 1,
        "snippet": "1-2\tdef get_user(name):",
    }
    assert (result["total"], result["truncated"], result["total_is_lower_bound"]) == (3, False, False)


def test_exact_text_counts_matches_unless_it_shows_them_and_nothing_else(changing: Repository) -> None:
    (Path(changing.config.root) / "many.py").write_text("anchor()\nother\n" * 4, encoding="utf-8")

    def count(**arguments: object) -> object:
        found = search(changing, "anchor()", mode="literal", file_glob="many.py", **arguments)
        return found.get("total")

    assert count(detail="text") is None
    assert count(detail="text", max_per_file=3) == count(detail="text", context=1) == count() == 4
    nothing = search(changing, "nobody_wrote", mode="literal", detail="text")
    assert (nothing["hits"], nothing["total"]) == ([], 0)


def test_an_exact_hit_tells_each_declaration_once(ledger: Repository) -> None:
    (hit,) = search(ledger, r"import post|def post|post\([13]|def close|def other", mode="regex")["hits"]
    assert tell(hit) == {
        "path": "ledger.py",
        "start_line": 1,
        "end_line": 14,
        "snippet": "1\timport post\n"
        "5-8 in Ledger\tdef post(self):\n6\t    post(1)\n"
        "10-11\tdef close(self):\n11\t    return post(3)\n"
        "14-75\tdef other():",
    }


def test_a_class_that_is_called_as_its_file_is_not_named(tmp_path: Path) -> None:
    row = "  class Row {\n    void add() {\n      far();\n    }\n  }\n"
    java = f"class Ledger {{\n  void post() {{\n    far();\n  }}\n{row}}}\n"
    root = write_tree(tmp_path / "root", {"shop/Ledger.java": java})
    with open_indexed(root) as own:
        (hit,) = search(own, "far", mode="literal")["hits"]
        assert hit["snippet"] == "2-4 .post\n3\tfar();\n6-8 .Row.add\n7\tfar();"


def test_a_declaration_tells_its_span_once(tmp_path: Path) -> None:
    text = "class Till:\n    sum = far\n\n    def fill(self):\n        far()\n\n    last = far\n"
    with open_indexed(tmp_path / "root", {"shop.py": text}) as own:
        (hit,) = search(own, "far", mode="literal", whole_word=True)["hits"]
        assert hit["snippet"] == "1-7 Till\n2\tsum = far\n4-5 .fill\n5\tfar()\nTill\n7\tlast = far"


def test_an_exact_hit_as_text_has_the_same_rows(ledger: Repository) -> None:
    query = r"import post|def post|post\([13]|def close|def other"
    (hit,) = search(ledger, query, mode="regex", detail="text")["hits"]
    assert hit == (
        "ledger.py\n1:import post\n"
        "5-8 in Ledger:def post(self):\n6:    post(1)\n"
        "10-11:def close(self):\n11:    return post(3)\n"
        "14-75:def other():"
    )
    (hit,) = search(ledger, "def post", mode="literal", detail="text")["hits"]
    assert hit == "ledger.py\n5-8 in Ledger:def post(self):"  # without the decorator above it
    (hit,) = search(ledger, "post(4)", mode="literal", detail="text", max_per_file=1)["hits"]
    assert hit == "ledger.py\n14-75 other\n16:post(4)\n+59 more from 17 on"


def test_lines_outside_declarations_are_set_off(changing: Repository) -> None:
    text = "far()\ndef till():\n    far()\n    pass\n\n\nfar()\n"
    (Path(changing.config.root) / "far.py").write_text(text)
    changing.refresh()
    (hit,) = search(changing, "far()", mode="literal")["hits"]
    assert hit["snippet"] == "1\tfar()\n2-4 till\n3\tfar()\n\n7\tfar()"


def test_what_says_little_is_left_out_first_and_it_is_said_where(changing: Repository) -> None:
    text = "from far import one\n# far away\n__all__ = [\n    'far',\n]\nfar(1)\nfar(2)\nfar(3)\n"
    (Path(changing.config.root) / "far.py").write_text(text)
    changing.refresh()
    for most, numbers, left in (
        (2, ["6", "7"], [1, 8]),
        (3, ["6", "7", "8"], [1, 4]),
        (5, ["1", "2"], [4, 4]),
    ):
        asked = {"query": "far", "mode": "literal", "file_glob": "far.py", "max_per_file": most}
        (hit,) = search(changing, **asked)["hits"]
        assert re.findall(r"(\d+)\t", hit["snippet"])[: len(numbers)] == numbers
        assert (hit["more"], hit["more_lines"]) == (6 - most, left)
        (text,) = search(changing, **asked, detail="text")["hits"]
        first, last = left
        assert text.endswith(f"+{6 - most} more in {first if first == last else f'{first}-{last}'}")
    (Path(changing.config.root) / "far.md").write_text("# Far away\n\n* far\n\nfar\n")
    changing.refresh()
    (hit,) = search(changing, "far", mode="literal", file_glob="far.md", ignore_case=True, max_per_file=2)[
        "hits"
    ]
    assert hit["more_lines"] == [5, 5]  # a heading is no comment
    (Path(changing.config.root) / "far.h").write_text(
        "enum place {\n  FAR,\n};\nint a = FAR;\nint b = FAR;\n"
    )
    changing.refresh()
    (hit,) = search(changing, "FAR", mode="literal", file_glob="far.h", max_per_file=2)["hits"]
    assert hit["more_lines"] == [5, 5]  # where a value is declared says much


def test_what_a_line_names_itself_is_not_named_before_it(changing: Repository) -> None:
    go = "package a\n\nfunc (l *Ledger) Post() {\n}\n\nfunc (l *List[T]) Pull() {\n\tPost()\n}\n"
    cpp = "void Ledger::Post() {\n}\n\nclass Bank {\n  void Post() {\n  }\n};\n"
    for name, text in (("a.go", go), ("a.cpp", cpp)):
        (Path(changing.config.root) / name).write_text(text)
    changing.refresh()
    query = {"query": r"Post\(|Pull\(", "mode": "regex", "file_glob": "a.*", "detail": "text"}
    cpp_hit, go_hit = search(changing, **query)["hits"]
    assert go_hit == "a.go\n3-4:func (l *Ledger) Post() {\n6-8:func (l *List[T]) Pull() {\n7:\tPost()"
    assert cpp_hit == "a.cpp\n1-2:void Ledger::Post() {\n5-6 in Bank:void Post() {"
    (ranked,) = search(changing, "Ledger.Post", mode="symbol", detail="text", file_glob="a.go", top_k=1)[
        "hits"
    ]
    assert ranked.split("\n")[:2] == ["a.go", "3-4:func (l *Ledger) Post() {"]


@pytest.mark.parametrize("mode", ["bm25", "symbol", "literal"])
def test_hits_as_text_show_the_same_lines(changing: Repository, mode: str) -> None:
    (Path(changing.config.root) / "odd.py").write_text("def get_user():\n    x\t= '1\t2\x0c3 4'\n")
    changing.refresh()
    hits = search(changing, "get_user", mode=mode, detail="snippets")["hits"]
    texts = search(changing, "get_user", mode=mode, detail="text")["hits"]
    files: dict[str, list[Any]] = {}
    for hit in hits:
        files.setdefault(hit["path"], []).append(hit)
    for (hit, *others), text in zip(files.values(), texts, strict=True):
        path, *rows = text.split("\n")
        assert path == hit["path"]
        shown = [row for one in (hit, *others) for row in _read_rows(one["snippet"].split("\n"), "\t")]
        assert shown == _read_rows(rows, ":")
        if hit.get("symbol"):
            first, last = hit["symbol_lines"]
            assert rows[0].startswith(f"{first}-{last}" if first < last else f"{first}:")
            assert hit["symbol"].rpartition(".")[2] in rows[0]


def test_what_a_declaring_line_lies_in_is_named_before_it(ledger: Repository) -> None:
    (hit,) = search(ledger, r"def close|def other", mode="regex", detail="text")["hits"]
    assert hit == "ledger.py\n10-11 in Ledger:def close(self):\n14-75:def other():"
    ranked, *_ = search(ledger, "close", mode="symbol", detail="text")["hits"]
    assert ranked == "ledger.py\n10-11 in Ledger:def close(self):\n11:    return post(3)"


def test_sections_of_one_document_name_what_they_lie_in_once(changing: Repository) -> None:
    text = "# News\n\n## 0.33 (May)\n\nfar away\n\n## 0.30 (April)\n\nfar off\n\n# Ends\n\nfar\n"
    (Path(changing.config.root) / "news.md").write_text(text)
    changing.refresh()
    (text,) = search(changing, "far", mode="literal", file_glob="news.md", detail="text")["hits"]
    assert (
        text == "news.md\n3-5 News.0.33 (May)\n5:far away\n7-9 .0.30 (April)\n9:far off\n11-13 Ends\n13:far"
    )


def test_a_heading_with_a_number_lies_in_nothing(changing: Repository) -> None:
    (Path(changing.config.root) / "a.md").write_text("# 2.1 Posting\n\nPost it.\n")
    changing.refresh()
    query = {"query": "2.1 Posting", "file_glob": "a.md", "detail": "text"}
    for mode in ("bm25", "literal"):
        (hit,) = search(changing, mode=mode, **query)["hits"]
        assert hit.split("\n")[:2] == ["a.md", "1-3:# 2.1 Posting"]


def test_lines_around_matches_are_shown_once(ledger: Repository) -> None:
    (hit,) = search(ledger, r"post\([13]", mode="regex", context=3)["hits"]
    assert (hit["start_line"], hit["end_line"]) == (3, 14)
    shown = [line.partition("\t") for line in hit["snippet"].splitlines() if "\t" in line]
    texts = [text.strip() for text in LEDGER.splitlines()]
    assert [(number, text.strip()) for number, _, text in shown] == [
        (str(number), texts[number - 1]) for number in range(3, 15)
    ]


def test_lines_around_matches_stand_below_their_own_declaration(changing: Repository) -> None:
    texts = {
        "far.py": "class Far:\n    def far(self):\n        return 1\n\n\n"
        "def near():\n    return Far().far()\n",
        "use.py": "from far import near\n\ndef use():\n    return near()\n",
    }
    for name, text in texts.items():
        (Path(changing.config.root) / name).write_text(text)
    changing.refresh()
    asked = {"mode": "regex", "context": 9, "detail": "text"}
    (far,) = search(changing, r"return 1|Far\(\)", file_glob="far.py", **asked)["hits"]
    assert far == (
        "far.py\n1:class Far:\n2-3 Far.far\n2:def far(self):\n3:    return 1\n4:\n5:\n"
        "6-7 near\n6:def near():\n7:    return Far().far()"
    )
    (use,) = search(changing, "near", file_glob="use.py", **asked)["hits"]
    assert use == "use.py\n1:from far import near\n2:\n3-4 use\n3:def use():\n4:    return near()"


def test_one_file_does_not_fill_a_page_and_what_is_left_out_is_counted(changing: Repository) -> None:
    for name in range(30):
        (Path(changing.config.root) / f"z{name:02}.py").write_text("    post(4)\n" * 6)
    changing.refresh()
    result = search(changing, "post(4)", mode="literal")
    assert [hit["path"] for hit in result["hits"]] == [
        "ledger.py",
        *(f"z{name:02}.py" for name in range(9)),
    ]
    assert [hit["more"] for hit in result["hits"]] == [55, *[1] * 9]
    assert all(hit["snippet"].count("\t") == 5 for hit in result["hits"])
    assert (result["total"], result["total_is_lower_bound"], result["truncated"]) == (144, True, True)
    said = call(changing, "post(4)", mode="literal")["warnings"]
    assert [one for one in said if one.startswith("At least 144 lines match")]
    assert not call(changing, "post(4)", mode="literal", detail="text")["warnings"]
    (alone,) = search(changing, "post(4)", mode="literal", file_glob="ledger.py")["hits"]
    assert (alone["snippet"].count("\t"), alone["more"]) == (50, 10)  # there is room for them
    (asked,) = search(changing, "post(4)", mode="literal", file_glob="ledger.py", max_per_file=2)["hits"]
    assert (asked["snippet"].count("\t"), asked["more"]) == (2, 58)
    whole = search(changing, "post(4)", mode="literal", file_glob="ledger.py", max_per_file=200)
    assert tell(whole["hits"][0]).get("more") is None
    assert not whole.get("truncated")


def test_a_page_of_exact_matches_has_ten_files_or_a_few_more_if_these_are_all(changing: Repository) -> None:
    root = Path(changing.config.root)
    for at in range(15):
        (root / f"d{at:02}.py").write_text("anchor()\n")
    result = search(changing, "anchor()", mode="literal")
    assert (len(result["hits"]), result["total"], "cursor" in result) == (15, 15, False)
    assert len(search(changing, "anchor()", mode="literal", top_k=10)["hits"]) == 10
    (root / "d15.py").write_text("anchor()\n")
    first = search(changing, "anchor()", mode="literal")
    rest = search(changing, "anchor()", mode="literal", cursor=first["cursor"])
    assert [len(first["hits"]), len(rest["hits"])] == [10, 6]
    assert "cursor" not in rest


def test_of_few_lines_none_is_left_out(changing: Repository) -> None:
    root = Path(changing.config.root)
    for name, count in {"a.py": 11, "b.py": 6, **{f"c{at}.py": 1 for at in range(8)}}.items():
        (root / name).write_text("sail()\n" * count)
    result = search(changing, "sail()", mode="literal")
    assert (len(result["hits"]), result["total"]) == (10, 25)
    assert sum(hit["snippet"].count("\t") for hit in result["hits"]) == 25
    assert not result.get("truncated")
    (root / "c0.py").write_text("sail()\n" * 2)
    cut = search(changing, "sail()", mode="literal")
    assert [hit["more"] for hit in cut["hits"]] == [6, 1, *[0] * 8]


def test_a_match_of_several_lines_shows_them_all(ledger: Repository) -> None:
    (hit,) = search(ledger, "(1)\n        post(2)\n        return", mode="literal")["hits"]
    assert (hit["start_line"], hit["end_line"]) == (6, 8)
    assert hit["snippet"] == "4-8 Ledger.post\n6\tpost(1)\n7\tpost(2)\n8\treturn None"


def test_an_expression(repository: Repository) -> None:
    assert places(search(repository, r"^\s+return .*\[", mode="regex")) == [("a.py", 2)]
    assert places(search(repository, r"user\n\n+def", mode="regex")) == [("b/c.py", 1)]


def test_case_whole_words_and_filters(repository: Repository) -> None:
    assert places(
        search(repository, "get_user", mode="literal", ignore_case=True, language="typescript")
    ) == [("b/user.ts", 2)]
    (shown,) = search(repository, "get_user", mode="literal", whole_word=True, file_glob="b/c.py")["hits"]
    assert "4\t" not in shown["snippet"]
    found = search(repository, "get_user", mode="literal", include_tests=False, file_glob="*.py", top_k=1)
    assert places(found) == [("a.py", 1)]
    assert found["truncated"]


def test_files_and_counts(repository: Repository) -> None:
    files = search(repository, "get_user", mode="literal", detail="files")
    assert files["hits"] == []
    assert files["files"] == [
        {"path": "a.py", "hits": 1},
        {"path": "b/c.py", "hits": 3},
        {"path": "tests/test_a.py", "hits": 1},
        {"path": "hiding.txt", "hits": 1},
    ]
    count = search(repository, "get_user", mode="literal", detail="count", top_k=1)
    assert (count["hits"], count["total"], count["truncated"]) == ([], 6, False)
    assert count["files"] == []


def test_what_may_hide_text_is_said(repository: Repository) -> None:
    envelope = call(repository, "reversed", mode="literal")
    assert envelope["warnings"] == ["Control or bidirectional characters may hide text: hit 1."]


@pytest.mark.parametrize(
    ("query", "what"), [("(", "missing )"), ("a**", "at character 2"), ("x" * 10_001, "10,000")]
)
def test_bad_expressions_say_what_is_wrong(repository: Repository, query: str, what: str) -> None:
    envelope = call(repository, query, mode="regex")
    assert envelope["error"]["code"] == "invalid_argument"
    assert what in envelope["error"]["message"]


def test_blanks_are_text_to_look_for(repository: Repository) -> None:
    assert search(repository, "    ", mode="literal")["total"] == 2
    assert search(repository, "\0", mode="literal")["total"] == 0


def test_a_cancelled_search_stops(repository: Repository) -> None:
    assert not call(repository, "get_user", mode="literal", cancelled=True)["ok"]


def test_an_exact_search_without_an_index_reads_every_file(tmp_path: Path) -> None:
    """It never misses a file: a ranked search has to wait for the index, this one need not."""
    (tmp_path / "a.py").write_text("def get_user():\n")
    repository = Repository(load_config(str(tmp_path)))
    for mode, query in (("literal", "get_user("), ("regex", r"^def \w+\(")):
        result = search(repository, query, mode=mode)
        assert places(result) == [("a.py", 1)]
        assert not result["total_is_lower_bound"]
    assert call(repository, "get_user")["error"]["code"] == "index_unavailable"
    repository.close()


def test_an_exact_search_of_an_index_that_may_lack_files_reads_every_file(
    tmp_path: Path, changing: Repository
) -> None:
    (tmp_path / "root" / "late.py").write_text("get_user(1)\n")
    for record in (tmp_path / "root").glob(".repo_mcp/index-*/seen"):
        record.unlink()
    again = Repository(load_config(str(tmp_path / "root")))
    envelope = call(again, "get_user(1)", mode="literal")
    assert places(envelope["result"]) == [("late.py", 1)]
    assert envelope["warnings"] == []
    again.close()


def test_exact_hits_of_the_program_come_before_those_of_tests_and_documents(changing: Repository) -> None:
    more = {
        "docs/use.md": "post(4)\n",
        "aaa/test_post.py": "post(4)\n",
        "conf/post.toml": "a = 'post(4)'\n",
        "vendor/post.py": "post(4)\n",
        "zzz.py": "post(4)\n",
    }
    order = ["ledger.py", "zzz.py", "conf/post.toml", "aaa/test_post.py", "docs/use.md", "vendor/post.py"]
    for path, text in more.items():
        (Path(changing.config.root) / path).parent.mkdir(exist_ok=True)
        (Path(changing.config.root) / path).write_text(text)
    for _ in range(2):  # before they are indexed, and then
        page = search(changing, "post(4)", mode="literal", detail="text", top_k=2)
        hits = page["hits"]
        while "cursor" in page:
            page = search(changing, "post(4)", mode="literal", detail="text", top_k=2, cursor=page["cursor"])
            hits = hits + page["hits"]
        assert [hit.partition("\n")[0] for hit in hits] == order
        changing.refresh()
