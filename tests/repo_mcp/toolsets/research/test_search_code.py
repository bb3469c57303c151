"""`search_code`: every parameter and every field of a result, the words it adds, what it sums up."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.code_search.describe import WHOLE_LINES, WINDOW_LINES
from repo_mcp.toolsets.research.code_calls import NO_SEMANTICS
from tests.deep.sizes import choose
from tests.growth import HANG_SECONDS
from tests.repo_mcp.toolsets.research.research_roots import TREE, Served
from tests.repo_mcp.toolsets.toon_reader import read_toon
from tests.written_trees import write_tree

FIELDS = ["path", "start_line", "end_line", "relevance_percent", "kind", "symbols", "content"]


def paths(served: Served, query: str, **arguments: object) -> list[str]:
    return [row["path"] for row in served.rows("search_code", query=query, **arguments)]


def first(served: Served, query: str, **arguments: object) -> dict[str, Any]:
    return served.rows("search_code", query=query, **arguments)[0]


# Results


def test_a_simple_search_gives_chunks_with_paths_and_lines(served: Served) -> None:
    rows = served.rows("search_code", query="authentication")
    assert rows[0]["path"] == "service/auth.py"
    for row in rows:
        lines = (served.root / row["path"]).read_text().split("\n")
        assert row["content"] == "\n".join(lines[row["start_line"] - 1 : row["end_line"]])
        assert 1 <= row["start_line"] <= row["end_line"]


def test_a_result_has_every_field_of_the_specification(served: Served) -> None:
    row = first(served, "hash password digest")
    assert [name for name in row if name in FIELDS] == FIELDS
    assert row["path"] == "service/auth.py"
    assert row["kind"] == "function"
    assert row["symbols"] == ["hash_password"]
    assert row["content"].startswith("def hash_password(password: str) -> str:\n")
    assert "The salted digest of a password." in row["content"]
    assert row.keys().isdisjoint({"signature", "doc_comment"})  # the content shows them
    assert "breadcrumb" not in row  # nothing stands around it
    row = first(served, "authenticate: check a password of a user")
    assert (row["kind"], row["breadcrumb"]) == ("method", "Authenticator > authenticate")
    assert "Check a password and open a session." in row["content"]


def test_a_result_of_a_typescript_class_names_its_method_and_comment(served: Served) -> None:
    row = first(served, "submit user password", path_filter="*.ts")
    assert (row["path"], row["kind"]) == ("web/login.ts", "method")
    assert row["breadcrumb"] == "LoginForm > submit"
    assert "submit(user: string, password: string)" in row["content"]
    assert row["doc_comment"].startswith("Sends the password")  # it stands above the method


def test_what_has_no_structure_is_shown_by_its_lines(served: Served) -> None:
    row = first(served, "installation", extensions="md")
    assert (row["path"], row["kind"]) == ("docs/guide.md", "section")
    assert row["breadcrumb"] == "Guide > Installation"
    row = first(served, "rotate session log", extensions="sh")
    assert (row["path"], row["kind"], row["symbols"]) == ("tools/rotate.sh", "code", [])
    assert "signature" not in row


def test_a_file_without_a_structure_yet_is_described_by_line_patterns(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "service", TREE), tmp_path / "data", index=False) as served:
        served.repository.refresh()  # words alone
        row = first(served, "hash password digest")
        assert (row["kind"], row["symbols"]) == ("function", ["hash_password"])
        assert row["content"].startswith("def hash_password(password: str) -> str:\n")
        row = first(served, "authenticate: check a password of a user")
        assert (row["kind"], row["breadcrumb"]) == ("method", "Authenticator > authenticate")


def test_a_long_declaration_shows_its_best_lines_and_says_where_it_reaches(tmp_path: Path) -> None:
    body = "".join(f"    step_{number} = {number}\n" for number in range(120))
    text = (
        f"import os\n\n\ndef long_job(count: int) -> None:\n{body}    flush_the_spool()\n{body}    return\n"
    )
    with Served(write_tree(tmp_path / "root", {"jobs.py": text}), tmp_path / "data") as served:
        row = first(served, "flush spool")
        assert row["kind"] == "function"
        assert row["declared_lines"] == [4, 246]
        assert row["start_line"] <= 125 <= row["end_line"]
        assert row["end_line"] - row["start_line"] < 8
        assert row["signature"] == "def long_job(count: int) -> None"
        assert "flush_the_spool()" in row["content"]


def test_the_best_declarations_are_shown_whole_and_of_far_ones_a_line(tmp_path: Path) -> None:
    names = ("flush_spool", "spool_flush_now", "drain", "empty", "purge")
    body = "".join(f"    step_{number} = {number}\n" for number in range(WHOLE_LINES // 2 - 2))
    files = {f"{name}.py": f"def {name}(spool):\n{body}    flush(spool)\n" for name in names}
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        rows = served.rows("search_code", query="how is the spool flushed")
        spans = [row["end_line"] - row["start_line"] + 1 for row in rows]
        assert spans == [WHOLE_LINES // 2, WHOLE_LINES // 2, WINDOW_LINES, 1, 1]
        assert [row.get("declared_lines") for row in rows[:3]] == [[], [], [1, WHOLE_LINES // 2]]


def test_what_a_difference_is_asked_of_comes_before_what_calls_it(tmp_path: Path) -> None:
    filler = "".join(f"    step_{number} = {number}\n" for number in range(30))
    files = {
        "delays.py": f"def delay(opts):\n{filler}    if opts.head:\n        delay_connection(opts.head)\n"
        "    if opts.body:\n        delay_body(opts.body)\n    for one in opts:\n        delay_body(one)\n",
        "kinds.py": f"def delay_body(ms):\n    return ms\n\n\ndef other(ms):\n{filler}\n\n"
        "def delay_connection(ms):\n    return ms\n",
    }
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        query = "What is the difference between delay_body and delay_connection?"
        names = [row["symbols"][0] for row in served.rows("search_code", query=query)]
        assert names[:3] == ["delay_body", "delay_connection", "delay"]


def test_a_comment_above_a_declaration_is_shown_as_part_of_it(tmp_path: Path) -> None:
    files = {
        "evict.c": "int other;\n\n/* Frees the oldest entry of the spool\n * when memory runs out. */\n"
        "static int drop_one(int most) {\n    return most;\n}\n",
        "spool.h": "int drop_all(struct spool *one,\n             int most);\n",
    }
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        row = first(served, "oldest entry when memory runs out")
        assert (row["kind"], row["symbols"], row["start_line"]) == ("function", ["drop_one"], 3)
        assert row["content"].endswith("    return most;\n}")
        assert "Frees the oldest entry of the spool" in row["content"]
        row = first(served, "drop_all")
        assert row["content"] == "int drop_all(struct spool *one,\n             int most);"


def test_relevance_is_on_a_scale_that_falls_with_the_results(served: Served) -> None:
    rows = served.rows("search_code", query="open session password user token")
    percents = [row["relevance_percent"] for row in rows]
    assert percents == sorted(percents, reverse=True)
    assert all(0 < percent <= 100 for percent in percents)
    assert percents[0] > percents[-1]
    poor = first(served, "session zebra crossing weather forecast")["relevance_percent"]
    assert poor < percents[0]


def test_text_that_hides_other_text_is_reported(tmp_path: Path) -> None:
    files = {"a.py": "def rotate_key():\n    return '\u202e'\n"}
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        found = served.call("search_code", query="rotate key")
        assert "may hide text: result 1" in " ".join(found["warnings"])


# Parameters


def test_a_limit_is_kept_and_20_is_what_nobody_asks_for(served: Served, tmp_path: Path) -> None:
    assert len(served.rows("search_code", query="session password", limit=2)) == 2
    assert served.call("search_code", query="session password", limit=1)["truncated"]
    files = {f"m{number}.py": f"def run_{number}():\n    spool = {number}\n" for number in range(30)}
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as many:
        assert len(many.rows("search_code", query="spool")) == 20
        assert len(many.rows("search_code", query="spool", limit=25)) == 25


def test_a_page_ends_before_what_is_far_from_the_best(tmp_path: Path) -> None:
    near = {
        f"near{number}.py": f"def flush_spool_now_{number}():\n    flush(spool, now)\n" for number in range(3)
    }
    far = {f"far{number}.py": "\n".join(f"def f{one}(): ..." for one in range(60)) for number in range(9)}
    files = near | {path: f"{text}\ndef last():\n    spool()\n" for path, text in far.items()}
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as own:
        page = own.call("search_code", query="flush spool now")
        assert {row["path"] for row in page["results"]} == {*near}
        rest = own.call("search_code", query="flush spool now", cursor=page["cursor"])
        assert {row["path"] for row in rest["results"]} == {*far}
        assert (page["truncated"], rest["truncated"]) == (True, False)
        assert len(own.rows("search_code", query="flush spool now", limit=20)) == page["total"] == 12


def test_the_operators_limit_holds(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "root", TREE), tmp_path / "data", max_search_hits=2) as served:
        assert len(served.rows("search_code", query="session password")) == 2
        cut = served.call("search_code", query="session password", limit=3)
        assert (len(cut["results"]), cut["warnings"]) == (2, ["limit is above its maximum: 2 is used."])


@pytest.mark.parametrize(
    ("arguments", "folders"),
    [
        ({"path_filter": "service/**"}, {"service"}),
        ({"path_filter": "**/*.ts"}, {"web"}),
        ({"path_filter": "{web,docs}/*"}, {"web", "docs"}),
        ({"path": "web"}, {"web"}),
        ({"path": "./web/"}, {"web"}),
        ({"path": "service", "path_filter": "store.py"}, {"service"}),
        ({"path": "service", "path_filter": "service/*.py"}, {"service"}),
        ({"path_filter": "!service/**"}, {"web", "docs", "tools"}),
        ({"path": "service", "path_filter": "!store.py"}, {"service"}),
        ({"extensions": "ts"}, {"web"}),
        ({"extensions": " .TS, *.md "}, {"web", "docs"}),
        ({"path": "web", "extensions": "ts", "path_filter": "*.ts"}, {"web"}),
    ],
)
def test_filters_leave_only_what_they_name(
    served: Served, arguments: dict[str, object], folders: set[str]
) -> None:
    found = paths(served, "password session authentication", **arguments)
    assert found
    assert {path.split("/")[0] for path in found} <= folders


def test_a_pattern_leaves_out_by_a_path_from_the_root_or_from_the_folder(served: Served) -> None:
    everywhere = paths(served, "password session authentication", path="service")
    assert "service/store.py" in everywhere
    for pattern in ("!store.py", "!/store.py", "!service/store.py"):
        found = paths(served, "password session authentication", path="service", path_filter=pattern)
        assert found
        assert "service/store.py" not in found


def test_a_path_may_be_absolute_inside_the_root(served: Served) -> None:
    assert paths(served, "password", path=str(served.root / "web")) == paths(served, "password", path="web")
    assert paths(served, "password", path=str(served.root)) == paths(served, "password")


def test_filters_that_let_nothing_through_are_reported(served: Served) -> None:
    for arguments in ({"path_filter": "nowhere/**"}, {"extensions": "zig"}):
        found = served.call("search_code", query="password", **arguments)
        assert found["results"] == []
        assert found["warnings"] == ["No indexed file in this path passes these filters."]
    assert served.call("search_code", query="zebra", path="web")["warnings"] == ["No file has: zebra."]


@pytest.mark.parametrize(
    "extensions", [",", " , ", "p y", "../x", "a/b", "x" * 40, "py;rm", ",".join(map(str, range(70)))]
)
def test_extensions_that_are_none_are_refused(served: Served, extensions: str) -> None:
    assert served.error("search_code", query="x", extensions=extensions).startswith("Argument extensions")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"limit": 0}, "Argument limit is too small"),
        ({"limit": "five"}, "Argument limit is a string"),
        ({"semantic_weight": 1.5}, "Argument semantic_weight is too large"),
        ({"semantic_weight": -0.1}, "Argument semantic_weight is too small"),
        ({"format": "yaml"}, 'Argument format is "yaml"'),
        ({"expand_query": "yes"}, "Argument expand_query is a string"),
        ({"path_filter": "{" + ",".join("abcdefgh" * 9) + "}"}, "The glob cannot be used"),
        ({"path_filter": ""}, "Argument path_filter is empty"),
        ({"extensions": ""}, "Argument extensions is empty"),
        ({"query": "x" * 10_001}, "Argument query has 10,001 characters"),
        ({"explain": True}, 'Unknown argument "explain"'),
    ],
)
def test_bad_arguments_are_refused_clearly(served: Served, arguments: dict[str, object], words: str) -> None:
    assert served.error("search_code", **({"query": "session"} | arguments)).startswith(words)


@pytest.mark.parametrize("query", ["", " ", "\n\t "])
def test_an_empty_query_is_refused_in_the_words_of_the_specification(served: Served, query: str) -> None:
    assert served.error("search_code", query=query) == "Query cannot be empty"


@pytest.mark.parametrize("query", ["\0", "()", "-", "\u200b", "**", "\U0001f600", "a" * 9_999, "x " * 4_000])
def test_odd_queries_are_answered(served: Served, query: str) -> None:
    for switch in (False, True):
        found = served.call("search_code", query=query, expand_query=switch, synthesize=switch)
        assert isinstance(found["results"], list)


def test_without_an_index_it_is_said_how_to_get_one(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "root", TREE), tmp_path / "data", index=False) as served:
        for path in (".", "service", str(served.root)):
            said = served.error("search_code", query="x", path=path)
            place = ". (the root)" if path == "." else path
            assert said == f"No index found for path: {place}. Run 'index_codebase' tool first."
        assert "path: . (the root). Run" in served.error("search_code", query="x")
        served.call("index_codebase", path=".")
        assert served.rows("search_code", query="password")


def test_a_semantic_weight_is_accepted_and_warned_about(served: Served) -> None:
    plain = served.call("search_code", query="session")
    weighed = served.call("search_code", query="session", semantic_weight=0.3)
    assert weighed["warnings"] == [NO_SEMANTICS]
    assert weighed["results"] == plain["results"]
    assert "warnings" not in plain


# Forms


def test_the_forms_say_the_same(served: Served) -> None:
    arguments = {"query": "hash password digest", "limit": 3}
    as_json: Any = served.ask("search_code", arguments).structured
    toon = served.call("search_code", **arguments, format="toon")
    assert read_toon(toon["text"]) == as_json
    assert len(toon["text"]) < len(json.dumps(as_json, indent=1))
    text = served.call("search_code", **arguments, format="human")["text"]
    assert text.startswith(f'3 of {as_json["total"]} results for "hash password digest"\n')
    for row in as_json["results"]:
        assert f"{row['path']}:{row['start_line']}-{row['end_line']}" in text
        assert row["content"].split("\n")[0].strip() in text


def test_what_is_long_is_cut_in_every_form(tmp_path: Path) -> None:
    lines = "\n".join(f"    spool = {'x' * 200}{number}" for number in range(12))
    files = {f"m{number}.py": f"def run_{number}():\n{lines}\n" for number in range(40)}
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        for form in ("json", "human", "toon"):
            answer = served.ask("search_code", {"query": "spool", "format": form})
            assert len(answer.text) <= 19_000
            assert "to keep it short" in answer.text
            answer = served.ask("search_code", {"query": "spool", "format": form, "limit": 40})
            assert 19_000 < len(answer.text.encode()) <= 65_536


# Determinism


def test_answers_depend_on_the_tree_and_the_arguments_alone(served: Served, tmp_path: Path) -> None:
    shutil.copytree(served.root, tmp_path / "again", symlinks=True)
    with Served(tmp_path / "again", tmp_path / "data") as again:
        (again.root / "later.py").write_text("session = 1\n")
        again.index()
        (again.root / "later.py").unlink()
        again.index()
        for arguments in (
            {"query": "session password"},
            {"query": "session password", "expand_query": True, "synthesize": True},
            {"query": "authentication", "format": "toon", "path": "service"},
        ):
            assert again.ask("search_code", arguments) == served.ask("search_code", arguments)


# What is unusual


def test_a_file_that_changed_since_is_shown_as_it_is_now(tmp_path: Path) -> None:
    body = "\n".join(f"def step_{number}():\n    return {number}\n" for number in range(60))
    files = {"jobs.py": f"{body}\ndef flush_spool():\n    return None\n"}
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        assert first(served, "flush spool")["start_line"] == 181
        (served.root / "jobs.py").write_text("# Now.\ndef flush_spool(force):\n    return 1\n")
        found = served.call("search_code", query="flush spool")
        row = found["results"][0]
        assert (row["start_line"], row["end_line"], row["kind"]) == (2, 3, "function")
        assert (row["content"], row["doc_comment"]) == ("def flush_spool(force):\n    return 1", "Now.")
        assert any("changed after indexing" in warning for warning in found["warnings"])
        (served.root / "jobs.py").unlink()
        assert served.call("search_code", query="flush spool")["results"] == []


@pytest.mark.sized
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("one_line.js", "function spool(){" + "a=1;" * choose(20_000, 60_000) + "}\n"),
        (
            "deep.py",
            "".join(f"{'    ' * depth}class C{depth}:\n" for depth in range(90))
            + "    " * 90
            + "spool = 1\n",
        ),
        ("comment.c", "/* spool " + "*" * 90_000 + "\nint main() {}\n"),
        ("many.py", "".join(f"def spool_{number}(): ...\n" for number in range(choose(3_000, 9_000)))),
        ("quotes.py", "'''" * 30_001 + "spool\n"),
        ("nul.md", "# spool\x01\x02\n" * 3_000),
        ("brackets.ts", "spool" + "(" * 50_000),
        ("half.py", "def spool(\n" * choose(2_000, 5_000)),
        ("crlf.go", "package a\r\n\r\nfunc spool() {\r\n}\r\n"),
        ("blank.rs", "\n" * 20_000 + "fn spool() {}"),
    ],
)
def test_texts_made_to_be_slow_or_odd_are_searched(tmp_path: Path, name: str, text: str) -> None:
    with Served(write_tree(tmp_path / "root", {name: text}), tmp_path / "data") as served:
        started = time.monotonic()
        arguments = {"query": "spool", "expand_query": True, "synthesize": True}
        found = served.call("search_code", **arguments)
        assert time.monotonic() - started < HANG_SECONDS
        assert found["results"][0]["path"] == name
        for row in found["results"]:
            assert len(row["content"]) < 5_000
            assert len(row.get("signature", "")) <= 401
            assert len(row.get("breadcrumb", "")) <= 300
            assert "spool" in row["content"] or "spool" in row.get("signature", "") or row["symbols"]


def test_bad_extensions_are_refused_before_there_is_an_index(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "cold", TREE), tmp_path / "cold_data", index=False) as cold:
        answer = cold.ask("search_code", {"query": "session", "extensions": "!!"})
        assert answer.is_error
        assert "extensions" in answer.text


AUTHENTICATED = {
    "docs/authentication.md": "# Authentication\n\nAuthentication of users: authentication is by password.\n"
    * 3,
    "service/login.py": "def authenticate(user, password):\n    if password != user.password:\n"
    "        raise PermissionError(user)\n    return user\n",
    "service/old.py": "from service.login import authenticate\n\n\ndef authenticate_user(user, password):\n"
    '    """Authenticate a user.\n\n    .. deprecated:: 2.0\n    """\n'
    "    return authenticate(user, password)\n",
}


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("authentication of a user by password", "service/login.py"),
        ("documentation of authentication", "docs/authentication.md"),
    ],
)
def test_code_comes_before_documents_unless_those_are_asked_for(
    tmp_path: Path, query: str, first: str
) -> None:
    with Served(write_tree(tmp_path / "root", AUTHENTICATED), tmp_path / "data") as served:
        assert served.rows("search_code", query=query)[0]["path"] == first


def test_what_is_deprecated_is_not_first(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "root", AUTHENTICATED), tmp_path / "data") as served:
        paths = [row["path"] for row in served.rows("search_code", query="how do I authenticate a user")]
        assert paths.index("service/login.py") < paths.index("service/old.py")


def test_a_hit_shows_the_declaration_that_answers(tmp_path: Path) -> None:
    filler = "".join(f"def other_{n}():\n    return {n}\n\n\n" for n in range(20))
    files = {"big.py": f"{filler}def weigh_parcel(parcel):\n    return parcel.weight\n\n\n{filler}"}
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        (first, *_) = served.rows("search_code", query="how is the weight of a parcel told?")
        assert first["symbols"][0] == "weigh_parcel"
        assert first["content"] == "def weigh_parcel(parcel):\n    return parcel.weight"


@pytest.mark.parametrize("subject", ["acme", "the library"])
def test_the_product_as_the_subject_of_a_question_ranks_nothing(tmp_path: Path, subject: str) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "acme"\n',
        "src/pairs.py": "def load_pair(first, second):\n    if first.newer(second):\n        return first\n"
        "    return second\n",
        "src/acme_library.py": "def acme_library(library, acme):\n    acme.choose(library)\n"
        "    if acme.copies or library.pairs:\n        return acme.run(library)\n    return library\n",
    }
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        (first, *_) = served.rows("search_code", query=f"how does {subject} pick the newer pair?")
        assert first["symbols"][0] == "load_pair"


CARRIERS = {
    "shop/carriers.py": """class Carrier:
    def quote(self, parcel):
        raise NotImplementedError


