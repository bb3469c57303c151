"""Pages as a person reads them: claims that say what was asked, and nothing shown that says nothing."""

from __future__ import annotations

import pytest

from repo_mcp.bodies.body import Body, only_imports
from repo_mcp.research.errors.lines import find_errors
from repo_mcp.research.findings.citing import join_by_file
from repo_mcp.research.settings.line_use import LineUse, classify_use
from repo_mcp.toolsets.research.other_places import ALSO_CHARS
from repo_mcp.toolsets.research.report_record import cut_report
from repo_mcp.toolsets.research.research_text import ALSO, render_report
from tests.repo_mcp.research.asking import Asked, drop_conditions

BUDGET = """pub trait Budget {
    fn withdraw(&self) -> bool;
}

pub struct Purse {
    coins: u32,
}

impl Budget for Purse {
    fn withdraw(&self) -> bool {
        self.coins > 0
    }
}

fn spend(purse: &Purse) -> bool {
    purse.withdraw()
}
"""

STORES = """class Local
{
    public Local(int size)
    {
        Open(size);
    }

    void Open(int size) { }
}

class Remote
{
    public Remote(int size)
    {
        Dial(size);
    }

    void Dial(int size) { }
}
"""

TASKS = """def set_task_status(task, status):
    text = as_text(status)
    if status == "failed" and has_excessive_failures(task):
        raise StatusError("the task keeps failing")
    return text


def has_excessive_failures(task):
    return task.count > 3


def as_text(value):
    return str(value)
"""


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("if self.failures() >= policy.retries:", LineUse.READS),
        ("while tries < len(self.retries):", LineUse.READS),
        ("retries:", LineUse.SETS),
        ("if retries: retries = 3", LineUse.SETS),
    ],
)
def test_a_condition_sets_nothing(line: str, use: LineUse) -> None:
    assert classify_use("retries", line) is use


def test_a_setting_is_not_said_to_be_mentioned_by_its_own_declaration() -> None:
    texts = {
        "task.py": "class Task:\n    @property\n    def retries(self):\n"
        '        """Override `retries` for one task."""\n        return None\n',
        "config.py": "class Config:\n    retries = 3\n",
        "tests/test_task.py": "".join(f"def test_{n}():\n    run(retries={n})\n\n\n" for n in range(2)),
        "tests/test_other.py": "".join(f"def test_{n}():\n    run(retries={n})\n\n\n" for n in range(3)),
    }
    report = Asked(texts).ask("where is retries configured?")
    own = [one for one in report.findings if one.path == "task.py"]
    assert [one.why for one in own] == ['what "retries" refers to']
    assert len([one for one in report.findings if one.path.startswith("tests/")]) == 3
    assert ("more tests that set retries", "3 are shown") in [(one.what, one.why) for one in report.limits]


def test_what_implements_a_method_is_shown_with_its_body_and_callers() -> None:
    report = Asked({"src/budget.rs": BUDGET}).ask("what breaks if I change Budget.withdraw?")
    assert report.claim == (
        "Budget.withdraw (src/budget.rs:2) is overridden or implemented by Purse.withdraw"
        " (src/budget.rs:10-12). Nothing in the repository is known to use it."
    )
    filling, caller = report.findings[1:]
    assert (filling.why, filling.hop) == ("overrides or implements Budget.withdraw", 1)
    assert "self.coins > 0" in filling.excerpt
    assert (caller.symbol, caller.why, caller.hop) == ("spend", "calls Purse.withdraw", 2)


def test_an_impl_is_one_implementation_and_shown_with_its_body() -> None:
    report = Asked({"src/budget.rs": BUDGET}).ask("all implementations of Budget")
    assert report.claim == ("Budget (src/budget.rs:1-3) is implemented by Purse (src/budget.rs:9-13).")
    (implementing,) = [one for one in report.findings if one.hop]
    assert (implementing.kind, implementing.why) == ("impl", "implements Budget")
    assert "self.coins > 0" in implementing.excerpt


