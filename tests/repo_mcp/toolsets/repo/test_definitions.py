"""Who asks for a name is shown its declaration first, by `repo.search` in every mode that ranks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from bench.economy.client import Client, build_index
from bench.quality.definitions import MODES, SAMPLES, ask_names, choose_names
from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.lean_answers import read_answer
from tests.repo_mcp.toolsets.repo.repo_calls import get_tool

FILES = {
    "app/query.py": "import os\n\n\n"
    + "FILLER = 1\n" * 60
    # fifty lines and more: the class and the method lie in units of their own
    + "class QuerySet:\n    def filter(self, wanted):\n        return [one for one in self if wanted(one)]\n",
    "app/template.py": "class Library:\n    def filter(self, name):\n        return self.keep(name)\n",
    "app/routers.py": "class HeaderRouter:\n    pass\n\n\nclass Router:\n    '''Sends.'''\n"
    "\n    def send(self):\n        return HeaderRouter()\n",
    "app/uses.py": "from app.routers import Router, HeaderRouter\n" + "Router(); HeaderRouter(Router)\n" * 30,
    "app/messages.py": "class Message:\n    def message(self):\n        return self\n\n\nINITIAL_FORMS = 3\n"
    "\n\ndef initial_forms():\n    return INITIAL_FORMS\n",
    "router/header_router.py": "# The header router: a router of headers\nrouter = 'HeaderRouter'\n",
    "tests/test_only.py": "def assert_router_sends():\n    assert Router().send()\n",
    "app/many.py": "".join(f"assert_router_sends_{at} = {at}  # assert_router_sends\n" for at in range(40)),
    "app/signing.py": "def get_cookie_signer(salt):\n    return salt\n",
    "go/pool.go": "package pool\n\nfunc (p *Pool) Acquire() int {\n\treturn 1\n}\n",
    "go/slot.go": "package pool\n\nfunc (s *Slot) Acquire() int {\n\treturn 2\n}\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("definitions") / "root", FILES) as repository:
        yield repository


def call(repository: Repository, query: str, mode: str, **arguments: Any) -> dict[str, Any]:
    tool = get_tool(repository, "repo.search")
    answer = tool.call({"query": query, "mode": mode, **arguments}, CallContext(lambda: False))
    return cast(dict[str, Any], read_answer(tool.output_schema, json.loads(answer.text)))


def name_hits(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(hit["path"], hit["symbol"]) for hit in answer["result"]["hits"]]


@pytest.mark.parametrize("mode", ["bm25", "symbol"])
@pytest.mark.parametrize(
    ("query", "path", "symbol", "line"),
    [
        ("Router", "app/routers.py", "Router", "class Router:"),
        ("Router()", "app/routers.py", "Router", "class Router:"),
        ("class Router", "app/routers.py", "Router", "class Router:"),
        ("QuerySet", "app/query.py", "QuerySet", "class QuerySet:"),
        ("QuerySet.filter", "app/query.py", "QuerySet.filter", "    def filter(self, wanted):"),
        ("app.query.QuerySet.filter", "app/query.py", "QuerySet.filter", "    def filter(self, wanted):"),
        ("app.template.Library.filter", "app/template.py", "Library.filter", "    def filter(self, name):"),
        ("Message", "app/messages.py", "Message", "class Message:"),
        ("message", "app/messages.py", "Message.message", "    def message(self):"),
        ("initial_forms", "app/messages.py", "initial_forms", "def initial_forms():"),
        ("INITIAL_FORMS", "app/messages.py", "INITIAL_FORMS", "INITIAL_FORMS = 3"),
        ("assert_router_sends", "tests/test_only.py", "assert_router_sends", "def assert_router_sends():"),
        ("getCookieSigner", "app/signing.py", "get_cookie_signer", "def get_cookie_signer(salt):"),
        ("Slot.Acquire", "go/slot.go", "Slot.Acquire", "func (s *Slot) Acquire() int {"),
    ],
)
def test_the_declaration_comes_first_and_is_shown(
    repository: Repository, mode: str, query: str, path: str, symbol: str, line: str
) -> None:
    hits = call(repository, query, mode)["result"]["hits"]
    assert (hits[0]["path"], hits[0]["symbol"]) == (path, symbol)
    shown = [row.partition("\t")[2] for row in hits[0]["snippet"].splitlines()]
    assert line in shown
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_a_part_of_a_name_is_not_the_name(repository: Repository) -> None:
    assert name_hits(call(repository, "Router", "symbol")) == [("app/routers.py", "Router")]  # and a cursor
    names = name_hits(call(repository, "Router", "symbol", top_k=10))
    assert names == [("app/routers.py", "Router"), ("app/routers.py", "HeaderRouter"),
                     ("tests/test_only.py", "assert_router_sends")]  # fmt: skip
    explained = call(repository, "Router", "bm25", explain=True)["result"]["hits"]
    assert [hit["path"] for hit in explained if "name" in hit["explanation"]] == ["app/routers.py"]


def test_hits_of_a_look_up_are_declarations_with_their_own_lines(repository: Repository) -> None:
    for hit in call(repository, "filter", "symbol")["result"]["hits"]:
        first, last = hit["symbol_lines"]
        assert first <= hit["start_line"] <= hit["end_line"] <= last


@pytest.mark.parametrize(
    ("query", "expected", "names"),
    [
        ("get_cookie_signr", "No declaration is named `get_cookie_signr`; similar: `get_cookie_signer`.", []),
        ("get_cookie_maker", "No declaration is named `get_cookie_maker`; similar: `get_cookie_signer`.", []),
        ("cookie_signer", "No declaration is named `cookie_signer`; similar: `get_cookie_signer`.",
         ["get_cookie_signer"]),
        ("zyx_wvu", "No declaration is named `zyx_wvu`.", []),
    ],
)  # fmt: skip
def test_a_name_that_is_not_there_is_said(
    repository: Repository, query: str, expected: str, names: list[str]
) -> None:
    answer = call(repository, query, "symbol")
    assert expected in answer["warnings"]
    assert [symbol for _, symbol in name_hits(answer)] == names


def test_a_name_that_is_declared_elsewhere_is_said(repository: Repository) -> None:
    answer = call(repository, "Router.filter", "symbol")
    assert "No `filter` is declared in `Router`." in answer["warnings"]
    assert {symbol for _, symbol in name_hits(answer)} >= {"QuerySet.filter", "Library.filter"}


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    root = tmp_path_factory.mktemp("members") / "root"
    (root / "src").mkdir(parents=True)
    uses = "".join(f"int use_{at}(void)\n{{\n  return RUN_ONCE + {at};\n}}\n" for at in range(150))
    (root / "src/loop.h").write_text("enum run_mode {\n  RUN_DEFAULT = 0,\n  RUN_ONCE\n};\n")
    for at in range(120):
        (root / f"src/loop_{at}.c").write_text(uses if at == 7 else "int x = RUN_ONCE;  /* RUN_ONCE */\n")
    (root / "client.py").write_text(
        "class Client:\n    retries = 2\n\n    def __init__(self):\n        self.timeout = 30\n\n\n"
        "def make():\n    timeout = 1\n    return Client(timeout)\n"
    )
    with open_indexed(root, data_dir=str(root.parent / "data")) as repository:
        yield repository


@pytest.mark.parametrize("mode", ["symbol", "bm25"])
@pytest.mark.parametrize(
    ("query", "path", "line", "symbol"),
    [
        ("RUN_ONCE", "src/loop.h", 3, "run_mode.RUN_ONCE"),  # below a hundred files that use it
        ("timeout", "client.py", 5, "Client.timeout"),
        ("Client.retries", "client.py", 2, "Client.retries"),
    ],
)
def test_fields_and_values_of_enums_are_looked_up(
    members: Repository, mode: str, query: str, path: str, line: int, symbol: str
) -> None:
    answer = call(members, query, mode)
    hit = answer["result"]["hits"][0]
    assert (hit["path"], hit["start_line"], hit["symbol"]) == (path, line, symbol)
    assert not [warning for warning in answer["warnings"] if "No " in warning]


def test_what_has_gone_since_is_not_shown(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("def kept_name():\n    return 1\n\n\ndef lost_name():\n    return 2\n")
    repository = Repository(load_config(str(root), data_dir=str(tmp_path / "data"), watch=False))
    repository.refresh()
    (root / "a.py").write_text("# lost_name is gone\n\n\ndef kept_name():\n    return 1\n")
    found = call(repository, "lost_name", "symbol")
    assert name_hits(found) == []
    assert any(warning.startswith("No ") and "`lost_name`" in warning for warning in found["warnings"])
    hit = call(repository, "kept_name", "symbol")["result"]["hits"][0]
    assert (hit["start_line"], hit["symbol_lines"]) == (4, [4, 5])
    repository.close()


def test_over_stdio_every_declared_name_of_a_package_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of what `python -m bench.quality.definitions` measures on larger trees."""
    import packaging

    for kind in SAMPLES:
        monkeypatch.setitem(SAMPLES, kind, 12)
    root = Path(packaging.__file__).parent
    build_index(root, tmp_path / "data")
    client = Client(root, tmp_path / "data")
    for declared in choose_names(root, kept_back=False).values():
        for mode in MODES:
            assert ask_names(client, declared, mode).missed == ()
    client.close()