class PostCarrier(Carrier):
    def quote(self, parcel):
        carrier = self.carrier
        if parcel.carrier != carrier:
            carrier = parcel.carrier
        return carrier


class DroneCarrier(Carrier):
    def quote(self, parcel):
        return 50


def add_carrier(carriers, carrier):
    carriers.append(carrier)
""",
    "examples/carrier.py": """def custom_carrier(carrier):
    # How a custom carrier of a parcel is chosen.
    if carrier.custom:
        return carrier.custom
    return carrier
""",
}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("where would I add a custom carrier?", {"add_carrier", "Carrier"}),
        ("how is the carrier of a parcel chosen?", {"PostCarrier"}),
    ],
)
def test_the_first_hits_are_what_the_form_of_a_question_asks_for(
    tmp_path: Path, query: str, wanted: set[str]
) -> None:
    with Served(write_tree(tmp_path / "root", CARRIERS), tmp_path / "data") as served:
        rows = served.rows("search_code", query=query)
        assert {row["symbols"][0] for row in rows[: len(wanted)]} == wanted
        assert all(not row["path"].startswith("examples") for row in rows[:2])


SHELF = {
    "shelf/expiry.py": """def evict_stale(shelf, now):
    for key, book in list(shelf.items()):
        if book.seen < now:
            del shelf[key]
