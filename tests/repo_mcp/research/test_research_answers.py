"""What research finds in small programs: callers, implementations, dependencies, ways, settings, modules."""

from __future__ import annotations

import random

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.live_graph import RESOLVERS
from repo_mcp.research.edges.traversals import FIRST_FAN
from repo_mcp.research.findings.records import Focus, Form, ResearchRequest, RunControl
from repo_mcp.research.question.asked_words import MAX_WORDS
from repo_mcp.research.settings.line_use import LineUse, classify_use
from repo_mcp.research.words.found_seeds import NO_WORD
from tests.deep.sizes import choose
from tests.repo_mcp.graph.memory_index import MemoryIndex
from tests.repo_mcp.research.asking import Asked, find_one, list_edges, list_found

SERVICE = {
    "service/__init__.py": "",
    "tests/__init__.py": "",
    "service/auth.py": '''from service.store import SessionStore, check


class AuthenticationError(Exception):
    """The credentials are wrong."""


class Authenticator:
    def __init__(self, store: SessionStore) -> None:
        self.store = store

    def authenticate(self, user, password):
        if not check(user, password):
            raise AuthenticationError(user)
        return self.store.open_session(user)
''',
    "service/store.py": """import os

TIMEOUT = 30


class SessionStore:
    def open_session(self, user):
        return make_token(user, TIMEOUT)


def make_token(user, timeout):
    return os.urandom(timeout)


def check(user, password):
    return bool(password)
""",
    "service/web.py": """from service.auth import Authenticator
from service.store import SessionStore


def login(request):
    return Authenticator(SessionStore()).authenticate(request.user, request.password)


def handle(request):
    return login(request)


def main():
    handle(None)
""",
    "service/settings.toml": "timeout = 60\n",
    "tests/test_web.py": """from service.web import login


def test_login():
    login(None)
""",
}


def test_callers_and_their_callers_are_a_chain() -> None:
    report = Asked(SERVICE).ask("what calls authenticate()", depth=3)
    assert report.reading.form is Form.CALLERS
    assert list_found(report) == [
        "service.auth.Authenticator.authenticate",
        "service.web.login",
        "service.web.handle",
        "tests.test_web.test_login",
        "service.web.main",
    ]
    assert [one.hop for one in report.findings] == [0, 1, 2, 2, 3]
    assert [one.symbols for one in report.chains] == [
        (
            "service.web.main",
            "service.web.handle",
            "service.web.login",
            "service.auth.Authenticator.authenticate",
        ),
    ]
    assert report.chains[0].citations == (
        "service/web.py:14", "service/web.py:10", "service/web.py:6",
    )  # fmt: skip
    assert find_one(report, "service.web.login").excerpt == (
        "5\tdef login(request):\n"
        "6\t    return Authenticator(SessionStore()).authenticate(request.user, request.password)\n"
    )


def test_a_hop_is_as_deep_as_the_question() -> None:
    asked = Asked(SERVICE)
    assert list_found(asked.ask("what calls authenticate()", depth=1), 1) == ["service.web.login"]
    assert list_found(asked.ask("what calls authenticate()", depth=1), 2) == []
    one = asked.ask("what calls authenticate()", depth=1)
    assert any("depth is 1" in limit.why for limit in one.limits)


def test_a_cycle_of_calls_is_named() -> None:
    text = "def a(n):\n    return b(n)\n\n\ndef b(n):\n    return a(n - 1)\n\n\ndef c(n):\n    return c(n)\n"
    report = Asked({"m.py": text}).ask("what calls a", depth=5)
    assert [(one.symbols, one.ends) for one in report.chains] == [
        (("m.a", "m.b", "m.a"), "cycle: back to m.a")
    ]
    own = Asked({"m.py": text}).ask("what calls c()")
    assert [one.ends for one in own.chains] == ["cycle: back to m.c"]


def test_what_nothing_calls_is_an_entry_point() -> None:
    report = Asked(SERVICE).ask("what calls login", depth=3)
    said = {one.symbol: one.why for one in report.entry_points}
    assert said == {
        "tests.test_web.test_login": "a test",
        "service.web.main": "no call of it was found in the repository",
    }


