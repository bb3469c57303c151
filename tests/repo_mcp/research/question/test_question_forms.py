"""The grammar of questions: which form a question has, and what it is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import MAX_CHARS, Parsed, parse_question
from repo_mcp.research.question.phrases import read_phrase
from repo_mcp.symbols.model import CALLABLE_KINDS, TYPE_KINDS
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked

QUESTIONS = """
implementations | Authenticatable | all implementations of Authenticatable
implementations | BaseModel | Find all subclasses of BaseModel.
implementations | Hashable | which types conform to Hashable?
implementations | Node | classes that inherit from Node
implementations | Shape.area | what overrides Shape.area
implementations | App.Http.Kernel | what extends App\\Http\\Kernel?
implementations | Depot::Counting | What includes Depot::Counting?
implementations | Counting | what prepends the module Counting
difference | load -> watch -> call | difference between load, watch and call
implementations | Storage | list the implementors of the Storage trait
implementations | Middleware | who implements the Middleware protocol
callers | authenticate | what calls authenticate()
callers | AuthService.login | Who calls `AuthService.login`?
callers | foo | callers of the function foo()
callers | foo | show me the call chain of foo
callers | open_session | where is open_session called from
raised | ValidationError | what raises ValidationError
callers | Session | which functions create a Session
callers | Hook.fail | who calls Hook.fail, and what does it do with the transaction?
configured | max_retries | where is max_retries configured, what is its default, and where is it enforced?
callees | X | what does X call
callees | run | what is called by run()
callees | Foo | how does Foo work
callees | include_router | what happens when include_router is called
dependencies | Router | what does Router depend on
dependencies | celery/app | dependencies of celery/app
dependencies | a/b.py | what does a/b.py import
dependents | Router | what depends on Router
dependents | SessionStore | where is SessionStore used in this codebase
dependents | parse | usages of parse
dependents | Foo | impact of removing Foo
dependents | Config | what would break if I change Config
configured | timeout | where is timeout configured
configured | timeout | where is the timeout configured, including its default?
configured | timeout | where is the timeout set and its default value
configured | max_tries | where is max_tries set and what is its default?
configured | array pool | where is the array pool used and configured?
configured | array pool | where is the array pool configured and used?
configured | retry limit | where is the retry limit read or set?
defined | Foo | where is Foo defined and used?
dependents | pool | where is the pool created and used?
configured | logging | how do I configure logging
configured | max_size | default value of max_size
configured | DEBUG | what controls DEBUG
flow | include_router -> get_dependant | how does include_router reach get_dependant
flow | request -> handler | how does a request get to the handler
flow | foo -> bar | path from foo to bar
flow | foo -> bar | foo -> bar
flow | login -> db | trace login to db
flow | include_router -> get_dependant | how is get_dependant reached from include_router
flow | errors -> client | how do errors flow to the client
difference | apply -> call | apply or call: which should I use to run a job?
difference | BindOne -> TryBindOne | BindOne vs TryBindOne: which one should a handler use?
difference | FastQueue -> SlowQueue | FastQueue or SlowQueue: when should I use which?
difference | file buffer -> memory buffer | should I use a file or a memory buffer?
difference | Mode.Lazy -> Mode.Eager | Mode.Lazy against Mode.Eager: what is the difference for a job?
difference | set -> set_all | When do I need set and when set_all?
difference | before hook -> after hook | when is a before hook run and when an after hook?
difference | add -> push | Which of add and push should I use?
difference | map -> filter | which is faster, map or filter?
difference | read -> load | When should I use read instead of load?
difference | lazy -> eager | how does lazy compare to eager?
dependents | event | what listens to the event
defined | Foo | where is Foo defined?
defined | Foo | what is Foo
overview |  | describe the architecture of this project
overview | codebase | how is the codebase organized
overview | fastapi | architecture of fastapi
overview |  | system structure
overview |  | main modules and layers
overview |  | explain this repository
overview |  | what is the project about?
overview |  | Summarize the code base.
extension | link | where would I add a new link
extension | lookup | how do I register a lookup
extension | completing another shell | Where would I add support for completing another shell?
extension | serialiser | how can we write our own serialiser
errors | a request | which errors can a request raise?
errors | a request | which timeout errors can a request raise?
errors | an unknown option | what exceptions does an unknown option produce
errors | registering a route | which errors or panics can registering a route cause?
errors | Row.find | what happens when Row.find is given a bad key?
errors | Row.find | what happens if I pass a malformed key to Row.find?
errors | the depth is exceeded | which errors can occur when the depth is exceeded?
difference | A.b -> A.c | what is the difference between A.b and A.c?
difference | A -> B | A vs. B
difference | get -> fetch | how do get and fetch differ
difference | Depot.open -> Depot.watch | what is the difference between open and watch on the Depot class?
difference | Depot.get -> Depot.set | how do get() and set() of Depot differ?
configured | may wait | where is it configured how many may wait
open | where are jobs dropped when the pile is full | where are jobs dropped when the pile is full
open | how are requests validated | how are requests validated
open | Router | Router
"""


@pytest.mark.parametrize("row", QUESTIONS.strip().split("\n"))
def test_a_question_has_a_form_and_subjects(row: str) -> None:
    form, subjects, question = (part.strip() for part in row.split("|"))
    first = parse_question(question)[0]
    assert first.form.value == form
    assert " -> ".join(phrase.text for phrase in first.phrases) == subjects


def test_the_open_form_is_always_the_last_way() -> None:
    for question in ("what calls f()", "how are requests validated", "", "?" * 50):
        assert parse_question(question)[-1].form is Form.OPEN


def test_words_around_a_name_say_its_kind() -> None:
    assert read_phrase("the class `Foo`").kinds == TYPE_KINDS
    assert read_phrase("Foo struct").kinds == TYPE_KINDS
    assert read_phrase("foo(a, b)").kinds == read_phrase("foo()").kinds
    assert read_phrase("foo(a, b)").parameters == ("a", "b")
    assert read_phrase("foo()").kinds == CALLABLE_KINDS | TYPE_KINDS
    assert read_phrase("function").text == "function"


def test_a_long_question_is_an_open_one() -> None:
    long = "what calls " + "x" * MAX_CHARS
    assert [one.form for one in parse_question(long)] == [Form.OPEN]


@given(st.text(max_size=200))
def test_any_text_is_understood_somehow(text: str) -> None:
    found = parse_question(text)
    assert found
    assert all(isinstance(one, Parsed) for one in found)


@pytest.mark.parametrize("word", ["what ", "of ", "which that is ", "a to b and ", "how does ", "is is "])
def test_no_question_takes_long(word: str) -> None:
    """No expression tries a number of ways that grows with a power above two of the length."""
    assert_linear(
        lambda size: (word * size)[:size], parse_question, MAX_CHARS // 4, factor=4, bound=32
    )  # cubic: 64


@pytest.mark.parametrize(
    "text", ["a" + " " * 10_000 + "b", "a(" + " " * 10_000 + "x", "the " * 2_500, "(" * 10_000]
)
def test_no_phrase_takes_long(text: str) -> None:
    """A question that may be a name alone is read as one, however long it is."""
    assert_linear(lambda size: text[: size // 2] + text[-size // 2 :], read_phrase, len(text) // 8)


@pytest.mark.parametrize("record", ["a row whose model has a DeletedAt field", "a Row"])
def test_what_the_program_deletes_is_no_symbol_that_somebody_changes(record: str) -> None:
    assert parse_question(f"What happens when I delete {record}?")[0].form is not Form.DEPENDENTS


def test_what_changes_by_itself_is_no_change_that_somebody_makes() -> None:
    texts = {"app/config.py": "def config():\n    return 1\n\n\ndef reload_config():\n    return config()\n"}
    asked = Asked(texts)
    assert asked.ask("what happens when the config changes?").reading.form is Form.OPEN
    assert asked.ask("what breaks if I change config?").reading.form is Form.DEPENDENTS
    assert asked.ask("what happens when reload_config changes?").reading.form is Form.DEPENDENTS