""",
    "shelf/books.py": """def read_books(shelf, long):
    if not shelf.books:
        raise ShelfError("no books on the shelf")
    if long:
        raise ShelfError("books are thrown")
    return shelf.books
""",
}


def test_what_is_thrown_away_is_no_error(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "root", SHELF), tmp_path / "data") as served:
        query = "Where is what nobody used for long thrown away from the shelf?"
        assert served.rows("search_code", query=query)[0]["symbols"][0] == "evict_stale"


NAMED = {
    "lexers.py": """class BasicLexer:
    def __init__(self, terminals):
        self.terminals = terminals

    def lex(self, text):
        for terminal in self.terminals:
            if terminal in text:
                yield terminal


class ContextualLexer:
    def __init__(self, states):
        self.basic_lexer = BasicLexer(states)
        self.lexers = {state: BasicLexer(state) for state in states}

    def lex(self, text):
        for lexer in self.lexers.values():
            if lexer:
                yield from lexer.lex(text)
""",
}


def test_a_type_that_the_query_names_is_no_mere_head(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "root", NAMED), tmp_path / "data") as served:
        rows = served.rows(
            "search_code", query="what is the difference between BasicLexer and ContextualLexer?"
        )
        assert {row["symbols"][0] for row in rows[:2]} == {"BasicLexer", "ContextualLexer"}


SAMPLER = """// Dropped tells of a message that a sampler has dropped.
//
// Whoever wants to know how many messages were dropped by a sampler, and which messages
// those were, gives a function here. It is called for each of the messages dropped.
//
// A sampler decides for each message:
//
//  - a message that is sampled is written,
//  - a message that is dropped is not.
func Dropped(tell func(message string)) Option {
    return Option{tell}
}