def test_a_decorator_is_used_by_what_it_decorates() -> None:
    files = {
        "app.py": "def route(path):\n    def wrap(f):\n        return f\n    return wrap\n",
        "views.py": 'from app import route\n\n\n@route("/")\ndef index():\n    return 1\n',
    }
    report = Asked(files).ask("what calls route")
    assert find_one(report, "views.index").why == "is decorated with app.route"
    assert ("views.index", "decorated_by", "app.route") in list_edges(report)


def test_what_is_handed_on_as_a_value_is_found_where_nothing_calls_it() -> None:
    files = {
        "jobs.py": "def clean():\n    pass\n\n\ndef register(f):\n    pass\n",
        "setup.py": "from jobs import clean, register\n\n\ndef start():\n    register(clean)\n",
    }
    report = Asked(files).ask("what calls clean")
    assert list_found(report, 1) == ["setup.start"]
    assert "value" in find_one(report, "setup.start").why


def test_what_is_handed_on_as_a_value_is_found_beside_its_calls() -> None:
    files = {
        "jobs.py": "def clean():\n    pass\n\n\ndef nightly():\n    clean()\n",
        "setup.py": "import jobs\n\n\ndef start():\n    run(jobs.clean)\n",
    }
    report = Asked(files).ask("what calls clean")
    assert list_found(report, 1) == ["jobs.nightly", "setup.start"]
    assert (
        find_one(report, "setup.start").why == "mentions jobs.clean as a value, and may cause it to be called"
    )
    assert {one.symbols[0]: one.confidence for one in report.chains} == {
        "jobs.nightly": "exact", "setup.start": "probable",
    }  # fmt: skip


def test_a_type_that_is_named_as_a_value_may_be_made() -> None:
    files = {
        "routes.py": (
            "class Route:\n    def __init__(self, path):\n        compile_path(path)\n\n\n"
            "def compile_path(path):\n    return path\n\n\n"
            "def show(one):\n    return isinstance(one, Route)\n\n\n"
            "class Router:\n    def __init__(self, route_class=Route):\n"
            "        self.route_class = route_class\n"
        ),
    }
    report = Asked(files).ask("what calls compile_path")
    assert list_found(report) == [
        "routes.compile_path", "routes.Route.__init__", "routes.Router.__init__",
    ]  # fmt: skip
    assert find_one(report, "routes.Router.__init__").confidence == "possible"
    assert [one.symbol for one in report.entry_points] == ["routes.Route.__init__"]


def test_a_method_may_be_called_through_the_one_that_it_overrides() -> None:
    text = """class Shape:
    def area(self): ...


class Square(Shape):
    def area(self):
        return 1


def total(shape: Shape):
    return shape.area()
"""
    report = Asked({"m.py": text}).ask("what calls Square.area")
    assert list_found(report) == ["m.Square.area", "m.Shape.area", "m.total"]
    assert [one.confidence for one in report.findings] == ["exact", "probable", "probable"]


