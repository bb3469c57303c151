"""What a stranger asks: for what is not there, in other words than the code's, for errors and overloads."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.settings.line_use import LineUse, classify_use
from repo_mcp.text.idioms import find_idioms
from repo_mcp.text.question_words import list_base_forms, list_words
from tests.repo_mcp.research.asking import Asked, drop_conditions, find_one, list_found

SERVER = {
    "server/desk.py": '''def check_login(user, password):
    """Check the password of a login attempt."""
    if user.password != password:
        raise WrongPassword(user)
    return user


def answer(request):
    if request.is_empty:
        return None
    return send(request)


def send(request):
    return request.body
''',
    "server/feeds.py": """def is_rate_limited(response):
    return response.status == 429


def check_timeouts(connection):
    if connection.idle > 60:
        connection.abort()
""",
    "server/parse.py": """import store


def parse(text):
    return parse_whole(text)


def parse_whole(text):
    if not text:
        raise ValueError("nothing to parse")
    if text[0] != "{":
        raise ValueError("no object to parse")
    return text


def load_all(texts):
    return [parse(text) for text in texts]
""",
}


@pytest.fixture(scope="module")
def server() -> Asked:
    return Asked(SERVER)


def test_a_word_that_no_file_has_is_reported_first(server: Asked) -> None:
    report = server.ask("where does a login attempt with a password get compressed?")
    expected = "No file here has the word compressed: the code may use another, or lack this."
    assert report.claim.startswith(expected)
    assert "desk.check_login (server/desk.py:1-5) fits the other words best" in report.claim


@pytest.mark.parametrize("asked", ["How is a request sent?", "How does a request quit with a body?"])
def test_what_the_best_declaration_says_in_another_form_or_word_is_not_missing(asked: str) -> None:
    text = """def send(request):
    if request.body is None:
        exit(1)
    return request.body
"""
    claim = Asked({"desk.py": text}).ask(asked).claim
    assert "desk.send (desk.py:1-4)" in claim
    assert "No file" not in claim


def test_words_that_the_best_declaration_lacks_are_reported(server: Asked) -> None:
    claim = server.ask("how are login attempts rate limited?").claim
    assert claim.startswith("desk.check_login (server/desk.py:1-5) comes closest, but lacks the word")
    assert "rate" in claim
    assert "best" not in claim


def test_a_name_with_a_word_more_does_not_stand_for_what_is_done() -> None:
    tree = {
        "checks/token.py": """def check_token_middleware(settings):
    return settings.installed
""",
        "middleware/token.py": """def process(request):
    if request.token is None:
        raise Rejected(request)
    check(request.token, request.cookie)
""",
    }
    asked = Asked(tree)
    assert "process" in asked.ask("How is a token checked for a request?").claim.split("(")[0]
    assert "check_token_middleware" in asked.ask("How is a token checked?").claim.split("(")[0]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What if a client is too slow?", {"too slow": ("timeout",)}),
        ("How are old files cleaned up?", {"cleaned up": ("remove", "delete", "purge")}),
        ("How does it bring a crashed worker back?", {"bring a crashed worker back": ("restart",)}),
        ("When is a feed fetched again by a retry?", {"fetched again": ("next",)}),
        ("What happens when no Route matches?", {"no Route matches": ("noroute", "notfound")}),
        ("What if two of them write at once?", {"at once": ("concurrent", "lock")}),
        ("How often is a failed request repeated?", {"repeated": ("retry",)}),
        ("What if a body is longer than allowed?", {"longer than allowed": ("max", "limit", "exceed")}),
        (
            "What if it is larger than the maximum for one?",
            {"larger than the maximum": ("max", "limit", "exceed")},
        ),
        ("What if its time to live is over?", {"time to live": ("ttl",)}),
        ("What if it ends at the end-of-file?", {"end-of-file": ("eof",)}),
        ("What if a host sends us to another page?", {"sends us to another page": ("redirect", "location")}),
        ("What if a slot moved to another node?", {"moved to another node": ("redirect",)}),
        ("What if a peer is offline?", {"is offline": ("disconnected", "unavailable")}),
        ("Which of the copies is the newer one?", {"the newer": ("timestamp", "latest")}),
        ("How is a client answered?", {}),
    ],
)
def test_phrases_that_no_program_has(question: str, found: dict[str, tuple[str, ...]]) -> None:
    assert find_idioms(question) == found


def test_a_conjunction_is_no_word_that_a_program_could_lack() -> None:
    assert list_words("What if a job goes on although it was killed?") == ["job", "killed"]


def test_a_number_is_a_word_only_if_it_stands_for_itself() -> None:
    assert list_words("is a 304 kept, as #512 says of 1,000 jobs?") == ["304", "kept", "says", "jobs"]


def test_a_phrase_is_looked_for_by_the_words_of_programs(server: Asked) -> None:
    report = server.ask("what happens to a connection that is too slow?")
    assert "feeds.check_timeouts" in list_found(report)
    assert '"too slow" is also looked for as timeout.' in report.warnings


CARRIERS = {
    "carriers.py": """class Carrier:
    def ship(self, parcel):
        raise NotImplementedError