func (s *sampler) Check(message string) bool {
    if s.count(message) > s.first {
        if s.every == 0 {
            return s.tell(message) // dropped
        }
        if s.count(message)%s.every != 0 {
            return s.tell(message) // dropped
        }
    }
    return true
}
"""
QUEUE = """pub fn drain(queue: &mut Queue) -> usize {
    let mut drained = 0;
    while let Some(job) = queue.pop() {
        if job.panics() {
            queue.poison();
        }
        drained += 1;
    }
    drained
}
"""
QUEUE_TEST = """#[test]
fn queue_drained_while_job_panics() {
    // A job of the queue panics while the queue is drained.
    let queue = queue_whose_job_panics();
    for job in queue.jobs() {
        assert!(job.panics());
    }
    assert!(drain(queue) == 1, "the queue is drained while a job panics");
}
"""
STAMPS = """class Stamp:
    def press(self, sheet):
        raise NotImplementedError


class PathStamp(Stamp):
    # A stamp of a path: the path is pressed by the path stamp.
    def press(self, sheet):
        if sheet.path:
            return sheet.path
        return self.path


class DateStamp(Stamp):
    def press(self, sheet):
        return sheet.date


STAMPS = [PathStamp, DateStamp]
"""


@pytest.mark.parametrize(
    ("files", "query", "wanted", "behind"),
    [
        (
            {"sampler.go": SAMPLER},
            "how is it decided which messages are dropped by the sampler?",
            "Check",
            "Dropped",
        ),
        (
            {"src/queue.rs": QUEUE, "src/queue/test.rs": QUEUE_TEST},
            "what happens when a job of the queue panics while it is drained?",
            "drain",
            "queue_drained_while_job_panics",
        ),
        ({"stamps.py": STAMPS}, "how do I add a custom path stamp?", "Stamp", "PathStamp"),
    ],
)
def test_what_only_speaks_of_the_subject_tests_it_or_is_one_of_the_kind_stands_back(
    tmp_path: Path, files: dict[str, str], query: str, wanted: str, behind: str
) -> None:
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        names = [name for row in served.rows("search_code", query=query) for name in row["symbols"][:1]]
        assert names[0] == wanted
        assert behind not in names or names.index(behind) > 0


STEPS = "".join(
    f"""
  const step{number}: Step = (shelf, box) => {{
    if (shelf.length > {number}) {{
      shelf.push(box)
    }}
    return shelf[{number}]
  }}