def test_compared_types_are_not_their_constructors() -> None:
    report = Asked({"Stores.cs": STORES}).ask("what is the difference between Local and Remote?")
    assert [[node.kind for node in one.nodes] for one in report.reading.subjects] == [["class"], ["class"]]
    assert "more declaration" not in report.claim


DEPOT = """import watcher


class Depot:
    def open(self):
        \"\"\"Load all parcels.\"\"\"
        return self.load()

    def watch(self):
        \"\"\"Load all parcels.\"\"\"
        self.load()
        return self.follow()

    def load(self):
        return []

    def follow(self):
        return watcher.start(self)
"""


def test_compared_functions_are_told_apart_by_what_only_one_calls() -> None:
    report = Asked({"depot.py": DEPOT}).ask(
        "what is the difference between open and watch on the Depot class?"
    )
    assert [one.asked for one in report.reading.subjects] == ["Depot.open", "Depot.watch"]
    assert report.claim == (
        "Depot.open is declared at depot.py:5-7. Depot.watch is declared at depot.py:9-12."
        " Only Depot.watch calls Depot.follow (depot.py:12)."
    )


def test_callees_with_one_name_are_told_apart() -> None:
    texts = {
        "desk.py": "from bell import ring\nimport gong\n\n\nclass Desk:\n    def close(self):\n"
        "        return 1\n\n    def open(self):\n        ring()\n        gong.ring()\n",
        "bell.py": "def ring():\n    return 1\n",
        "gong.py": "def ring():\n    return 2\n",
    }
    claim = Asked(texts).ask("what is the difference between close and open on the Desk class?").claim
    assert claim.endswith(" Only Desk.open calls bell.ring (desk.py:10) and gong.ring (:11).")


def test_the_claim_names_the_errors_where_they_are_made() -> None:
    texts = {
        "Parser.java": "class Parser {\n    void parse(String text) {\n        // throw new OldException();\n"
        '        if (text == null) throw new NullException("no text");\n        try { read(text); }\n'
        '        catch (IOException e) { throw new ParseException("bad text"); }\n    }\n}\n'
    }
    claim = Asked(texts).ask("which errors can parsing a text raise?").claim
    assert claim.startswith(
        'Errors that arise in Parser (Parser.java:1-8): NullException "no text" (:4)'
        ' and ParseException "bad text" (:6).'
    )


def test_the_claim_leaves_out_callees_that_only_help() -> None:
    claim = Asked({"tasks.py": TASKS}).ask("what happens when a task keeps failing?").claim
    assert "It calls tasks.has_excessive_failures (tasks.py:8-9)." in claim


def test_what_raises_does_not_lack_the_word_fails() -> None:
    texts = {
        "move.py": "def move_down(steps):\n    for step in steps:\n        if not step.undo():\n"
        "            raise StepError(step)\n"
    }
    claim = Asked(texts).ask("what happens when moving down fails?").claim
    assert "lacks" not in claim


def test_a_word_that_is_looked_for_otherwise_is_not_said_to_be_missing() -> None:
    texts = {"move.py": "def move(steps):\n    for step in steps:\n        step.rollback()\n"}
    report = Asked(texts).ask("what happens when a move stops halfway?")
    assert "halfway" not in report.claim
    assert '"halfway" is also looked for as rollback.' in report.warnings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import type { A } from './a.js'\nimport {\n  B,\n  C,\n} from './b.js'\n", True),
        ("from a import (\n    b,\n    c,\n)\nimport os\n", True),
        ("using System;\n\nnamespace Shop;\n", True),
        ("use std::fmt;\npub use self::a::B;\nmod c;\n", True),
        ("#include <stdio.h>\n", True),
        ("import { a } from './a.js'\n\nexport const b = a()\n", False),
        ("const limit = 3\n", False),
    ],
)
def test_lines_that_only_import(text: str, expected: bool) -> None:
    lines = text.split("\n")
    assert only_imports(Body(lines, 1, len(lines), 1, {}, set())) is expected


