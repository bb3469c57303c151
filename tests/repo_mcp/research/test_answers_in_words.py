"""Questions in words as research answers them: by intent, with bodies, citations and what lies around."""

from __future__ import annotations

import re

import pytest

from repo_mcp.research.findings.records import Form, Report
from repo_mcp.text.question_words import (
    Action,
    find_action,
    find_described_action,
    is_named_after,
    names_action,
)
from tests.repo_mcp.research.asking import Asked, find_one, list_found

SHOP = {
    "shop/__init__.py": "",
    "tests/__init__.py": "",
    "shop/carriers.py": '''CARRIERS = {}


class Carrier:
    """A way to ship a parcel."""

    def quote(self, parcel):
        raise NotImplementedError


class Post(Carrier):
    def quote(self, parcel):
        if parcel.weight > 20:
            raise ParcelTooHeavy(parcel.weight)
        return 5


class Drone(Carrier):
    def quote(self, parcel):
        return 50


def register_carrier(name, carrier):
    CARRIERS[name] = carrier
''',
    "shop/errors.py": "class ParcelTooHeavy(Exception):\n    pass\n",
    "shop/desk.py": '''from shop.carriers import CARRIERS


def ship_parcel(parcel, name):
    """Ship a parcel by the carrier of a name."""
    price = CARRIERS[name].quote(parcel)
    if parcel.insured:
        price = price + insure(parcel)
    return book(parcel, price)


def insure(parcel):
    return parcel.value // 100


def book(parcel, price):
    return parcel, price
''',
    "tests/test_desk.py": "from shop.desk import insure\n\n\ndef test_insure():\n    assert insure(None)\n",
    "docs/carriers.md": "# Carriers\n\n## Writing a custom carrier\n\nSubclass Carrier, then call"
    " register_carrier.\n",
}


@pytest.fixture(scope="module")
def shop() -> Asked:
    return Asked(SHOP)


def check_claim(report: Report) -> None:
    """Check that each sentence of the answer cites a place that exists."""
    assert report.claim
    for sentence in re.split(r"(?<=\.) (?=[A-Z])", report.claim):
        assert re.search(r"\([\w./]+:\d+-\d+\)", sentence), sentence
    for path, line in re.findall(r"\(([\w./]+):(\d+)-", report.claim):
        assert int(line) <= SHOP[path].count("\n") + 1


def test_how_something_works_is_its_body_and_what_does_the_work(shop: Asked) -> None:
    report = shop.ask("how is a parcel shipped by a carrier?")
    assert report.reading.form is Form.OPEN
    body = find_one(report, "shop.desk.ship_parcel").excerpt
    assert "7\t    if parcel.insured:\n8\t        price = price + insure(parcel)\n" in body
    check_claim(report)
    assert not any(one.path.startswith("tests/") for one in report.findings if not one.hop)


def test_where_to_add_is_the_base_the_registration_and_the_section(shop: Asked) -> None:
    report = shop.ask("where would I add a new carrier?")
    assert report.reading.form is Form.EXTENSION
    found = set(list_found(report))
    assert {"shop.carriers.Carrier", "shop.carriers.register_carrier"} <= found
    assert any(one.kind == "section" and "Writing a custom carrier" in one.excerpt for one in report.findings)
    check_claim(report)


def test_a_section_that_only_says_custom_is_no_answer_to_where_to_add() -> None:
    texts = {
        "store.py": "class Codec:\n    def encode(self, text):\n        raise NotImplementedError\n",
        "guide.md": "# Guide\n\n## Styles\n\nUse a custom colour.\n\n## Codecs\n\nWrite your own codec.\n",
    }
    report = Asked(texts).ask("where would I add another codec?")
    assert [one.symbol for one in report.findings if one.kind == "section"] == ["Guide > Codecs"]


def test_the_section_whose_heading_says_how_to_add_it_comes_first() -> None:
    texts = {
        "store.py": "class Codec:\n    def encode(self, text):\n        raise NotImplementedError\n",
        "aside.md": "# Hacking\n\n## Not writing a new text codec\n\nA custom text codec is seldom needed.\n",
        "codecs.md": "# Text codecs\n\nA custom text codec, a custom text codec and a text codec.\n",
        "guide.md": "# Adding a new text codec\n\nThis says what is needed beside the usual.\n",
    }
    report = Asked(texts).ask("where would I add a new text codec?")
    sections = [one.symbol for one in report.findings if one.kind == "section"]
    assert sections[0] == "Adding a new text codec"