"""
    for number in range(40)
)
SHELVES = f"""export function makeShelf(options: Options) {{
{STEPS}
  const moveParcels: Step = (shelf, box) => {{
    if (box.order !== shelf.order) {{
      // the parcels are moved from the end, so that their order does not change meanwhile
      for (const parcel of shelf.parcels.reverse()) {{
        shelf.move(parcel, box)
      }}
    }}
    return shelf
  }}
{STEPS.replace("step", "last")}
  return {{ moveParcels }}
}}
"""
SORTED = """export function sortParcels(parcels: Parcel[]) {
  if (parcels.order) {
    return parcels.order(parcels)
  }
  return parcels
}
"""
DEFINED = """define(shelf, 'label', function label() {
  return this.parcels.map(parcel => parcel.stamp)
})

define(shelf, function weight() {
  return this.parcels.reduce((sum, parcel) => sum + parcel.load, 0)
})
"""


@pytest.mark.parametrize(
    ("files", "query", "shown"),
    [
        (
            {"shelf.ts": SHELVES, "sort.ts": SORTED},
            "how are parcels moved when their order changes?",
            "moveParcels",
        ),
        ({"shelf.js": DEFINED}, "how is the load of all parcels summed?", "weight()"),
    ],
)
def test_functions_that_are_values_are_hits_of_their_own(
    tmp_path: Path, files: dict[str, str], query: str, shown: str
) -> None:
    with Served(write_tree(tmp_path / "root", files), tmp_path / "data") as served:
        row = served.rows("search_code", query=query)[0]
        first, last = row.get("declared_lines") or (row["start_line"], row["end_line"])
        lines = files[row["path"]].split("\n")[first - 1 : last]
        assert shown in lines[0]
        assert len(lines) < 12


GETTERS = """/**
 * Return the load of all parcels of the shelf, summed up.
 *
 * The load of a parcel counts once.
 */

