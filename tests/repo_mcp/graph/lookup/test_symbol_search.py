"""Finding symbols by what a person types, in every form, and never an error."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.graph.lookup import symbol_search
from repo_mcp.graph.lookup.name_match import QueryWord, build_stars, find_literal, list_needles, rate_name
from repo_mcp.graph.lookup.symbol_expression import is_expression, parse_expression
from repo_mcp.graph.lookup.symbol_search import has_words
from repo_mcp.graph.similar import SimilarFinder
from repo_mcp.graph.vocabulary import SymbolFilter
from tests.deep.sizes import examples
from tests.growth import HANG_SECONDS
from tests.repo_mcp.graph.memory_index import MemoryIndex, make_graph

FILES = {
    "users/service.py": """class UserService:
    def getUserName(self): ...
    def get_user_id(self): ...
    def login(self): ...


class UserServiceFactory:
    def login(self): ...


def get(): ...
""",
    "users/names.py": "def getUserNames(): ...\n\n\ndef get_name(): ...\n\n\nHTTPResponse = 1\n",
    "auth/session.ts": """export class AuthService { login() {} authenticate() {} authenticateUser() {} }
export interface IAuth { login(): void }
export function parseHTTPResponse() {}
""",
    "tests/test_users.py": "def test_login(): ...\n\n\ndef login(): ...\n",
    "pyproject.toml": "",
    "auth/package.json": "{}",
}


@pytest.fixture(scope="module")
def graph() -> Graph:
    return make_graph(FILES)


def search(graph: Graph, query: str, limit: int = 10, **scope: str) -> list[str]:
    return [node.qualified_name for node, _ in graph.search(query, SymbolFilter(**scope), limit)[0]]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("getUserName", ["service.UserService.getUserName", "names.getUserNames"]),  # the name itself first
        ("getusername", ["service.UserService.getUserName", "names.getUserNames"]),  # in any case
        ("UserService", ["service.UserService", "service.UserServiceFactory"]),
        ("Auth*", ["AuthService.authenticate", "AuthService"]),
        ("auth*user", ["AuthService.authenticateUser"]),
        ("*Response", ["names.HTTPResponse", "parseHTTPResponse"]),
        ("gUN", ["service.UserService.getUserName", "names.getUserNames"]),  # humps
        ("USF", ["service.UserServiceFactory"]),
        ("pHTTPR", ["parseHTTPResponse"]),
        ("AuthService.login", ["AuthService.login"]),  # qualified, as any language writes it
        ("AuthService::login", ["AuthService.login"]),
        ("AuthService#login", ["AuthService.login"]),
        ("service.UserService.login", ["service.UserService.login"]),
        ("user service", ["service.UserService"]),  # words
        ("service user", ["service.UserService"]),
        ("get user id", ["service.UserService.get_user_id"]),
        ("http response", ["names.HTTPResponse", "parseHTTPResponse"]),
        ("auth login", ["AuthService.login"]),  # of which some stand around
    ],
)
def test_each_form_finds_what_is_meant(graph: Graph, query: str, best: list[str]) -> None:
    found = search(graph, query)
    assert found[: len(best)] == best or set(found[: len(best)]) == set(best), found
    assert found[0] == best[0] or query in ("Auth*", "*Response", "http response", "gUN"), found


def test_the_nearer_a_name_is_to_those_around_it_the_better() -> None:
    near, far = (
        "class Shop:\n    def open(self): ...\n",
        "class Shop:\n    class Door:\n        def open(self): ...\n",
    )
    found = search(make_graph({"a.py": far, "b.py": near}), "Shop.open")
    assert found == ["b.Shop.open", "a.Shop.Door.open"]


def test_names_that_do_not_fit_a_pattern_are_not_found(graph: Graph) -> None:
    assert search(graph, "getUserName*") == ["names.getUserNames", "service.UserService.getUserName"]
    assert search(graph, "zzz*") == []
    assert search(graph, "USX") == []
    assert search(graph, "NoClass.login") == []


def test_a_test_comes_after_what_it_tests(graph: Graph) -> None:
    found = search(graph, "login")
    assert found.index("test_users.login") > found.index("service.UserService.login")


def test_an_impl_is_found_where_its_type_is_not() -> None:
    graph = make_graph(
        {"a.rs": "struct Pair;\nimpl Draw for Pair {}\nimpl Pair {}\nimpl Draw for Paired {}\n"}
    )
    found, _ = graph.search("Pair*", SymbolFilter(), 10)
    assert [(node.name_inside, node.kind) for node, _ in found] == [("Pair", "struct"), ("Paired", "impl")]
    assert len(graph.search("Pair", SymbolFilter(kind="impl"), 10)[0]) == 3


def test_the_limit_cuts_the_same_list(graph: Graph) -> None:
    whole = search(graph, "login", 50)
    assert len(whole) > 4
    for limit in range(1, len(whole)):
        assert search(graph, "login", limit) == whole[:limit]


def test_a_search_keeps_to_its_scope(graph: Graph) -> None:
    assert search(graph, "login", kind="function") == ["test_users.login", "test_users.test_login"]
    assert set(search(graph, "login", language="typescript")) == {"AuthService.login", "IAuth.login"}
    assert set(search(graph, "login", project_id="auth")) == {"AuthService.login", "IAuth.login"}
    assert search(graph, "login", kind="interface") == []


def test_scores_are_ordered_and_rounded(graph: Graph) -> None:
    scores = [score for _, score in graph.search("user name service", SymbolFilter(), 50)[0]]
    assert scores == sorted(scores, reverse=True)
    assert scores == [round(score, 4) for score in scores]
    assert all(score > 0 for score in scores)


@given(st.text(max_size=60) | st.text("aU*._:#/-> gN0é$\n\\[(+?{", max_size=30))
@settings(max_examples=examples(300))
def test_no_text_is_an_error(text: str) -> None:
    graph = make_graph_once()
    found = search(graph, text, 50)
    assert found == search(graph, text, 50)
    assert not found or has_words(text)


_GRAPHS: list[Graph] = []


def make_graph_once() -> Graph:
    if not _GRAPHS:
        _GRAPHS.append(make_graph(FILES))
    return _GRAPHS[0]


@pytest.mark.parametrize("query", ["a" * 10_000, "a*" * 5_000, "A" * 10_000, "a." * 5_000, "aA" * 5_000])
def test_long_queries_are_bounded(graph: Graph, query: str) -> None:
    assert search(graph, query) == []


def test_a_name_of_many_humps_does_not_make_a_pattern_explode() -> None:
    graph = make_graph({"a.py": "def " + "aB" * 200 + "(): ...\n"})
    assert search(graph, "aB" * 60 + "Z") == []


@pytest.mark.parametrize("query", ["a*" * 8 + "b", "a_" + "b_" * 6 + "Z"])
def test_a_pattern_takes_no_more_than_quadratic_time_on_a_long_name(query: str) -> None:
    """Three stars more made it a thousand times as long."""
    graph = make_graph({"a.py": f"def {'a' * 120}(): ...\ndef a_{('b' * 30 + '_') * 7}y(): ...\n"})
    started = time.monotonic()
    assert search(graph, query) == []
    assert time.monotonic() - started < HANG_SECONDS


def brute_force(query: str, name: str) -> bool:
    """Return True when a name is what a word with stars stands for, tried letter by letter."""
    if not query or not name:
        return not query.strip("*") and not name
    if query[0] == "*":
        return brute_force(query[1:], name) or brute_force(query, name[1:])
    return query[0].lower() == name[0].lower() and brute_force(query[1:], name[1:])


@given(st.text("abA*", min_size=1, max_size=6).filter(lambda text: "*" in text), st.text("abA", max_size=8))
def test_a_star_stands_for_any_letters(query: str, name: str) -> None:
    assert (re.fullmatch(build_stars(query), name, re.IGNORECASE) is not None) == brute_force(query, name)


# Operators


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("login AND auth", ["AuthService.login", "IAuth.login"]),
        ("auth NOT login", ["AuthService", "AuthService.authenticate",
                            "AuthService.authenticateUser", "IAuth"]),
        ("login NOT (auth OR service)", ["test_users.login", "test_users.test_login"]),
        ("(factory OR session) AND login", ["service.UserServiceFactory.login"]),
        ("get_user_id OR parseHTTPResponse", ["parseHTTPResponse", "service.UserService.get_user_id"]),
        ('"http response"', ["names.HTTPResponse", "parseHTTPResponse"]),
        ('"response http"', []),
        ('"service factory" NOT login', ["service.UserServiceFactory"]),
        ('"AuthService.login"', ["AuthService.login"]),
        ("Auth* NOT user", ["AuthService", "AuthService.authenticate"]),
        ('auth* AND "authenticate user"', ["AuthService.authenticateUser"]),
        ("UserService.login OR IAuth.login", ["IAuth.login", "service.UserService.login"]),
        ("NEAR(auth login)", ["AuthService.login", "IAuth.login"]),
        ("login NOT login", []),
    ],
)  # fmt: skip
def test_operators_mean_what_they_say(graph: Graph, query: str, names: list[str]) -> None:
    assert sorted(search(graph, query, 50)) == sorted(names)


MISTAKES = [
    "AND",
    "login AND",
    "NOT login",
    "(login",
    "login)",
    "()",
    '"',
    "a OR OR b",
    "(" * 50 + "a" + ")" * 50,
]


@pytest.mark.parametrize("query", MISTAKES)
def test_an_expression_with_mistakes_is_words(graph: Graph, query: str) -> None:
    assert parse_expression(query) is None
    assert search(graph, query) == search(graph, re.sub(r'AND|NOT|OR|[()"]', " ", query))


def test_every_name_that_a_star_stands_for_is_found_or_missed_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"m{one // 9}.py": "" for one in range(90)}
    for one in range(90):
        files[f"m{one // 9}.py"] += f"def make_{one:02}(): ...\n"
    graph = make_graph(files)
    found, is_cut = graph.search("make_*", SymbolFilter(), 100)
    assert [node.symbol.name for node, _ in found] == [f"make_{one:02}" for one in range(90)]
    assert not is_cut
    for limit, most in (("MAX_NAMES", 80), ("MAX_PATTERN_FILES", 5), ("MAX_SCORED", 30)):
        with monkeypatch.context() as patch:
            patch.setattr(symbol_search, limit, most)
            found, is_cut = make_graph(files).search("make_*", SymbolFilter(), 100)
            assert is_cut, limit
            assert len(found) < 90


EXPRESSIONS: list[tuple[str, Callable[[bool, bool, bool], bool]]] = [
    ("a AND b OR c", lambda a, b, c: (a and b) or c),
    ("a OR b AND c", lambda a, b, c: a or (b and c)),
    ("a OR b c", lambda a, b, c: a or (b and c)),
    ("a NOT b AND c", lambda a, b, c: (a and not b) and c),
    ("a AND b NOT c", lambda a, b, c: a and (b and not c)),
    ("(a OR b) c", lambda a, b, c: (a or b) and c),
    ("a NOT b NOT c", lambda a, b, c: (a and not b) and not c),
    ("(a OR b) NOT (b c)", lambda a, b, c: (a or b) and not (b and c)),
]


@pytest.mark.parametrize(("query", "meant"), EXPRESSIONS)
def test_not_binds_closest_then_and_then_or(query: str, meant: Callable[[bool, bool, bool], bool]) -> None:
    expression = parse_expression(query)
    assert expression is not None
    for truths in product((False, True), repeat=3):
        names = dict(zip("abc", truths, strict=True))
        assert expression.matches(lambda text, _, names=names: names[text]) == meant(*truths)


def test_words_side_by_side_are_no_expression() -> None:
    assert not is_expression("user service and more")
    assert parse_expression("a b") is None


def test_names_are_not_scanned_if_enough_are_spelled_so() -> None:
    texts = {f"m{number}.py": "def BIT(): ...\n" for number in range(30)}
    program = MemoryIndex({**texts, "z.py": "def bufferInTransit(): ...\ndef BaseInText(): ...\n"})
    scanned: list[str] = []
    scan = program.iter_declared

    def iter_declared(
        prefix: str, pattern: re.Pattern[bytes] | None = None, literal: str = ""
    ) -> Iterable[str]:
        scanned.append(prefix)
        return scan(prefix, pattern, literal)

    program.iter_declared = iter_declared  # type: ignore[method-assign]
    graph = Graph(program, RESOLVERS)
    assert len(search(graph, "BIT", 30)) == 30
    assert not scanned
    found = search(graph, "BIT", 32)
    assert found[-2:] == ["z.BaseInText", "z.bufferInTransit"]
    assert scanned
    scanned.clear()
    assert search(graph, "BIT", 32) == found  # known by now
    assert not scanned


WORDS = st.sampled_from(
    [
        "usb",
        "dev",
        "nr",
        "rx",
        "ip",
        "a",
        "use",
        "using",
        "flies",
        "sky",
        "skies",
        "usable",
        "usability",
        "happy",
    ]
)


@pytest.mark.sized
@settings(max_examples=examples(1_000))
@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=1, max_size=5))
def test_no_similar_name_lacks_the_parts_that_are_looked_for(asked: list[str], declared: list[str]) -> None:
    name = "_".join(declared)
    graph = make_graph({"a.py": f"def {name}(): ...\n"})
    word = graph._symbols._prepare("_".join(asked))
    if rate_name(word, name):
        assert all(needle in name for needle in list_needles(word)), (word, name)


def test_what_was_found_is_kept_for_the_next_page(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = make_graph(FILES)
    scope = SymbolFilter()
    found, _ = graph.search("get user", scope, 5)
    similar = graph.find_similar(found[0][0], 3)
    assert found
    assert similar

    def refuse(*_arguments: object) -> object:
        raise AssertionError("found again")

    monkeypatch.setattr(symbol_search.SymbolFinder, "find", refuse)
    monkeypatch.setattr(SimilarFinder, "find", refuse)
    assert graph.search("get user", scope, 5)[0] == found
    assert graph.find_similar(found[0][0], 3) == similar
    with pytest.raises(AssertionError):
        graph.search("get user", scope, 6)


@pytest.mark.parametrize(
    ("text", "literal"),
    [("order*", "order"), ("*Store", "Store\n"), ("a*Order*b", "Order"), ("*", ""), ("**", "")],
)
def test_a_star_alone_has_no_text_to_look_for(text: str, literal: str) -> None:
    """The end of a line alone would be found again and again."""
    word = QueryWord(text, text.lower(), (), (), build_stars(text), has_star=True, weight=1.0)
    assert find_literal(word) == literal