def test_examples_that_call_the_best_function_are_no_answers() -> None:
    call = "from van import dispatch\n\n\ndef main():\n    if ready():\n        dispatch()\n"
    texts = {
        "van.py": "def dispatch():\n    van = load()\n    if van.full:\n        van.leave()\n",
        "depot.py": call.replace("main", "open_depot"),
        "_examples/first.py": call,
    }
    report = Asked(texts).ask("how is a full van dispatched?")
    near = [one.symbol for one in report.findings if not one.hop]
    assert "depot.open_depot" in near
    assert not any("main" in name for name in near)


def test_errors_are_where_they_are_raised(shop: Asked) -> None:
    report = shop.ask("which errors can the quote of a parcel raise?")
    assert report.reading.form is Form.ERRORS
    assert "raise ParcelTooHeavy(parcel.weight)" in "".join(one.excerpt for one in report.findings[:2])


def test_a_difference_shows_both_bodies_first(shop: Asked) -> None:
    report = shop.ask("what is the difference between insure and book?")
    assert report.reading.form is Form.DIFFERENCE
    assert list_found(report)[:2] == ["shop.desk.insure", "shop.desk.book"]
    places = [one.citation for one in report.findings[:2]]
    assert report.claim == f"desk.insure is declared at {places[0]}. desk.book is declared at {places[1]}."
    assert "13\t    return parcel.value // 100\n" in report.findings[0].excerpt


def test_what_breaks_are_those_that_override_and_those_that_call(shop: Asked) -> None:
    report = shop.ask("what breaks if I change Carrier.quote?")
    filling = [
        one for one in report.findings if one.why == "overrides or implements shop.carriers.Carrier.quote"
    ]
    assert {one.symbol.rpartition("carriers.")[2] for one in filling} == {"Post.quote", "Drone.quote"}
    assert all(one.excerpt.count("\n") > 1 for one in filling)  # their bodies are shown
    assert (
        "is overridden or implemented by Post.quote (shop/carriers.py:12-15) and Drone.quote" in report.claim
    )


def test_what_lies_around_has_tests_apart(shop: Asked) -> None:
    report = shop.ask("what is the difference between insure and book?")
    groups = {one.what: one.places for one in report.groups}
    assert any("test_insure" in place for place in groups["tests"])
    callers = [place for what, own in groups.items() if what.startswith("callers of ") for place in own]
    assert not any("test" in place for place in callers)


@pytest.mark.parametrize(
    ("question", "name", "near"),
    [
        ("what calls ship_parcels()", "ship_parcels", "ship_parcel"),
        ("who uses parcelTooHeavyError", "parcelTooHeavyError", "ParcelTooHeavy"),
    ],
)
def test_a_name_that_is_not_declared_is_said_so_with_the_nearest(
    shop: Asked, question: str, name: str, near: str
) -> None:
    report = shop.ask(question)
    assert report.claim.startswith(f"{name} is not declared in this repository.")
    assert near in report.claim
    assert report.findings == ()


def test_a_plain_word_that_no_file_has_is_no_prose(shop: Asked) -> None:
    report = shop.ask("what breaks if I change frobnicate")
    assert report.claim == "frobnicate is not declared in this repository. No name here is similar to it."
    assert report.findings == ()


def test_what_is_declared_in_a_language_without_a_parser_is_not_called_undeclared() -> None:
    texts = {
        "a.py": "def run():\n    pass\n",
        "queue.rb": "class Queue\n  def push_bulk!(job)\n    store(job)\n  end\nend\n",
        "client.rb": "def send_all(jobs)\n  queue.push_bulk! jobs\nend\n",
    }
    report = Asked(texts).ask("what calls push_bulk!?")
    assert report.claim == (
        "push_bulk is declared at queue.rb:2-4. push_bulk! is called by name in send_all (client.rb:1-3)."
        " Nothing here parses Ruby: references are not followed, and what is shown was found by its name"
        " alone."
    )
    first, *places = report.findings
    assert (first.why, first.excerpt) == (
        "declares push_bulk!",
        "2\tdef push_bulk!(job)\n3\t  store(job)\n4\tend\n",
    )
    assert [(one.path, one.why) for one in places] == [("client.rb", "has queue.push_bulk!")]
    texts |= {f"spec/s{number}_spec.rb": "it { queue.push_bulk! 1 }\n" for number in range(3)}
    texts |= {"web.ts": "export interface Queue {\n  id: number;\n}\n", "README.md": "Use push_bulk!\n"}
    for question in ("what calls push_bulk!?", "what calls push_bulk! of Queue"):
        named = [one.path for one in Asked(texts).ask(question).findings]
        assert named == ["queue.rb", "client.rb", *(f"spec/s{number}_spec.rb" for number in range(3))], (
            question
        )
    assert "language without a symbol parser" in report.reading.text