define(shelf, function weight() {
  return this.parcels.reduce((sum, parcel) => sum + parcel.load, 0)
})
"""


def test_a_function_that_no_record_has_is_named_and_shown_with_its_body(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "root", {"shelf.js": GETTERS}), tmp_path / "data") as served:
        row = served.rows("search_code", query="how is the load of all parcels of a shelf summed up?")[0]
        assert row["symbols"] == ["weight"]
        assert "parcel.load, 0)" in row["content"]


COUNTED = "".join(
    f"    int count{n}(int of) {{\n        return of > {n} ? of : {n};\n    }}\n\n" for n in range(60)
)
LIMITED = f"""public class Builder {{
    private int most;

{COUNTED}    /**
     Keep the stack within the limit of its depth, by closing the deepest
     open elements.
     */
    final void prune() {{
        while (open.size() >= most) {{
            open.pop().close();
        }}
    }}
}}
"""


def test_a_comment_without_stars_is_that_of_the_method_below_it(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "root", {"Builder.java": LIMITED}), tmp_path / "data") as served:
        row = served.rows("search_code", query="how is the depth of the stack kept within its limit?")[0]
        assert (row["kind"], row["symbols"][0]) == ("method", "prune")
        assert "open.pop().close()" in row["content"]


DRAINED = """pub fn drain(queue: &mut Queue) -> usize {
    let mut done = 0;
    while let Some(next) = queue.pop() {
        done += next.run();
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_every_job_of_queue() {
        let mut queue = queue_of(3);
        for job in queue.jobs() {
            assert!(queue.run_job(job), "every job of the queue must run");
        }
        assert_eq!(drain(&mut queue), 3, "the queue is drained: every job was run");
    }
}
"""


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("how is every job of the queue run until it is drained?", "drain"),
        ("test of every job", "run_every_job_of_queue"),
    ],
)
def test_a_test_in_a_file_of_the_program_is_first_where_tests_are_asked_for(
    tmp_path: Path, query: str, wanted: str
) -> None:
    with Served(write_tree(tmp_path / "root", {"queue.rs": DRAINED}), tmp_path / "data") as served:
        assert wanted in served.rows("search_code", query=query)[0]["symbols"]
