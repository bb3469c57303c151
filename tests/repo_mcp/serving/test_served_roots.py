"""Roots as they come and go under a server: what is open, for how long, and which calls are in it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.resources import LIST, READ, join_resources
from repo_mcp.protocol.tool_model import CallContext, ResourceLink, Tool, ToolAnswer, name_tools
from repo_mcp.repository import Repository
from repo_mcp.serving.served_roots import ServedRoots
from repo_mcp.storage.held_directory import HeldDirectory
from tests.no_threads import no_threads
from tests.waiting import wait_until

PATIENCE_SECONDS = 60.0
ASKED = CallContext(lambda: False)


class Roots:
    """Served roots, and what they reported to whoever serves them."""

    def __init__(self, here: Path | None, **options: Any) -> None:
        config = load_config("auto", watch=False, **options)
        self.served = ServedRoots(config, None if here is None else HeldDirectory(str(here)), _ignore)
        self.begun: list[Repository] = []
        self.listed: list[Sequence[Tool]] = []
        self.changes = 0
        self.served.follow(self.begun.extend, self.listed.append, self.note_change)
        self.tools = name_tools(self.served.toolsets)

    def note_change(self) -> None:
        self.changes += 1

    def list_files(self, **arguments: object) -> dict[str, Any]:
        answer = self.tools["repo.list_files"].call(arguments, ASKED)
        return dict(answer.structured)

    def name_first(self) -> str:
        """Return the first file that is listed: `a.py` in the root `a`."""
        return str(self.list_files()["result"]["files"][0]["path"])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    for name in ("home", "a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").write_text("x = 1\n")
    return tmp_path


@pytest.fixture
def roots(place: Path) -> Iterator[Roots]:
    made = Roots(None)
    yield made
    made.served.close()


@pytest.fixture
def patient(place: Path) -> Iterator[Roots]:
    """Yield roots whose calls may take as long as they like."""
    made = Roots(None, call_limits={"call_timeout_seconds": 0})
    yield made
    made.served.close()


@pytest.mark.parametrize("name", ["roots", "patient"])
def test_a_call_waits_until_roots_are_known(place: Path, name: str, request: pytest.FixtureRequest) -> None:
    roots: Roots = request.getfixturevalue(name)
    answers: list[str] = []
    asking = threading.Thread(target=lambda: answers.append(roots.name_first()), daemon=True)
    asking.start()
    asking.join(0.1)
    assert answers == []
    roots.served.serve(((place / "a").as_uri(),))
    asking.join(PATIENCE_SECONDS)
    assert answers == ["a.py"]


def test_a_call_that_is_cancelled_waits_no_more(patient: Roots) -> None:
    answers: list[ToolAnswer] = []
    ask, cancelled = patient.tools["repo.list_files"].call, CallContext(lambda: True)
    asking = threading.Thread(target=lambda: answers.append(ask({}, cancelled)), daemon=True)
    asking.start()
    asking.join(PATIENCE_SECONDS)
    assert [answer.is_error for answer in answers] == [True]


def test_a_root_that_cannot_be_opened_in_time_is_a_timeout(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    make = Repository.__init__

    def hang(self: Repository, *arguments: Any, **more: Any) -> None:
        assert may_go_on.wait(PATIENCE_SECONDS)
        make(self, *arguments, **more)

    monkeypatch.setattr(Repository, "__init__", hang)
    roots = Roots(place / "a", call_limits={"call_timeout_seconds": 1})
    try:
        roots.served.serve(())
        assert roots.list_files()["error"]["code"] == "timeout"
        may_go_on.set()
        assert roots.name_first() == "a.py"
    finally:
        may_go_on.set()
        roots.served.close()


def test_a_root_that_stays_is_not_opened_again(place: Path, roots: Roots) -> None:
    a, b = ((place / name).as_uri() for name in ("a", "b"))
    for uris in ((a,), (a, b), (b, a), (a,)):
        roots.served.serve(uris)
        assert not roots.tools["repo.list_files"].call({}, ASKED).is_error
    assert [repository.root_name for repository in roots.begun] == ["a", "b"]
    wait_until(lambda: len(roots.listed) == 3)  # one, two, two in another order, one
    enums = [
        {tool.name: tool.input_schema for tool in tools}["repo.search"]["properties"].get("root")  # type: ignore[attr-defined]
        for tools in roots.listed
    ]
    assert [None if enum is None else enum["enum"] for enum in enums] == [["a", "b"], ["b", "a"], None]


def test_the_answer_to_a_call_that_names_its_root_does_not_repeat_it(place: Path, roots: Roots) -> None:
    roots.served.serve(tuple((place / name).as_uri() for name in ("a", "b")))
    assert roots.list_files(root="b")["warnings"] == []


def test_what_is_served_no_more_closes_after_its_last_call(
    place: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    inside, may_go_on = threading.Event(), threading.Event()
    close, list_files = Repository.close, Repository.list_files

    def note_close(self: Repository) -> None:
        closed.append(self.root_name)
        close(self)

    def list_slowly(self: Repository, *arguments: Any) -> Any:
        if self.root_name == "a":
            inside.set()
            assert may_go_on.wait(PATIENCE_SECONDS)
        return list_files(self, *arguments)

    monkeypatch.setattr(Repository, "close", note_close)
    monkeypatch.setattr(Repository, "list_files", list_slowly)
    roots.served.serve(((place / "a").as_uri(),))
    answers: list[str] = []
    asking = threading.Thread(target=lambda: answers.append(roots.name_first()), daemon=True)
    asking.start()
    assert inside.wait(PATIENCE_SECONDS)
    roots.served.serve(((place / "b").as_uri(),))
    assert roots.name_first() == "b.py"
    assert closed == []
    may_go_on.set()
    asking.join(PATIENCE_SECONDS)
    assert answers == ["a.py"]
    wait_until(lambda: closed == ["a"])
    roots.served.serve(((place / "a").as_uri(),))
    assert roots.name_first() == "a.py"
    wait_until(lambda: closed == ["a", "b"])


def test_a_failure_says_too_for_which_of_several_roots_it_is(place: Path, roots: Roots) -> None:
    roots.served.serve(tuple((place / name).as_uri() for name in ("a", "b")))
    answer = roots.tools["repo.open_file"].call({"path": "b.py"}, ASKED).structured
    assert answer["error"]["code"] == "not_found"  # type: ignore[index]
    assert answer["warnings"] == ['This answer is for the root "a"; `root` can name another: "b".']
    named = roots.tools["repo.open_file"].call({"path": "b.py", "root": "b"}, ASKED)
    assert not named.is_error


def test_a_client_may_name_the_one_root_that_is_left(place: Path, roots: Roots) -> None:
    roots.served.serve(((place / "b").as_uri(),))
    assert roots.list_files(root="b")["ok"]
    refused = roots.list_files(root="a")
    assert refused["error"]["code"] == "invalid_argument"


def test_a_root_in_whose_place_another_came_is_opened_anew(place: Path, roots: Roots) -> None:
    uri = (place / "a").as_uri()
    roots.served.serve((uri,))
    assert roots.name_first() == "a.py"
    (place / "a").rename(place / "old")
    (place / "b").rename(place / "a")
    roots.served.serve((uri,))
    assert roots.name_first() == "b.py"


def test_each_root_has_the_limits_of_its_own_file(place: Path) -> None:
    (place / "b" / "repo_mcp.toml").write_text("[limits]\nmax_list_results = 1\n")
    (place / "b" / "other.py").write_text("x = 2\n")
    (place / "a" / "other.py").write_text("x = 2\n")
    roots = Roots(place / "a")
    try:
        roots.served.serve((), is_known=True)
        assert len(roots.list_files(max_results=2)["result"]["files"]) == 2
        roots.served.serve(((place / "b").as_uri(),))
        assert len(roots.list_files(max_results=2)["result"]["files"]) == 1
    finally:
        roots.served.close()


def _read(roots: Roots, uri: str) -> Any:
    answer = join_resources(roots.served.toolsets)[READ].call({"uri": uri}, ASKED)
    return answer.structured["data"] if answer.is_error else answer.structured["contents"]


def _list_uris(roots: Roots) -> list[str]:
    listed: Any = join_resources(roots.served.toolsets)[LIST].call({}, ASKED).structured["resources"]
    return [one["uri"] for one in listed]


def test_a_uri_names_one_of_several_roots_and_all_are_listed(place: Path, roots: Roots) -> None:
    a, b = ((place / name).as_uri() for name in ("a", "b"))
    for name in ("a", "b"):
        (place / name / "README.md").write_text(f"# {name}\n")
    roots.served.serve((b,))
    assert _list_uris(roots) == ["repo:///README.md"]
    roots.served.serve((a, b))
    assert _list_uris(roots) == ["repo://a/README.md", "repo://b/README.md"]
    assert [_read(roots, uri)[0]["text"] for uri in _list_uris(roots)] == ["# a\n", "# b\n"]
    assert _read(roots, "repo:///README.md")[0]["text"] == "# a\n"
    assert _read(roots, "repo://c/README.md") == {"reason": "not_found", "uri": "repo://c/README.md"}
    roots.served.serve((b,))
    wait_until(lambda: roots.changes == 2)
    assert _read(roots, "repo://b/README.md")[0]["text"] == "# b\n"  # as it was listed before
    assert _read(roots, "repo://a/README.md")["reason"] == "not_found"


def test_without_a_root_there_are_no_resources(roots: Roots) -> None:
    roots.served.serve(())
    assert _read(roots, "repo:///README.md")["reason"] == "no_root"
    assert join_resources(roots.served.toolsets)[LIST].call({}, ASKED).structured["code"] == -32002


def test_a_link_of_one_of_several_roots_names_it(place: Path) -> None:
    for name in ("a", "b"):
        (place / name / "README.md").write_text(f"# The plan\n\n![The plan of {name}](plan.svg)\n")
        (place / name / "plan.svg").write_text(f"<svg>{name}</svg>")
    roots = Roots(None, toolsets=("research",))
    try:
        roots.served.serve(tuple((place / name).as_uri() for name in ("a", "b")))
        for name in ("a", "b"):
            where = {"path": ".", "root": name}
            assert not roots.tools["index_codebase"].call(where, ASKED).is_error
            found = roots.tools["search_docs"].call({"query": "plan", "root": name}, ASKED)
            (link,) = found.blocks
            assert isinstance(link, ResourceLink)
            assert link.uri == f"repo://{name}/plan.svg"
            assert _read(roots, link.uri)[0]["text"] == f"<svg>{name}</svg>"
    finally:
        roots.served.close()


def test_closed_while_it_opens_leaves_nothing_open(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opening, may_go_on, closed = threading.Event(), threading.Event(), threading.Event()
    close, make = Repository.close, Repository.__init__

    def open_slowly(self: Repository, *arguments: Any, **more: Any) -> None:
        opening.set()
        assert may_go_on.wait(PATIENCE_SECONDS)
        make(self, *arguments, **more)

    def note_close(self: Repository) -> None:
        close(self)
        closed.set()

    monkeypatch.setattr(Repository, "__init__", open_slowly)
    monkeypatch.setattr(Repository, "close", note_close)
    roots = Roots(place / "a")
    roots.served.serve(())
    assert opening.wait(PATIENCE_SECONDS)
    roots.served.close()
    may_go_on.set()
    assert closed.wait(PATIENCE_SECONDS)
    assert roots.begun == []


def _ignore(_warning: str) -> None:
    return None


def test_roots_for_which_the_system_has_no_thread_are_opened_for_a_later_call(
    place: Path, roots: Roots
) -> None:
    """Once calls waited for them for ever."""
    with no_threads():
        roots.served.serve(((place / "a").as_uri(),))
    assert roots.name_first() == "a.py"
    roots.served.serve(((place / "b").as_uri(),))
    assert roots.name_first() == "b.py"
    with no_threads():
        roots.served.close()
    assert [repository._closed.is_set() for repository in roots.begun] == [True, True]