def test_a_name_that_may_be_in_a_file_not_parsed_yet_is_looked_for() -> None:
    texts = {
        "a.py": "def known():\n    return 1\n",
        "b.py": "def late_name():\n    return 1\n\n\ndef user():\n    return late_name()\n",
    }
    report = Asked(texts, unparsed=frozenset({"b.py"})).ask("what calls late_name()")
    assert "not declared" not in report.claim
    assert {one.path for one in report.findings} == {"b.py"}


def test_plain_words_that_are_no_name_are_still_looked_for(shop: Asked) -> None:
    assert shop.ask("who uses the parcel insurance").findings


def test_words_of_the_form_do_not_rank() -> None:
    files = {
        "a.py": "def add_new():\n    return 'add a new one'\n",
        "b.py": "def build_link(chain):\n    return chain\n",
    }
    assert list_found(Asked(files).ask("where would I add a new link?"))[0] == "b.build_link"


FORMATS = {
    "formats.py": """class NamedFormat:
    def write(self, value):
        raise NotImplementedError


class PlainFormat(NamedFormat):
    def write(self, value):
        return str(value)


class LongFormat(NamedFormat):
    def write(self, value):
        return repr(value)


def format_all(values, format):
    return [format.write(value) for value in values if format.format(value)]


def is_format(format, formats):
    return format.format in formats.format
"""
}


def test_the_type_that_a_new_thing_derives_from_is_shown_with_what_is_to_be_filled_in() -> None:
    report = Asked(FORMATS).ask("how do I write a custom format?")
    base = next(one for one in report.findings if one.kind != "section")
    assert base.symbol == "formats.NamedFormat"
    assert base.why == "the type to derive from or to implement"
    assert "raise NotImplementedError" in base.excerpt


LIBRARY = {
    "shelf.py": '''class Shelf:
    """Books that are looked up by their number."""

    def prefetch_related(self, *names):
        """Note what is to be fetched with the books."""
        self._related_names = names
        return self

    def iterate(self):
        if self._related_names:
            prefetch_related_books(self.books, self._related_names)
        return iter(self.books)


def prefetch_related_books(books, names):
    for book in books:
        for name in names:
            book.load(name)


def put_reader_class(shelf, kind):
    """Register a custom reader of the shelf: a custom reader is a reader of custom books."""
    shelf.kinds = kind
''',
    "readers.py": """KINDS = {}


def register_reader(kind):
    KINDS[kind.name] = kind
""",
    "examples/readers.py": "def register_custom_reader(kind):\n    return kind\n",
}


def test_what_is_named_by_the_verb_and_the_noun_of_a_question_comes_first() -> None:
    report = Asked(LIBRARY).ask("how do I register a custom reader?")
    first = next(one for one in report.findings if one.kind != "section")
    assert first.symbol == "readers.register_reader"
    assert "KINDS[kind.name] = kind" in first.excerpt


@pytest.mark.parametrize(
    ("question", "action"),
    [
        ("How do I register a custom lookup?", Action("register", ("lookup",))),
        ("where would we add another string format to the shop", Action("add", ("string", "format"))),
        ("how can I parse JSON with comments", Action("parse", ("json",))),
        ("how is a parcel shipped", None),
        ("what does register call", None),
    ],
)
def test_the_action_of_a_question(question: str, action: Action | None) -> None:
    assert find_action(question) == action


@pytest.mark.parametrize(
    ("name", "is_named"),
    [
        ("Flag", True),
        ("FLAGS", True),
        ("COMMAND_LINE_FLAG", True),
        ("COMMAND_FLAG", False),
        ("add_flag", True),
        ("addNewFlag", True),
        ("Flags", False),
        ("add_flag_to_the_parser", False),
        ("flag_value", False),
        ("add", False),
    ],
)
def test_what_is_called_after_an_action(name: str, is_named: bool) -> None:
    assert is_named_after(name, Action("add", ("command", "line", "flag"))) is is_named


@pytest.mark.parametrize(
    ("question", "action"),
    [
        ("How is a password checked?", Action("check", ("password",))),
        ("how is the length of a multipart form computed", Action("comput", ("length",))),
        ("Which errors can reading a map header raise?", Action("read", ("map", "header"))),
        ("how is it decided that a parcel is late", None),
        ("how does sampling decide which messages are dropped", None),
        ("what calls register", None),
    ],
)
def test_what_is_done_to_something(question: str, action: Action | None) -> None:
    assert find_described_action(question) == action


