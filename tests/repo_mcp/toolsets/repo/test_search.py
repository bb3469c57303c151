"""`repo.search` in its modes: what a client gets for one small repository."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.live import tree_look
from repo_mcp.live.index_report import is_about_age
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.ranking import ranked_answer
from repo_mcp.ranking.direct_hits import scope
from repo_mcp.ranking.files.ranking import OrderedFiles, order_files
from repo_mcp.ranking.page.snippets import ShownHits, show_hits
from repo_mcp.ranking.ranked_answer import count_above
from repo_mcp.repository import Repository, no_match
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.lean_answers import read_answer
from tests.repo_mcp.toolsets.repo.repo_calls import call as call_tool
from tests.repo_mcp.toolsets.repo.repo_calls import get_tool
from tests.written_trees import write_tree

FILES = {
    "a.py": "def get_user(name):\n    return users[name]\n",
    "b/c.py": "from a import get_user\n\n\ndef get_user_name():\n    return get_user('x').name\n",
    "b/user.ts": "function getUser() {}\nconst User = 'get_USER';\n",
    "tests/test_a.py": "assert get_user('x')\n",
    "hiding.txt": "get_user \u202e reversed\n",
}


def build(root: Path, **more: str) -> Repository:
    for path, text in (FILES | {f"{name}.py": text for name, text in more.items()}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    repository = Repository(load_config(str(root)))
    repository.refresh()
    return repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with closing(build(tmp_path_factory.mktemp("search") / "root")) as repository:
        yield repository


def call(repository: Repository, query: str, *, cancelled: bool = False, **arguments: Any) -> dict[str, Any]:
    tool = get_tool(repository, "repo.search")
    answer = tool.call({"query": query, **arguments}, CallContext(lambda: cancelled))
    envelope = json.loads(answer.text)
    return cast(dict[str, Any], read_answer(tool.output_schema, envelope))


def search(repository: Repository, query: str, **arguments: Any) -> dict[str, Any]:
    envelope = call(repository, query, **arguments)
    assert envelope["ok"], envelope
    return cast(dict[str, Any], envelope["result"])


def tell(hit: dict[str, Any]) -> dict[str, Any]:
    """Return what a hit says: without the fields that say nothing."""
    return {name: value for name, value in hit.items() if value}


def places(result: dict[str, Any]) -> list[tuple[str, int]]:
    return [(hit["path"], hit["start_line"]) for hit in result["hits"]]


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


LEDGER = "".join(
    [
        "import post\n",
        "\n",
        "class Ledger:\n",
        "    @cached\n",
        "    def post(self):\n",
        "        post(1)\n",
        "        post(2)\n",
        "        return None\n",
        "\n",
        "    def close(self):\n",
        "        return post(3)\n",
        "\n",
        "\n",
        "def other():\n",
        "    pass\n",
        *("    post(4)\n" for _ in range(60)),
    ]
)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """Yield the repository with one more file, in which there is much to find."""
    with closing(build(tmp_path_factory.mktemp("ledger") / "root", ledger=LEDGER)) as repository:
        yield repository


@pytest.fixture
def changing(tmp_path: Path) -> Iterator[Repository]:
    """Yield the same, for one test alone."""
    with closing(build(tmp_path / "root", ledger=LEDGER)) as repository:
        yield repository


@pytest.mark.parametrize("mode", ["bm25", "literal", "regex", "symbol"])
def test_a_hit_has_the_fields_of_the_specification_without_being_asked(ledger: Repository, mode: str) -> None:
    """Programs read hits by these names. See docs/decisions/0199-exact-records-as-lean-as-text.md."""
    hits = [tell(hit).keys() for hit in search(ledger, "close", mode=mode)["hits"]]
    assert hits
    assert all({"path", "start_line", "end_line", "snippet"} <= hit for hit in hits)


@pytest.mark.parametrize("mode", ["bm25", "literal"])
def test_text_says_how_many_match_only_if_all_were_counted(changing: Repository, mode: str) -> None:
    for at in range(60):
        (Path(changing.config.root) / f"many{at}.py").write_text("anchor()\n", encoding="utf-8")
    changing.refresh()
    cut = call(changing, "anchor()", mode=mode, detail="text", top_k=10)["result"]
    assert cut["cursor"]
    assert not {"truncated", "total_is_lower_bound"} & {name for name, value in cut.items() if value}
    known = call(changing, "anchor()", mode=mode, detail="count")["result"]
    assert cut.get("total") == (None if mode == "literal" else known["total"])
    few = search(changing, "anchor()", mode=mode, detail="text", file_glob="many1.py")
    assert few.get("total") == (None if mode == "literal" else 1)  # the line is shown


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


def _read_rows(rows: list[str], sign: str) -> list[tuple[str, str]]:
    """Return the number and the text, without its indentation, of each row that is a line of a file."""
    numbered = re.compile(rf"(\d+)(?:-\d+)?(?: .*?\.)?{sign}(.*)", re.DOTALL)
    return [(row[1], row[2].lstrip()) for row in map(numbered.match, rows) if row]


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


def test_only_records_of_ranked_hits_name_the_snapshot(ledger: Repository) -> None:
    for mode in ("bm25", "symbol"):
        assert search(ledger, "post", mode=mode)["snapshot"]
        assert not search(ledger, "post", mode=mode, detail="text").get("snapshot")
    assert not search(ledger, "post", mode="literal").get("snapshot")  # the files themselves were read


def test_text_is_without_the_indentation_that_lines_of_one_declaration_share(changing: Repository) -> None:
    lines = ["def far():", "    if far:", "\tfar()", "", "        far()"]
    (Path(changing.config.root) / "far.md").write_text("\n".join(["    far", "      far", *lines]))
    (Path(changing.config.root) / "far.py").write_text(
        "class Far:\n    def far(self):\n        if far:\n            far()\n"
    )
    changing.refresh()
    (document, code) = reversed(search(changing, "far", mode="literal", detail="text")["hits"])
    assert (
        document == "far.md\n1:    far\n2:      far\n3:def far():\n4:    if far:\n5:\tfar()\n7:        far()"
    )
    assert code == "far.py\n2-4 in Far:def far(self):\n3:    if far:\n4:        far()"
    (code,) = search(changing, "far()", mode="literal", context=1, file_glob="far.py", detail="text")["hits"]
    assert code == "far.py\n2-4 Far.far\n3:if far:\n4:    far()"


def test_what_may_hide_text_is_said_of_hits_as_text(repository: Repository) -> None:
    envelope = call(repository, "reversed", mode="literal", detail="text", explain=True)
    assert "Control or bidirectional characters may hide text: hit 1." in envelope["warnings"]
    assert (
        "Detail text does not take explain." in call(repository, "a", detail="text", explain=True)["warnings"]
    )


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


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("get_user", {"mode": "literal"}),
        ("get_user", {"mode": "literal", "detail": "files"}),
        ("get_user|name", {"mode": "regex", "context": 1}),
        ("get_user", {"mode": "bm25"}),
        ("get_user", {"mode": "symbol"}),
    ],
)
def test_pages_follow_one_another(repository: Repository, query: str, arguments: dict[str, Any]) -> None:
    rows = "files" if arguments.get("detail") == "files" else "hits"
    whole = search(repository, query, **arguments, top_k=50)
    assert not whole.get("cursor")
    pages = [search(repository, query, **arguments, top_k=1)]
    while cursor := pages[-1].get("cursor"):
        pages.append(search(repository, query, **arguments, top_k=2, cursor=cursor))
    assert len(pages) > 1
    assert [hit["path"] for page in pages for hit in page[rows]] == [hit["path"] for hit in whole[rows]]
    again = search(repository, query, **arguments, top_k=1)
    assert again["cursor"] == pages[0]["cursor"]


def test_a_cursor_of_another_search_is_refused(changing: Repository) -> None:
    cursor = search(changing, "get_user", mode="literal", top_k=1)["cursor"]
    for query, mode, given in (("name", "literal", cursor), ("get_user", "bm25", cursor)):
        error = call(changing, query, mode=mode, cursor=given)["error"]
        assert (error["code"], "cursor" in error["message"]) == ("invalid_argument", True)
    (Path(changing.config.root) / "a.py").unlink()
    error = call(changing, "get_user", mode="literal", cursor=cursor)["error"]
    assert "out of date" in error["message"]


@pytest.mark.parametrize("mode", ["bm25", "symbol"])
def test_ranked_hits_span_what_they_show_and_name_the_declaration_around_it(
    ledger: Repository, mode: str
) -> None:
    hit = search(ledger, "Ledger close", mode=mode, file_glob="ledger.py", explain=True)["hits"][0]
    numbers = [int(line.partition("\t")[0]) for line in hit["snippet"].splitlines()]
    assert numbers == sorted(set(numbers))
    assert (numbers[0], numbers[-1]) == (hit["start_line"], hit["end_line"])
    assert hit["chunk_lines"] == [1, 75]
    assert (hit["symbol"], hit["symbol_lines"]) in [("Ledger", [3, 11]), ("Ledger.close", [10, 11])]


def test_a_question_shows_the_declaration_of_a_file_that_answers_it(changing: Repository) -> None:
    """It is in another unit of fifty lines than the words that the file has most of."""
    text = "# a transfer, a transfer of an account\n" * 20 + "".join(
        f"\n\ndef step_{number}(account):\n" + "    account += 1\n" * 40 for number in range(5)
    )
    text += "\n\ndef revert_booking(account):\n    return account.transfer(-1)\n"
    (Path(changing.config.root) / "booking.py").write_text(text)
    changing.refresh()
    hit = search(changing, "how can I revert the transfer of a booking")["hits"][0]
    assert (hit["path"], hit["symbol"]) == ("booking.py", "revert_booking")
    assert hit["symbol_lines"] == [hit["end_line"] - 1, hit["end_line"]]


def test_a_question_shows_the_first_lines_of_further_declarations_of_the_file(changing: Repository) -> None:
    text = "class Entry:\n" + "".join(
        f"    def {name}(self, account):\n" + "        account += 1\n" * 140 + f"        {name} = 1\n\n"
        for name in ("revert", "transfer")
    )
    text += "\ndef transfer_all(accounts):\n" + "    accounts += 1\n" * 140
    (Path(changing.config.root) / "booking.py").write_text(text)
    changing.refresh()
    question = "how can I revert the transfer of a booking"
    hit = search(changing, question)["hits"][0]
    assert hit["symbol"] == "Entry.revert"
    assert hit["snippet"].endswith(
        "\n145\t    def transfer(self, account):\n289\tdef transfer_all(accounts):\n"
    )
    assert hit["end_line"] < 145  # what they are the first lines of is not shown
    shown = search(changing, question, detail="text")["hits"][0]
    assert shown.startswith("booking.py\n2-143 in Entry:def revert(self, account):\n")
    assert shown.endswith("\nalso 145-286 .transfer, 289-429 transfer_all")


def test_a_name_that_is_used_and_declared_nowhere_shows_its_uses_alone(tmp_path: Path) -> None:
    """Settings of YAML and templates are no declarations; what shares the parts of a name is no use of it."""
    settings = {
        "defaults/main.yml": "renew_old_certificates: false\nkube_user: kube\n",
        "tasks/main.yml": "- name: Renew them\n  when: renew_old_certificates\n  owner: '{{ kube_user }}'\n",
        **{f"inventory/{number}.yml": "renew_old_certificates: true\nkube_user: me\n" for number in range(3)},
        "once.yml": "when: renew_very_old_certificates\n",
        "renew.sh.j2": "# renew old certificates\nrenew certificates old\n" * 20,
    }
    for path, text in settings.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    with open_indexed(tmp_path) as repository:
        for query in ("renew_old_certificates", "renew_old_certificates kube_user"):
            found = call(repository, query)
            uses = {(hit["path"], hit["snippet"].split("\t")[1]) for hit in found["result"]["hits"]}
            assert ("defaults/main.yml", "renew_old_certificates: false\n") in uses
            assert ("tasks/main.yml", "  when: renew_old_certificates\n") in uses
            assert not [path for path, _ in uses if path == "renew.sh.j2"]
            assert "No declaration is named `renew_old_certificates`." in found["warnings"]
        filtered = search(repository, "renew_old_certificates", file_glob="*.j2")["hits"]
        assert [hit["path"] for hit in filtered] == ["renew.sh.j2"]
        unknown = search(repository, "renew_older_certificates")["hits"]
        assert "renew.sh.j2" in {hit["path"] for hit in unknown}
        for name in ("renew_very_old_certificates", "when.renew_very_old_certificates"):
            assert search(repository, name)["hits"][0]["path"] == "once.yml"


def test_lines_that_only_import_give_way_to_uses(changing: Repository) -> None:
    imports = "from a import get_user\nfrom b import get_user as other\n"
    uses = "".join(f"\n\ndef f{number}():\n    return get_user({number})\n" for number in range(3))
    (Path(changing.config.root) / "uses.py").write_text(imports + uses)
    changing.refresh()
    request = {"mode": "literal", "file_glob": "uses.py", "detail": "text"}

    def list_numbers(most: int) -> list[int]:
        (hit,) = search(changing, "get_user", max_per_file=most, **request)["hits"]
        return [int(number) for number in re.findall(r"^(\d+):", hit, re.MULTILINE)]

    assert list_numbers(2) == [6, 10]
    assert list_numbers(4) == [1, 6, 10, 14]
    assert list_numbers(5) == [1, 2, 6, 10, 14]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """Yield a repository with six copies of one example, one that was changed, and a file of its own."""
    example = "{}def mend_the_sail(canvas):\n    canvas.mended = {}\n    return canvas\n"
    copies = {f"step{number}/sail": example.format("\n" * number, True) for number in range(6)}
    changed = {"step6/sail": example.format("", False), "yard": "# mend the sail\nYARD = 'sail, mend'\n"}
    with closing(build(tmp_path_factory.mktemp("copies") / "root", **copies, **changed)) as repository:
        yield repository


QUESTION = "how do I mend the sail"


def test_copies_of_what_is_shown_are_named_with_it(copied: Repository) -> None:
    hits = search(copied, QUESTION)["hits"]
    places = ["step1/sail.py:2-4", "step2/sail.py:3-5", "step3/sail.py:4-6", "2 more"]
    assert [(hit["path"], hit["copies"]) for hit in hits] == [
        ("step0/sail.py", places),
        ("step6/sail.py", []),
        ("yard.py", []),
    ]
    rows = search(copied, QUESTION, detail="text")["hits"][0].split("\n")
    assert rows[-1] == f"same lines in {', '.join(places)}"
    assert all("copies" not in tell(hit) for hit in search(copied, QUESTION, explain=True)["hits"])
    text = call_tool(copied, "repo.open_file", path=places[0])["result"]["content"]
    assert text.startswith("2\tdef mend_the_sail")


def test_what_only_begins_alike_is_no_copy(tmp_path: Path) -> None:
    for system, end in (("posix", "fork"), ("windows", "spawn")):
        text = "def start_worker(pool):\n" + "    pool.count += 1\n" * 40 + f"    return pool.{end}()\n"
        (tmp_path / f"{system}.py").write_text(text)
    with open_indexed(tmp_path) as repository:
        for query in ("start_worker", "how is a worker of a pool started"):
            hits = search(repository, query)["hits"]
            assert {hit["path"] for hit in hits} == {"posix.py", "windows.py"}
            assert not any(hit["copies"] for hit in hits)


def test_a_page_goes_on_behind_copies(copied: Repository) -> None:
    first = search(copied, QUESTION, top_k=4)
    assert [hit["path"] for hit in first["hits"]] == ["step0/sail.py", "step6/sail.py"]
    rest = search(copied, QUESTION, top_k=4, cursor=first["cursor"])
    assert [hit["path"] for hit in rest["hits"]] == ["yard.py"]
    assert not rest["truncated"]


def test_hits_in_place_of_copies_are_not_ranked_again(
    copied: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked: list[int] = []
    shown: list[int] = []

    def order(*given: Any) -> OrderedFiles:
        ranked.append(1)
        return order_files(*given)

    def show(*given: Any) -> ShownHits:
        shown.append(1)
        return show_hits(*given)

    monkeypatch.setattr(scope, "order_files", order)
    monkeypatch.setattr(ranked_answer, "show_hits", show)
    answer = search(copied, QUESTION, top_k=4)
    assert [len(hit["copies"]) for hit in answer["hits"]] == [4, 0]
    assert (len(ranked), len(shown)) == (1, 2)


def test_a_page_of_a_name_goes_on_behind_copies(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.yml").write_text("set_the_sail: true\n")
    (tmp_path / "late.yml").write_text("other: 1\n" * 30 + "when: set_the_sail\n")
    with open_indexed(tmp_path) as repository:
        hits = search(repository, "set_the_sail")["hits"]
    assert [len(hit["copies"]) for hit in hits] == [4, 0]
    assert hits[1]["path"] == "late.yml"


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


@pytest.mark.parametrize("mode", ["bm25", "symbol"])
def test_files_and_counts_of_ranked_hits(repository: Repository, mode: str) -> None:
    hits = search(repository, "get_user", mode=mode, top_k=10)
    files = search(repository, "get_user", mode=mode, detail="files")
    assert files["hits"] == []
    assert [one["path"] for one in files["files"]] == list(dict.fromkeys(hit["path"] for hit in hits["hits"]))
    count = search(repository, "get_user", mode=mode, detail="count")
    assert (count["hits"], count["total"]) == ([], hits["total"])


def read_pages(repository: Repository, query: str) -> tuple[int, dict[str, Any]]:
    """Return how many hits all pages have, and the envelope of the last page."""
    found, arguments = 0, {"top_k": 25}
    while True:
        envelope = call(repository, query, **arguments)
        result = envelope["result"]
        found += sum(1 + len(hit.get("copies") or ()) for hit in result["hits"])
        if not result.get("cursor"):
            return found, envelope
        arguments["cursor"] = result["cursor"]


def test_a_number_is_that_of_the_hits_on_all_pages_or_said_to_be_the_least(changing: Repository) -> None:
    root = Path(changing.config.root)
    for at in range(170):
        (root / f"u{at:03}.py").write_text(f"def use_{at}(tide):\n    sail(tide)\n    return anchor, {at}\n")
    (root / "sail.py").write_text("def sail(tide):\n    return tide\n")
    changing.refresh()
    for query in ("sail", "use_7"):
        counted = search(changing, query, detail="count")
        found, last = read_pages(changing, query)
        assert (counted["total"], counted["total_is_lower_bound"]) == (found, False)
        assert (last["result"]["total"], last["result"]["truncated"]) == (found, False)
    assert search(changing, "sail")["total_is_lower_bound"]
    counted = search(changing, "return the anchor", detail="count")
    found, last = read_pages(changing, "return the anchor")  # only the best files are ranked
    assert 0 < found < counted["total"] == last["result"]["total"]
    assert last["result"]["hits"]
    assert last["result"]["truncated"]
    assert any("not listed" in warning for warning in last["warnings"])


def test_symbols_exact_names_first(repository: Repository) -> None:
    page = search(repository, "get_user", mode="symbol")
    assert [hit["path"] for hit in page["hits"]] == ["a.py", "b/user.ts"]  # what has a part of it comes next
    page = search(repository, "get_user", mode="symbol", cursor=page["cursor"])
    assert [hit["path"] for hit in page["hits"]] == ["b/c.py"]
    assert search(repository, "get_user_name", mode="symbol")["hits"][0]["path"] == "b/c.py"
    assert places(search(repository, "name", mode="symbol")) == [("b/c.py", 4)]
    assert search(repository, "nothing_like_it", mode="symbol")["total"] == 0


def test_symbols_that_line_patterns_do_not_know_are_those_of_the_graph(tmp_path: Path) -> None:
    dish = "struct Dish {\n    init() {\n        fill()\n    }\n}\n"
    dish += "func <+> (a: Dish, b: Dish) -> Dish {\n    a\n}\n"
    files = {"Dish.swift": dish, "Tests/PotTests.swift": "struct Pot {\n    init() {}\n}\n"}
    with open_indexed(tmp_path / "r", files) as repository:
        repository.symbol_index.build()
        found = search(repository, "init", mode="symbol")
        assert places(found) == [("Dish.swift", 2), ("Tests/PotTests.swift", 2)]
        assert found["hits"][0]["symbol"] == "Dish.init"
        assert places(search(repository, "init", mode="symbol", include_tests=False)) == [("Dish.swift", 2)]
        assert places(search(repository, "init", mode="symbol", file_glob="Tests/**")) == [
            ("Tests/PotTests.swift", 2)
        ]
        assert places(search(repository, "<+>", mode="symbol")) == [("Dish.swift", 6)]
        assert search(repository, "deinit", mode="symbol")["total"] == 0


def test_points_of_a_name_are_its_score(repository: Repository) -> None:
    hits = search(repository, "get_user", mode="symbol", explain=True, top_k=10)["hits"]
    assert [hit["explanation"]["name"] for hit in hits] == [4, 2, 1]
    assert [round(sum(hit["explanation"].values()), 6) for hit in hits] == [hit["score"] for hit in hits]


def test_what_may_hide_text_is_said(repository: Repository) -> None:
    envelope = call(repository, "reversed", mode="literal")
    assert envelope["warnings"] == ["Control or bidirectional characters may hide text: hit 1."]


def test_options_of_the_other_modes_are_named(repository: Repository) -> None:
    envelope = call(repository, "get_user", ignore_case=True, context=2)
    assert "Only the modes literal and regex take ignore_case, context." in envelope["warnings"]
    for mode in ("literal", "regex"):
        envelope = call(repository, "get_user", mode=mode, explain=True)
        assert "Only the modes bm25 and symbol take explain." in envelope["warnings"]


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


def test_scores_are_counted_up_to_the_first_that_is_far_below_the_best() -> None:
    assert count_above([1.0, 0.56, 0.55, 0.54, 0.6], 0.55) == 3
    assert count_above([1.0, 0.9], 0.55) == 2
    assert count_above([0.0, 0.0], 0.55) == 2
    assert count_above([-1.0, -2.0], 0.55) == 1  # the first one always counts


@pytest.mark.parametrize("query", ["{0}", "where is {0} set", "Foo.{0}", '"{0}"', "get_user\n\n{0}"])
def test_of_a_long_word_that_nothing_has_only_the_beginning_is_named(
    repository: Repository, query: str
) -> None:
    for mode in ("bm25", "symbol"):
        envelope = call(repository, query.format("x" * 70_000), mode=mode)
        assert envelope["ok"], envelope["error"]
        assert all(len(warning) < 300 for warning in envelope["warnings"])


def test_a_line_of_a_text_in_quotes_declares_nothing(tmp_path: Path) -> None:
    """Lines of a configuration in a test came before the type of the name."""
    text = 'def test_it():\n    ini = """\nset_env =\n    A=1\n"""\n    assert ini\n'
    texts = {"tests/test_ini.py": text, "src/set_env.py": "class SetEnv:\n    size = 1\n"}
    with open_indexed(tmp_path / "root", texts) as repository:
        found = search(repository, "set_env", mode="symbol")
    assert [hit["symbol"] for hit in found["hits"]] == ["SetEnv"]


def test_a_short_form_of_a_declared_name_is_answered_with_the_name(tmp_path: Path) -> None:
    files = {"a.ts": "export class ParcelHelper {\n  run() {\n    return 1;\n  }\n}\n"}
    with open_indexed(tmp_path / "r", files) as repository:
        repository.symbol_index.build()
        warnings = call(repository, "parHelp", mode="symbol")["warnings"]
        assert warnings[0] == "No declaration is named `parHelp`; similar: `ParcelHelper`."