def test_of_what_else_was_found_the_first_places_are_named_those_of_a_file_together() -> None:
    texts = {f"part{n:02}.py": f"def load_part{n:02}(queue):\n    queue.load({n})\n" for n in range(40)}
    result = cut_report(Asked(texts).ask("how is the queue loaded in parts?"), 3).result
    (also,) = [one["places"] for one in result["surroundings"] if one["what"] == ALSO]
    assert sum(map(len, also)) <= ALSO_CHARS
    assert len(also) < 37
    page = render_report("how is the queue loaded in parts?", result)
    assert "".join(f"- {one}\n" for one in also) in page
    places = ("a (x.py:1)", "b (y.py:2-3)", "c (x.py:4)", "and 5 more")
    assert join_by_file(places) == ["a (x.py:1), c (:4)", "b (y.py:2-3)", "and 5 more"]
    reported = page.partition("## Left out")[2]
    assert reported.count("call chains") <= 1


def test_documents_and_comments_set_nothing_that_the_program_sets() -> None:
    texts = {
        "job.py": 'class Job:\n    """A job.\n\n    Its settings:\n    "retryCount": a number\n    """\n\n'
        "    def run(self):\n        self.retry_count = 3\n",
        "docs/settings.rst": "Settings\n========\n\n    retry_count = 5\n",
    }
    report = Asked(texts).ask("where is retry_count configured?")
    assert report.claim == "retry_count is declared as 3 at job.py:9."
    assert "declares or documents retryCount, in the program" in [one.why for one in report.findings]


def test_a_difference_shows_only_what_lies_near_the_compared() -> None:
    texts = {
        "channel/new.py": "def bounded(size):\n    return Queue(size)\n\n\n"
        "def unbounded():\n    return Chain()\n\n\n"
        "class Queue:\n    bounded = True\n",
        "trees/range.py": "def above_bound(key, bounded, unbounded):\n    if key:\n        return bounded\n",
    }
    report = Asked(texts).ask("what is the difference between bounded and unbounded?")
    assert {one.path for one in report.findings} == {"channel/new.py"}


RUBY = {
    "lib/base.rb": "module Shop\n  class Base\n    def look_up(key)\n      raise KeyError unless key\n"
    "    end\n  end\nend\n",
    "lib/desk.rb": "module Shop\n  class Desk\n    def serve(key)\n"
    "      base.look_up(key)\n    end\n  end\nend\n",
}


def test_a_name_in_a_language_without_a_parser_is_not_said_to_be_undeclared() -> None:
    known = Asked(RUBY).ask("what breaks if I change Shop::Base#look_up?")
    assert known.claim.startswith(
        "Shop::Base#look_up is declared at lib/base.rb:3-5. look_up is called by name in Shop.Desk.serve"
        " (lib/desk.rb:3-5). Nothing here parses Ruby"
    )
    assert [one.path for one in known.findings] == ["lib/base.rb", "lib/desk.rb"]
    assert not known.warnings  # words of the form, such as "breaks", are not looked for
    unknown = Asked(RUBY).ask("what breaks if I change Shop::Base#look_down()?")
    assert "is not declared in this repository." in unknown.claim


def test_errors_are_followed_through_functions_that_raise_none() -> None:
    texts = {
        "ipc.ts": "export function getOne(channel) {\n  return getMessage(channel)\n}\n\n"
        "function getMessage(channel) {\n  check(channel)\n  return channel.read()\n}\n\n"
        "function check(channel) {\n  if (channel.closed) {\n    throw new ClosedError('closed')\n  }\n}\n",
        "ipc.d.ts": "export declare function getOne(channel: Channel): string\n",
    }
    report = Asked(texts).ask("which errors can getOne throw?")
    assert [one.symbol for one in report.findings][:2] == ["getOne", "check"]
    assert report.findings[1].why == "fails, and getMessage calls it"
    assert drop_conditions(report.claim).startswith("Errors that arise here: ClosedError (ipc.ts:12). ")