class Rail(Carrier):
    def ship(self, parcel):
        wagon = parcel.find_wagon()
        if wagon.full:
            raise WagonFull(wagon)
        wagon.load(parcel)
        wagon.close()
        return wagon


class Bike(Carrier):
    def ship(self, parcel):
        bag = parcel.find_bag()
        if bag.full:
            raise BagFull(bag)
        return bag.load(parcel)


class Foot(Carrier):
    pass
""",
    "desk.py": """from carriers import Bike, Foot, Rail


def list_all():
    return [Rail(), Bike(), Foot()]


def weigh(parcel, parcels):
    for one in parcels:
        if one.weight > parcel.weight:
            return one.parcel
    return parcel
""",
}


@pytest.mark.parametrize("asked", ["support for another parcel carrier", "a new carrier"])
def test_what_is_added_has_a_base_a_place_that_lists_its_kind_and_a_model(asked: str) -> None:
    report = Asked(CARRIERS).ask(f"where would I add {asked}?")
    assert report.reading.form is Form.EXTENSION
    assert list_found(report)[:3] == ["carriers.Carrier", "carriers.Bike", "desk.list_all"]
    assert report.claim == (
        "Derive from carriers.Carrier (carriers.py:1-3)."
        " You must define ship."
        " An example is carriers.Bike (carriers.py:16-21)."
        " desk.list_all (desk.py:4-5) lists existing ones."
    )
    assert "desk.weigh" not in list_found(report)  # it has the parcel, but no carrier


def test_the_methods_of_a_type_are_no_types_of_its_kind() -> None:
    text = """pub struct Module {
    name: String,
}

impl Module {
    pub fn show(&self) -> String {
        if self.name.is_empty() {
            return String::new();
        }
        self.name.clone()
    }
}