CONFORMING = {
    "swift": (
        {
            "A.swift": "public protocol Authenticatable {}\nprotocol Admin: Authenticatable {}\n",
            "B.swift": "struct User {}\nstruct Root: Admin {}\nfinal class Guest: Authenticatable {}\n",
            "C.swift": "extension User: Authenticatable {}\nextension String: Authenticatable {}\n"
            "extension Authenticatable { func log() {} }\n",
        },
        {
            ("Admin", "trait"), ("Guest", "class"), ("User", "extension"), ("User", "struct"),
            ("String", "extension"), ("Root", "struct"),
        },
    ),
    "rust": (
        {"a.rs": "pub trait Authenticatable {}\npub struct User;\nimpl Authenticatable for User {}\n"},
        {("User", "impl")},
    ),
    "csharp": (
        {"a.cs": "interface Authenticatable {}\nclass User : Authenticatable {}\nclass Root : User {}\n"},
        {("User", "class"), ("Root", "class")},
    ),
    "typescript": (
        {
            "a.ts": "export interface Authenticatable {}\nexport class User implements Authenticatable {}\n",
            "b.ts": 'import { User } from "./a";\nexport class Root extends User {}\n',
        },
        {("User", "class"), ("Root", "class")},
    ),
    "go": (
        {
            "a/a.go": "package a\n\ntype Authenticatable interface {\n\tLogin(name string) error\n\tOut()\n"
            "}\n"
            "\ntype Half struct{}\n\nfunc (h Half) Login(name string) error { return nil }\n",
            "a/b.go": "package a\n\nfunc (d *Disk) Login(name string) error { return nil }\n",
            "a/c.go": "package a\n\ntype Disk struct{}\n\nfunc (d *Disk) Out() {}\n\ntype Other struct{}\n\n"
            "func (o Other) Login() error { return nil }\n\nfunc (o Other) Out() {}\n",
        },
        {("a.Disk", "struct")},
    ),
    "python": (
        {
            "a.py": "from typing import Protocol\n\n\nclass Authenticatable(Protocol):\n"
            "    def login(self, name): ...\n",
            "b.py": "class User:\n    def login(self, name): ...\n\n\n"
            "class Other:\n    def login(self): ...\n",
        },
        {("b.User", "class")},
    ),
    "java": (
        {"A.java": "interface Authenticatable {}\nclass User implements Authenticatable {}\n"},
        {("User", "class")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", CONFORMING)
def test_all_conforming_types_extensions_among_them(language: str) -> None:
    from repo_mcp.languages.symbol_parsers import list_languages

    if language not in list_languages():
        pytest.skip(f"no parser for {language}")
    files, expected = CONFORMING[language]
    report = Asked(files).ask("all implementations of Authenticatable")
    assert {(one.symbol, one.kind) for one in report.findings if one.hop} == expected


def test_an_extension_is_shown_with_the_type_that_it_makes_conform() -> None:
    files, _ = CONFORMING["swift"]
    report = Asked(files).ask("all implementations of Authenticatable")
    (user,) = [one for one in report.findings if (one.symbol, one.kind) == ("User", "struct")]
    assert user.why == "conforms to Authenticatable by an extension"
    assert ("User", "extension_of", "User") in list_edges(report)


def test_subclasses_of_what_is_declared_elsewhere() -> None:
    files = {
        "a.py": "from pydantic import BaseModel as Base\n\n\nclass One(Base):\n    pass\n",
        "b.py": "import pydantic\nfrom a import One\n\n\nclass Two(pydantic.BaseModel):\n    pass\n\n\n"
        "class Three(One):\n    pass\n",
    }
    report = Asked(files).ask("all subclasses of BaseModel")
    assert "pydantic.BaseModel (declared outside" in report.reading.text
    assert list_found(report) == ["a.One", "b.Two", "b.Three"]


def test_what_nothing_implements_is_answered_by_what_uses_it() -> None:
    report = Asked(SERVICE).ask("all implementations of SessionStore")
    assert report.warnings == (
        "Nothing is known to implement or extend it; what depends on it is shown instead.",
    )
    assert "service.web.login" in list_found(report)
    assert report.claim.startswith(
        "Nothing in the repository is known to implement or extend store.SessionStore"
    )
    assert " It is used by " in report.claim


def test_dependencies_inside_and_outside() -> None:
    report = Asked(SERVICE).ask("what does SessionStore depend on", depth=2)
    assert list_found(report) == [
        "service.store.SessionStore", "service.store.TIMEOUT", "service.store.make_token",
    ]  # fmt: skip
    assert report.outside is not None
    assert [one.name for one in report.outside] == ["os.urandom", "os"]


def test_what_a_file_imports_hop_by_hop() -> None:
    report = Asked(SERVICE).ask("what does service/web.py depend on")
    assert list_found(report) == ["service/web.py", "service/auth.py", "service/store.py"]
    assert list_edges(report) == {
        ("service/web.py", "imports", "service/auth.py"),
        ("service/web.py", "imports", "service/store.py"),
        ("service/auth.py", "imports", "service/store.py"),
    }


def test_who_imports_a_folder() -> None:
    report = Asked(SERVICE).ask("what depends on service/")
    assert list_found(report) == ["tests/test_web.py"]


def test_a_way_of_calls_from_one_symbol_to_another() -> None:
    report = Asked(SERVICE).ask("how does handle reach make_token", depth=3)
    assert [one.symbols for one in report.chains] == [
        (
            "service.web.handle",
            "service.web.login",
            "service.auth.Authenticator.authenticate",
            "service.store.SessionStore.open_session",
            "service.store.make_token",
        )
    ]
    assert report.chains[0].confidence == "exact"


def test_no_way_is_said_and_what_is_near_is_shown() -> None:
    report = Asked(SERVICE).ask("how does check reach main", depth=1)
    assert report.chains == ()
    assert "No path of calls was found within 1 calls" in report.warnings[0]


def test_a_way_the_other_way_round_is_said_to_be_one() -> None:
    report = Asked(SERVICE).ask("how does make_token reach handle", depth=3)
    assert report.warnings == ("No path of calls leads there; these lead the other way.",)
    assert report.chains[0].symbols[0] == "service.web.handle"


BUILDERS = """class App:
    def build(self, builder: "Builder", all):
        if all:
            builder.build_all()
        else:
            builder.build_some()


class Builder:
    def build_all(self):
        self.write()

    def build_some(self):
        self.write()

    def write(self):
        self.prepare()

    def prepare(self):
        self.write_doc()

    def write_doc(self): ...


class Html(Builder):
    def write_doc(self): ...


class Single(Html):
    def write(self):
        self.write_doc()
"""


def test_ways_that_are_as_short_are_all_shown_and_longer_ones_where_none_is_sure() -> None:
    report = Asked({"m.py": BUILDERS}).ask("how does App.build reach Html.write_doc", depth=4)
    assert [one.symbols[1:-1] for one in report.chains] == [
        ("m.Builder.build_all", "m.Builder.write", "m.Single.write"),
        ("m.Builder.build_some", "m.Builder.write", "m.Single.write"),
        ("m.Builder.build_all", "m.Builder.write", "m.Builder.prepare", "m.Builder.write_doc"),
        ("m.Builder.build_some", "m.Builder.write", "m.Builder.prepare", "m.Builder.write_doc"),
    ]
    assert {one.confidence for one in report.chains} == {"probable"}


def test_what_is_overridden_is_cited_where_it_is_declared() -> None:
    report = Asked({"m.py": BUILDERS}).ask("how does App.build reach Html.write_doc", depth=4)
    assert report.chains[0].citations == ("m.py:4", "m.py:11", "m.py:16", "m.py:31")


def test_where_something_is_configured() -> None:
    report = Asked(SERVICE).ask("where is timeout configured")
    assert [one.citation for one in report.findings if one.hop == 1] == [
        "service/settings.toml:1",
        "service/store.py:3",
    ]
    reading = [one for one in report.findings if one.hop == 2]
    assert [(one.citation, one.lines) for one in reading] == [("service/store.py:11-12", (11, 12))]
    assert report.claim.endswith("set at service/settings.toml:1 and service/store.py:3.")


def test_what_reads_a_setting_does_not_set_it() -> None:
    files = {
        "db/base.py": 'def connect(settings):\n    return settings.get("MAX_AGE", 0)\n',
        "db/utils.py": 'def prepare(conn):\n    conn.setdefault("MAX_AGE", 0)\n',
        "docs/settings.rst": ".. setting:: MAX_AGE\n",
        "tests/test_db.py": "".join(
            f"def test_{n}(old):\n    old.old_max_age = MAX_AGE = {n}\n" for n in range(5)
        ),
    }
    report = Asked(files).ask("where is MAX_AGE configured")
    assert [(one.citation, one.why) for one in report.findings][:3] == [
        ("db/utils.py:1-2", "sets MAX_AGE, in the program"),
        ("db/base.py:1-2", "reads MAX_AGE"),
        ("docs/settings.rst:1", "declares or documents MAX_AGE, in a document or example"),
    ]
    assert ("more tests that set MAX_AGE", "3 are shown") in [(one.what, one.why) for one in report.limits]


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("MAX_AGE = 3", LineUse.SETS),
        ('    "MAX_AGE": 3,', LineUse.SETS),
        ("max-age=3", LineUse.SETS),
        ('settings.setdefault("MAX_AGE", 3)', LineUse.SETS),
        ('option.add_option("max-age", 3)', LineUse.OPTION),
        ('either("MAX_AGE", given)', LineUse.PASSES_ON),
        ('names = ["MAX_AGE", "MIN_AGE"]', LineUse.PASSES_ON),
        ('os.environ.get("MAX_AGE", "3")', LineUse.TAKES),
        ("const age = process.env.MAX_AGE ?? 3", LineUse.TAKES),
        ('match std::env::var_os("MAX_AGE") {', LineUse.TAKES),
        ('os.environ["MAX_AGE"] = "3"', LineUse.SETS),
        ('command.env("MAX_AGE", "3")', LineUse.SETS),
        ('log("wrong file in MAX_AGE: {}", path)', LineUse.READS),
        ('getattr(settings, "x", 0), get("MAX_AGE", 3)', LineUse.READS),
        ('getattr(self.settings, "MAX_AGE", 3)', LineUse.READS),
        ('setattr(settings, "MAX_AGE", 3)', LineUse.SETS),
        (".. setting:: MAX_AGE", LineUse.DECLARES),
        ('    parser.option(--max-age)', LineUse.DECLARES),
        ("run --max-age=3", LineUse.SETS),
    ],
)  # fmt: skip
def test_what_a_line_does_with_a_setting(line: str, use: LineUse) -> None:
    assert classify_use("MAX_AGE", line) == use


def test_an_open_question_finds_what_its_words_say_and_what_connects_it() -> None:
    report = Asked(SERVICE).ask("how are sessions opened for a user")
    assert report.reading.form is Form.OPEN
    assert list_found(report)[0] == "service.store.SessionStore.open_session"
    assert "7\tdef open_session(self, user):\n" in report.findings[0].excerpt
    assert "service.store.SessionStore" in list_found(report)
    assert "service.auth.Authenticator.authenticate" in list_found(report)


def test_a_name_alone_is_what_it_is_and_what_it_has_to_do_with() -> None:
    report = Asked(SERVICE).ask("SessionStore")
    assert report.reading.form is Form.DEFINED
    assert set(list_found(report)) >= {
        "service.store.SessionStore",
        "service.web.login",
        "service.auth.Authenticator.__init__",
    }


def test_a_name_that_is_written_otherwise_is_said_to_be() -> None:
    report = Asked(SERVICE).ask("what calls OpenSession")
    assert '"OpenSession" itself is not declared' in report.reading.text
    assert list_found(report, 1) == ["service.auth.Authenticator.authenticate"]


def test_names_that_are_words_mean_what_is_declared() -> None:
    report = Asked(SERVICE).ask("what uses the session store")
    assert report.reading.subjects[0].nodes[0].qualified_name == "service.store.SessionStore"


def test_architecture_has_modules_layers_and_entry_points() -> None:
    report = Asked(SERVICE).ask("architecture")
    assert report.modules is not None
    assert report.layers is not None
    assert [one.name for one in report.modules] == ["service/store.py", "service/auth.py", "service/web.py"]
    assert [one.modules for one in report.layers] == [
        ("service/store.py",), ("service/auth.py",), ("service/web.py",),
    ]  # fmt: skip
    assert [one.symbol for one in report.entry_points] == ["service.web.main"]
    assert ("service/web.py", "imports", "service/auth.py") in list_edges(report)


def test_modules_that_import_each_other_are_named_as_a_cycle() -> None:
    files = {
        "a.py": "import b\nimport c\n",
        "b.py": "import a\n",
        "c.py": "",
    }
    report = Asked(files).ask("architecture of the project")
    assert report.layers is not None
    assert [(one.modules, one.cycles) for one in report.layers] == [
        (("c.py",), ()),
        (("a.py", "b.py"), (("a.py", "b.py"),)),
    ]


def test_patterns_are_what_is_repeated() -> None:
    classes = "".join(
        f"class {name}Handler(Handler):\n    def open(self): ...\n    def read(self): ...\n"
        "    def close(self): ...\n\n\n"
        for name in ("File", "Pipe", "Socket")
    )
    views = "".join(f"@route('/{name}')\ndef {name}(): ...\n\n\n" for name in ("home", "about", "news"))
    files = {
        "handlers.py": f"class Handler: ...\n\n\n{classes}",
        "views.py": f"from web import route\n\n\n{views}",
        "web.py": "def route(path):\n    return lambda f: f\n",
    }
    report = Asked(files).ask("repeated shapes", focus=Focus.PATTERNS)
    assert report.shapes is not None
    assert [(one.shape, one.name, one.count) for one in report.shapes] == [
        ("family", "handlers.Handler", 3),
        ("decorator", "web.route", 3),
        ("members", "close, open, read", 3),
        ("name", "*Handler", 3),
    ]


def test_what_is_decorated_twice_is_one_declaration() -> None:
    views = "".join(f"@route('/a')\n@route('/b')\ndef {name}(): ...\n\n\n" for name in ("a", "b", "c"))
    files = {
        "web.py": "def route(path):\n    return lambda f: f\n",
        "views.py": f"from web import route\n\n\n{views}",
    }
    report = Asked(files).ask("repeated shapes", focus=Focus.PATTERNS)
    assert [(one.name, one.count) for one in report.shapes or ()] == [("web.route", 3)]
    assert report.reading.text == "what is repeated in the whole repository"


def test_the_line_that_is_shown_is_that_which_declares() -> None:
    files = {"m.py": "def g(): ...\n\n\n@named('the_largest')\n@named('largest')\ndef largest():\n    g()\n"}
    found = find_one(Asked(files).ask("what calls g"), "m.largest")
    assert found.excerpt == "6\tdef largest():\n7\t    g()\n"


def test_what_calls_the_best_fit_comes_before_what_others_call() -> None:
    helpers = "".join(f"def {name}():\n    pass\n\n\n" for name in "abcdefghijklmn")
    used = "".join(f"    {name}()\n" for name in "abcdefghijklmn")
    files = {
        "m.py": f"{helpers}def parse_request_body():\n{used}\n\n",
        "z.py": "from m import parse_request_body\n\n\ndef serve():\n    parse_request_body()\n",
    }
    report = Asked(files).ask("how are request bodies parsed", depth=1)
    assert list_found(report)[:2] == ["m.parse_request_body", "z.serve"]
    assert ("z.serve", "m.parse_request_body") in [one.symbols for one in report.chains]


def test_a_focus_adds_to_what_was_asked() -> None:
    asked = Asked(SERVICE)
    assert asked.ask("what calls login", focus=Focus.ARCHITECTURE).modules is not None
    flow = asked.ask("login", focus=Focus.FLOW, depth=3)
    assert any(one.symbols[0] == "service.web.login" for one in flow.chains)
    assert any(one.symbols[-1] == "service.web.login" for one in flow.chains)
    needs = asked.ask("make_token", focus=Focus.DEPENDENCIES)
    assert needs.reading.form is Form.DEPENDENCIES
    assert needs.outside is not None


def test_only_what_lies_in_the_folder_is_shown() -> None:
    report = Asked(SERVICE).ask("what calls login", folder="service")
    assert all(one.path.startswith("service/") for one in report.findings)
    assert any("outside service" in limit.what for limit in report.limits)


def test_an_open_question_about_a_folder_is_answered_from_it() -> None:
    files = {f"{name}/a.py": "def open_session(user):\n    return user\n" for name in ("one", "two")}
    report = Asked(files).ask("how are sessions opened", folder="two")
    assert {one.path for one in report.findings} == {"two/a.py"}


def test_tests_come_after_the_program() -> None:
    report = Asked(SERVICE).ask("what calls login")
    assert list_found(report, 1) == ["service.web.handle", "tests.test_web.test_login"]


def test_what_is_cut_off_is_said() -> None:
    callers = "".join(f"def f{n}():\n    g()\n\n\n" for n in range(60))
    report = Asked({"m.py": f"def g(): ...\n\n\n{callers}"}).ask("what calls g")
    assert len(list_found(report, 1)) == FIRST_FAN
    assert ("edges of m.g (20 more)", "at most 40 per symbol are shown") in [
        (one.what, one.why) for one in report.limits
    ]


def test_progress_rises_and_tells_of_each_hop() -> None:
    asked = Asked(SERVICE)
    asked.ask("what calls make_token", depth=4)
    done = [one for one, _, _ in asked.reported]
    assert done == sorted(done)
    assert {total for _, total, _ in asked.reported} == {5}
    assert done[-1] == 5
    said = " / ".join(text for _, _, text in asked.reported)
    assert all(f"hop {hop} of 4" in said for hop in (1, 2, 3, 4))


@pytest.mark.sized
@pytest.mark.parametrize(
    "question", ["what calls login", "how are sessions opened", "architecture", "where is TIMEOUT set"]
)
def test_a_question_can_be_cancelled_at_any_step(question: str) -> None:
    asked = Asked(SERVICE)
    polls = 0

    def count() -> bool:
        nonlocal polls
        polls += 1
        return False

    asked.run(ResearchRequest(question), RunControl(count))
    assert polls > 3
    for last in random.sample(range(1, polls + 1), choose(min(12, polls), polls)):
        left = last

        def stop() -> bool:
            nonlocal left
            left -= 1
            return left <= 0

        with pytest.raises(RepoError) as raised:
            asked.run(ResearchRequest(question), RunControl(stop))
        assert raised.value.code is ErrorCode.CANCELLED


def test_without_a_graph_the_words_are_searched_for_and_that_is_said() -> None:
    report = Asked(SERVICE, has_graph=False).ask("what calls authenticate")
    assert "no symbol index yet" in report.warnings[0]
    assert any(one.path == "service/auth.py" for one in report.findings)
    assert all(one.confidence == "text" for one in report.findings)


@pytest.mark.parametrize(
    ("query", "depth", "argument"), [("  ", 2, "query"), ("x", 0, "depth"), ("x", 6, "depth")]
)
def test_what_cannot_be_asked_is_refused(query: str, depth: int, argument: str) -> None:
    with pytest.raises(RepoError) as raised:
        Asked(SERVICE).ask(query, depth)
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT
    assert raised.value.details == {"argument": argument}


def test_a_form_feed_or_separator_in_a_line_is_no_end_of_it() -> None:
    odd = {"notes.txt": "gadget parade \u2028word\tgadget\n\x0c\tgadget parade\n\x85\tparade\n"}
    for has_graph in (True, False):
        report = Asked(SERVICE | odd, has_graph=has_graph).ask("gadget parade")
        assert [(one.path, one.start_line, one.end_line) for one in report.findings] == [("notes.txt", 1, 3)]


def test_a_whole_file_is_shown_by_its_first_line_that_holds_anything() -> None:
    report = Asked({"a.py": "\nimport os\n\n\ndef f():\n    return os\n"}).ask("what does a.py depend on")
    assert report.findings[0].excerpt == "2\timport os\n"


def test_a_symbol_outside_of_the_folder_is_counted_once_however_often_it_is_reached() -> None:
    files = {
        "lib/core.py": "def one():\n    pass\n\n\ndef two():\n    one()\n\n\ndef three():\n    two()\n",
        "app/use.py": "from lib.core import one, two\n\n\ndef run():\n    one()\n    two()\n",
    }
    report = Asked(files).ask("what calls one", depth=2, folder="lib")
    assert [one.what for one in report.limits if "outside " in one.what] == ["1 symbol outside lib"]


def test_of_a_very_long_question_the_first_words_are_looked_for_and_that_is_said() -> None:
    words = [f"word{number}x" for number in range(MAX_WORDS + 5)]
    report = Asked(SERVICE).ask(" ".join(["session", "token", *words]))
    assert "7 words of the question" in [one.what for one in report.limits]
    assert any(one.symbol == "service.store.make_token" for one in report.findings)


def test_a_question_of_signs_finds_nothing_and_says_why() -> None:
    report = Asked(SERVICE).ask("((( ?")
    assert report.findings == ()
    assert report.warnings == (NO_WORD,)


def test_no_path_leads_from_a_type_into_a_nested_one() -> None:
    text = (
        "class Queue { public void Push() {} }\n"
        "class State {\n  public State() { Queue.Log(); }\n"
        "  class Handler { public void Apply(Queue queue) { queue.Push(); } }\n}\n"
        "class Client { public void Send() { var state = new State(); } }\n"
    )
    claim = Asked({"a.cs": text}).ask("how does Client.Send reach Queue.Push").claim
    assert claim.startswith("No path of calls is known between Client.Send (")


def test_a_path_may_have_spaces_and_brackets() -> None:
    files = {
        "Sources/App/Big Trees/Oak.swift": "struct Oak {}\n",
        "Sources/App/Park.swift": "func plant(oak: Oak) {}\n",
        "web/[id] (new)/page.ts": "import { a } from '../a';\nexport const b = a();\n",
        "web/a.ts": "export function a() { return 1; }\n",
    }
    asked = Asked(files)
    for question, answer in (
        ("what does Sources/App/Park.swift depend on?", "uses Sources/App/Big Trees/Oak.swift ("),
        ("what uses Sources/App/Big Trees/Oak.swift?", "is used by plant (Sources/App/Park.swift:1)"),
        ("what does the file Big Trees/Oak.swift depend on?", "Nothing that the repository declares"),
        ("what does web/[id] (new)/page.ts depend on?", "uses web/a.ts ("),
    ):
        report = asked.ask(question)
        assert answer in report.claim
        assert [one.taken_as for one in report.reading.subjects] == ["file"]
    used = next(one for one in asked.ask("what does Sources/App/Park.swift depend on?").findings if one.hop)
    assert used.why == "used by Sources/App/Park.swift, Sources/App/Park.swift:1"


def test_a_file_that_is_parsed_again_is_no_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    """The symbol index lists it, but has no record of its present text."""
    asked = Asked({"pkg/a.py": "def first(): ...\n", "pkg/b.py": "from pkg.a import first\n"})
    assert asked._graph is not None
    program = asked._graph._program
    assert isinstance(program, MemoryIndex)
    monkeypatch.setattr(program, "list_paths", lambda: ["pkg/a.py", "pkg/b.py"])
    assert [one.taken_as for one in asked.ask("what depends on pkg/a.py").reading.subjects] == ["file"]
    del program._structures["pkg/a.py"]
    asked._graph = Graph(program, RESOLVERS)
    assert [one.taken_as for one in asked.ask("what depends on pkg/a.py").reading.subjects] != ["file"]


@pytest.mark.parametrize(
    "query",
    [
        "explain this repository",
        "what does this repository do?",
        "how does our library work?",
        "give me a short overview of this repo",
    ],
)
def test_a_question_about_the_whole_is_answered_with_its_structure(query: str) -> None:
    assert Asked(SERVICE).ask(query).reading.form is Form.OVERVIEW


def test_a_word_that_is_a_name_here_is_not_the_whole() -> None:
    asked = Asked(
        {"web/app.py": "class App:\n    def run(self):\n        return start()\n\n\ndef start(): ...\n"}
    )
    assert asked.ask("what is the app?").reading.form is Form.DEFINED