def test_what_is_derived_from_implementations_is_named_after_them() -> None:
    texts = {
        "brokers.py": "class Broker:\n    pass\n\n\nclass Base(Broker):\n    pass\n\n\n"
        "class Local(Base):\n    pass\n"
    }
    claim = Asked(texts).ask("all implementations of Broker").claim
    assert claim == (
        "brokers.Broker (brokers.py:1-2) is implemented, extended or overridden by"
        " brokers.Base (brokers.py:5-6)."
        " Derived from these: brokers.Local (brokers.py:9-10)."
    )


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("raise ValueError(text)", ["ValueError"]),
        ("throw new Error('no text')", ["Error"]),
        ("raise InvalidLocale.new(locale) unless locale", ["InvalidLocale"]),
        ("raise Shop::ArgumentError if key.empty?", ["Shop::ArgumentError"]),
        ("Throw.FormatException(text);", ["FormatException"]),
        ("throwOnStrictError({channel})", []),
        ("error = getResponseError(channel)", []),
        ("return RetryOnException(ref send, sent);", []),
        ("return Err(Error::Closed)", ["Error::Closed"]),
        ('return fmt.Errorf("%w", ErrClosed)', ["ErrClosed"]),
    ],
)
def test_names_of_errors(line: str, named: list[str]) -> None:
    assert find_errors(line) == named


SETTINGS = {
    "app/options.py": """import argparse


def read_options(parser):
    parser.add_argument("--verbose", help="says more")
    parser.add_argument(
        "-p",
        "--patience",
        default="3",
    )
    return parser.parse_args()
""",
    "app/loop.py": """class Loop:
    def __init__(self, environment, options):
        self.environment = environment
        self.patience = float(getattr(options, "patience", 0.0))

    def run(self, jobs):
        if not jobs:
            raise ValueError("no jobs")
        for job in jobs:
            if job.is_slow:
                job.wait(self.environment.patience)
            else:
                job.run()
        for job in jobs:
            job.close()
        return len(jobs)
""",
}


def test_a_claim_names_the_option_that_sets_and_no_object_as_the_environment() -> None:
    report = Asked(SETTINGS).ask("where is patience configured")
    assert report.claim == (
        "patience is declared as an option at app/options.py:8 and declared at app/loop.py:4."
    )


def test_of_a_function_that_reads_a_setting_only_what_leads_there_is_shown() -> None:
    report = Asked(SETTINGS).ask("where is patience configured")
    (loop,) = (one for one in report.findings if one.symbol.endswith("Loop.run"))
    assert loop.shown == (6, 9, 10, 11)


def _write_row_function(verb: str) -> str:
    return f"""def {verb}_row(table, row):
    for other in table.rows:
        if other.{verb} is row:
            table.rows.append(row)
            return other
    return None
"""


def test_what_adds_no_word_to_its_file_comes_later() -> None:
    first = "\n\n".join(map(_write_row_function, ("copy", "move", "hide")))
    asked = Asked({"app/first.py": first, "app/second.py": _write_row_function("swap")})
    report = asked.ask("how are the rows of a table kept")
    assert [one.name for one in report.findings if not one.hop] == [
        "copy_row",
        "swap_row",
        "move_row",
        "hide_row",
    ]


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("what does put call", "what {} call, and what that calls"),
        ("what is put", "what {} are: where they are declared, what uses them, what they use"),
        ("where is put configured", "where Box.put and Shelf.put are configured"),
        ("which tests use put", "which tests use {}, or what uses them"),
    ],
)
def test_the_verb_of_several_subjects_is_that_of_several(question: str, understood: str) -> None:
    texts = {
        "a.py": "class Box:\n    def put(self):\n        pass\n",
        "b.py": "class Shelf:\n    def put(self):\n        pass\n",
    }
    report = Asked(texts).ask(question)
    assert report.reading.text == understood.format("a.Box.put (method) and b.Shelf.put (method)")
    if question.startswith("which"):
        assert report.claim.endswith("use Box.put (a.py:2-3) and Shelf.put (b.py:2-3) themselves.")