pub fn all_modules() -> Vec<Module> {
    vec![Module { name: String::new() }]
}
"""
    report = Asked({"src/module.rs": text}).ask("where would I add a module for a language?")
    assert not any("the base of" in one.why for one in report.findings)
    assert "all_modules" in list_found(report)


def test_further_overloads_of_one_type_leave_room_for_others() -> None:
    body = "".join(f"        repeat_{at} = wait_{at};\n" for at in range(14))
    overloads = "".join(f"    void repeat(int wait{n}) {{\n{body}    }}\n\n" for n in range(9))
    desk = (
        "    void {}(int wait) {{\n        if (wait > 5) {{\n            repeat(wait);\n        }}\n    }}\n"
    )
    others = "".join(desk.format(f"close{name}") for name in ("Desk", "Door", "Shop"))
    texts = {"Repeat.java": f"class Repeat {{\n{overloads}}}\n", "Desk.java": f"class Desk {{\n{others}}}\n"}
    first = list_found(Asked(texts).ask("how long is the wait before it is repeated?"))[:6]
    assert any(name.startswith("Desk") for name in first)


def test_keeps_only_forms_the_question() -> None:
    assert list_words("what happens when a feed keeps failing?") == ["feed", "failing"]
    assert list_words("what keeps a feed alive?") == ["keeps", "feed", "alive"]


def test_irregular_forms_have_a_base_form() -> None:
    assert list_base_forms(["files", "written", "Grown", "stored", "written"]) == ["write", "grow"]


def test_persons_are_no_words_of_code() -> None:
    assert list_words("what happens to a feed that nobody reads?") == ["feed", "reads"]


def test_errors_of_a_function_are_those_of_what_it_calls(server: Asked) -> None:
    report = server.ask("which errors can parse raise?")
    assert report.reading.form is Form.ERRORS
    assert list_found(report)[:2] == ["parse.parse", "parse.parse_whole"]
    shown = find_one(report, "parse.parse_whole")
    assert '"nothing to parse"' in shown.excerpt
    assert '"no object to parse"' in shown.excerpt
    assert shown.why == "fails, and parse calls it"
    assert drop_conditions(report.claim) == (
        'Errors that arise here: ValueError "nothing to parse" (server/parse.py:10)'
        ' and ValueError "no object to parse" (server/parse.py:12).'
        " parse.parse (server/parse.py:4-5) uses parse.parse_whole (server/parse.py:8-13),"
        " where errors arise."
    )


def test_a_difference_begins_with_what_the_comments_say() -> None:
    texts = {
        "codec.ts": """/**
 * Reads a text strictly. More follows.
 */
export function parse(text: string) {
  return strict(text);
}

/** Reads what it can. */
export function guess(text: string) {
  return loose(text);
}
"""
    }
    claim = Asked(texts).ask("what is the difference between parse and guess?").claim
    assert claim == "parse (codec.ts:4-6): Reads a text strictly. guess (codec.ts:9-11): Reads what it can."


OVERLOADS = """class Target
{
    protected virtual void Write(LogEvent one)
    {
        Store(one);
    }

    protected virtual void Write(IList<LogEvent> all)
    {
        foreach (var one in all) Write(one);
    }
}

class FileTarget : Target
{
    protected override void Write(LogEvent one) { }
}
"""


def test_an_overload_is_chosen_by_its_parameters() -> None:
    report = Asked({"Target.cs": OVERLOADS}).ask("what breaks if I change Target.Write(LogEvent)?")
    assert [node.symbol.start_line for node in report.reading.subjects[0].nodes] == [3]
    assert " is overridden or implemented by FileTarget.Write (Target.cs:16). It is " in report.claim
    both = Asked({"Target.cs": OVERLOADS}).ask("what breaks if I change Target.Write()?")
    assert len(both.reading.subjects[0].nodes) == 2


def test_a_setting_is_not_the_field_of_a_test() -> None:
    texts = {
        "config.py": "RETRY_LIMIT = 3\n",
        "tests/test_config.py": "class Scope:\n    retry_limit = 5\n",
    }
    report = Asked(texts).ask("where is retry_limit configured?")
    assert report.findings[0].path == "config.py"
    assert report.claim.startswith("RETRY_LIMIT is set at config.py:1")


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("Evaluate(value, retries: false);", LineUse.GIVES),
        ("function run(retries: number) {", LineUse.GIVES),
        ("run({ retries: 3 })", LineUse.SETS),
        ("retries: 3", LineUse.SETS),
    ],
)
def test_an_argument_sets_nothing(line: str, use: LineUse) -> None:
    assert classify_use("retries", line) is use


def test_lists_of_changes_and_of_sponsors_are_no_documentation() -> None:
    texts = {
        "queue.py": "def drop_overflow(queue):\n    if queue.full:\n        queue.pop()\n",
        "CHANGELOG.md": "# Changes\n\n## 1.2\n\nA full queue drops its overflow.\n",
        "docs/sponsors.md": "# Sponsors\n\nA full queue of sponsors.\n",
        "docs/queue.md": "# Queue\n\n## Overflow\n\nA full queue drops the oldest.\n",
    }
    report = Asked(texts).ask("what happens when the queue is full?")
    assert [one.path for one in report.findings if one.kind == "section"] == ["docs/queue.md"]