@pytest.mark.parametrize(
    ("name", "is_named"),
    [("check_password", True), ("acheckPassword", False), ("passwordIsChecked", True), ("password", False)],
)
def test_a_name_of_what_is_done(name: str, is_named: bool) -> None:
    assert names_action(name, Action("check", ("password",))) is is_named


PASSWORDS = {
    "site/checks.py": "".join(
        f"""def check_{name}(checked):
    # What is checked of a password: whether it is checked, how it is checked.
    if checked.password and checked.{name}:
        return checked.password
    return checked


"""
        for name in ("fields", "filters", "actions", "ordering")
    ),
    "auth/hashers.py": "def check_password(given, kept):\n    return digest(given) == kept\n",
}


def test_what_is_named_after_what_is_done_comes_first() -> None:
    report = Asked(PASSWORDS).ask("how is a password checked?")
    assert report.findings[0].symbol == "hashers.check_password"


COMMANDS = {
    "base.py": "class BaseCommand:\n    def handle(self):\n        raise NotImplementedError\n",
    **{
        f"commands/{name}.py": "from base import BaseCommand\n\n\nclass Command(BaseCommand):\n"
        f"    def handle(self):\n        return {name!r}\n"
        for name in ("add", "check", "dump", "flush", "load", "migrate", "shell", "show")
    },
    "site/add.py": "from commands.add import Command as Base\n\n\nclass Command(Base):\n    pass\n",
}


def test_of_many_types_of_one_name_the_one_that_they_derive_from_is_shown() -> None:
    report = Asked(COMMANDS).ask("how do I add a management command?")
    assert report.findings[0].symbol == "base.BaseCommand"


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("[Available for MacOS](https://example.org)", False),
        ("Available since 2.0", False),
        ("where `Available` decides", True),
        ("calls Upstream.Available", True),
        ("call Available() first", True),
        ("## Available\n\nIt says", True),
        ("the type Available holds", True),
    ],
)
def test_documents_name_a_symbol_that_is_a_plain_word_only_as_code(text: str, is_named: bool) -> None:
    store = "def Available():\n    return 1\n"
    shop = Asked({"store.py": store, "README.md": f"# Store\n\n{text}\n"})
    groups = {one.what: one.places for one in shop.ask("what breaks if I change Available").groups}
    assert ("documentation" in groups) is is_named


def test_a_setting_of_several_parts_is_looked_for_as_it_is_written() -> None:
    texts = {
        "site.yml": "theme:\n  features:\n    - navigation.instant\n    - search.highlight\n",
        "src/app.ts": 'export function mount() {\n  if (feature("navigation.instant")) go()\n}\n',
        "made/app.js.map": '{"sources": "' + "x" * 400 + ' navigation.instant"}\n',
        "src/preview.ts": "export function preview() {\n  const instant = 1\n  return instant\n}\n",
    }
    report = Asked(texts).ask("where is navigation.instant configured")
    assert [(one.path, one.lines) for one in report.findings] == [("site.yml", (3,)), ("src/app.ts", (2,))]
    assert report.claim == "navigation.instant is set at site.yml:3."


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("who calls LostWidget?", "No file parsed so far declares LostWidget, but it is written at a.py:2."),
        ("who calls NoSuchWidget?", "NoSuchWidget is not declared in this repository."),
    ],
)
def test_an_undeclared_name_is_said_to_be_so_while_files_are_parsed(question: str, claim: str) -> None:
    texts = {
        "a.py": "def build_widget():\n    return LostWidget()\n",
        "b.py": "def call_no_widget():\n    return None\n",
    }
    report = Asked(texts, unparsed=frozenset({"b.py"})).ask(question)
    assert report.claim.startswith(claim)
    assert {one.path for one in report.findings} <= {"a.py"}


def test_how_something_works_is_also_what_reads_the_fields_that_it_sets() -> None:
    report = Asked(LIBRARY).ask("how does prefetch_related work?")
    found = {one.symbol: one for one in report.findings}
    assert found["shelf.Shelf.iterate"].why == "reads the field _related_names, which prefetch_related sets"
    assert (
        "What it sets is read by Shelf.iterate (shelf.py:9-12), and handed on to shelf.prefetch_related_books"
        in report.claim
    )
    assert "book.load(name)" in found["shelf.prefetch_related_books"].excerpt
    report = Asked(LIBRARY).ask("what does prefetch_related call?")
    assert "shelf.Shelf.iterate" not in list_found(report)
