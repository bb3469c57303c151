"""Which functions and lines are shown: errors below the best function, members that it sets, no manuals."""

from __future__ import annotations

import pytest

from repo_mcp.record_classes import replace
from repo_mcp.research.claims.best_claim import _is_adverb
from repo_mcp.research.findings.excerpts import show_once
from repo_mcp.research.findings.records import Finding, Form
from repo_mcp.research.words.shown_lines import match_calls, match_handlers
from tests.repo_mcp.research.asking import Asked, find_one, list_found

MANUAL = "\n".join(f"    Option {number} is an option." for number in range(40)) + 9 * (
    "\n    What happens when a message is logged in a sink depends on the option."
)
LOGGER = f'''def add(target, level):
    """Add a target.

{MANUAL}
    """
    if level:
        return target
    return None
'''
HANDLER = """def protect(handler):
    if handler.sink_is_writing:
        raise RuntimeError("a message was logged in a sink")
    return handler
"""


def test_a_manual_in_a_docstring_is_no_evidence_for_its_function() -> None:
    files = {"logger.py": LOGGER, "handler.py": HANDLER}
    claim = Asked(files).ask("what happens when a message is logged in a sink?").claim
    assert "handler.protect (handler.py:1-4) fits the question best." in claim


def test_functions_that_fail_below_the_best_one_come_behind_it() -> None:
    others = "".join(
        f"\n\ndef parse_option_{number}(option):\n    option.parse({number})\n    return option\n"
        for number in range(6)
    )
    files = {
        "parse.py": "from names import look_up\n\n\ndef parse_options(options):\n"
        "    for option in options:\n        if option.parse:\n"
        "            look_up(option)\n    return options\n" + others,
        "names.py": "def look_up(name):\n    if name not in KNOWN:\n        raise LookupFailed(name)\n",
    }
    report = Asked(files).ask("which errors can parsing the options raise?")
    assert report.claim.startswith("Errors that arise in names.look_up (names.py:1-3): LookupFailed (:3).")
    assert list_found(report)[:2] == ["parse.parse_options", "names.look_up"]
    assert "raise LookupFailed(name)" in find_one(report, "names.look_up").excerpt


@pytest.mark.parametrize(
    ("line", "leads"),
    [
        ("let left = this._maxSize || 200;", True),
        ("if size > self.maxSize:", True),
        ("if (one.maxSize == 3) {", True),
        ("maxSize(3)", True),
        ("this._maxSize = size;", False),
        ("let maxSize = 3;", False),
        ("one.maxSizes", False),
    ],
)
def test_a_line_that_reads_what_a_shown_function_sets_leads_to_it(line: str, leads: bool) -> None:
    assert list(match_calls(["maxSize"])(line)) == ["maxSize"] * leads


def test_an_adverb_that_no_file_has_is_not_said_to_be_missing() -> None:
    files = {"nest.py": "def check_nested(level):\n    if level > MOST:\n        raise TooDeep(level)\n"}
    claim = Asked(files).ask("what happens when a level is nested quietly?").claim
    assert "quietly" not in claim


@pytest.mark.parametrize("word", ["deeply", "Quietly", "safely", "simply", "fully"])
def test_an_adverb_tells_how(word: str) -> None:
    assert _is_adverb(word)


@pytest.mark.parametrize(
    "word",
    ["Apply", "reply", "supply", "imply", "comply", "readonly", "read_only", "weekly", "butterfly", "fly"],
)
def test_what_only_ends_like_an_adverb_is_none(word: str) -> None:
    assert not _is_adverb(word)


def test_words_of_a_phrase_are_named_together() -> None:
    files = {
        "worker.py": "def start_worker(worker):\n    if worker.idle:\n        worker.start()\n"
        "    return worker\n",
        "names.py": "def remove(name):\n    return name\n",
    }
    claim = Asked(files).ask("how does a pool get rid of an idle worker?").claim
    assert claim.startswith("worker.start_worker (worker.py:1-4) comes closest, but lacks")
    assert "get rid of" in claim


def test_one_of_my_own_is_one_to_add_and_its_base_is_what_most_derive_from() -> None:
    files = {
        "checks.py": "class AgeCheck(ValueCheck):\n    pass\n\n\nclass MailCheck:\n    pass\n\n\n"
        "class FastMailCheck(MailCheck):\n    pass\n\n\nclass NameCheck(ValueCheck):\n    pass\n\n\n"
        "class SizeCheck(ValueCheck):\n    pass\n",
        "values.py": "class ValueCheck:\n    def run(self, value):\n        raise NotImplementedError\n",
    }
    files["checks.py"] = f"from values import ValueCheck\n\n\n{files['checks.py']}"
    report = Asked(files).ask("how do I write a check for a value of my own?")
    assert report.reading.form is Form.EXTENSION
    assert report.claim.startswith("Derive from values.ValueCheck (values.py:1-3)")


def test_what_few_declarations_leave_is_room_for_more_of_them() -> None:
    steps = "".join(
        f"    if parcel.side_{number} > {number}:\n        return {number}\n" for number in range(30)
    )
    files = {"sort.py": f"def by_size(parcel):\n{steps}\n\ndef by_sides(parcel):\n{steps}"}
    report = Asked(files).ask("What is the difference between by_size and by_sides?")
    for name in ("sort.by_size", "sort.by_sides"):
        assert [f"side_{at} >" in find_one(report, name).excerpt for at in range(30)] == [True] * 30


def test_a_module_of_tests_in_a_file_of_the_program_is_no_finding() -> None:
    text = "pub fn weigh(parcel: &Parcel) -> u32 {\n    if parcel.heavy { return 2; }\n    1\n}\n\n"
    text += "#[cfg(test)]\nmod test {\n    fn heavy_parcel() -> Parcel {\n"
    text += "        Parcel { heavy: true }\n    }\n}\n"
    report = Asked({"src/lib.rs": text}).ask("How is a heavy parcel weighed?")
    assert list_found(report) == ["weigh"]


def test_a_file_of_types_beside_its_program_is_no_finding() -> None:
    files = {
        "sort.py": "def sort_parcel(parcel):\n    if parcel.heavy:\n        return 2\n    return 1\n",
        "sort.pyi": "def sort_parcel(parcel: Parcel) -> int: ...\n",
        "only.pyi": "def sort_heavy_parcel(parcel: Parcel) -> int: ...\n",
    }
    found = Asked(files).ask("How is a heavy parcel sorted?").findings
    assert {one.path for one in found} == {"sort.py", "only.pyi"}


@pytest.mark.parametrize(
    ("question", "comes_last"),
    [("How is a heavy parcel sorted?", True), ("Where is a heavy parcel sorted?", False)],
)
def test_what_does_nothing_comes_after_what_does(question: str, comes_last: bool) -> None:
    text = "export interface SortHeavyParcel {\n  heavy: Parcel;\n  sort: Sort;\n  parcel: Heavy;\n}\n"
    text += "".join(f"export type {name}Parcel =\n  | Parcel\n  | Heavy;\n" for name in ("Heavy", "Sort"))
    text += (
        "export function sortParcel(parcel) {\n  if (parcel.heavy) {\n    return sortHeavy(parcel);\n  }\n}\n"
    )
    text += "export function pack(bag) {\n  bag.parcel = 1;\n  return bag;\n}\n"
    found = list_found(Asked({"src/sort.ts": text}).ask(question), 0)
    assert {"SortHeavyParcel", "HeavyParcel", "SortParcel", "pack"} < {*found}
    last = max(found.index(one) for one in found if one.endswith("Parcel") and one != "sortParcel")
    assert (found.index("pack") < last) is comes_last


def test_the_best_that_does_nothing_comes_behind_the_next_that_does_something() -> None:
    text = (
        "export interface HeavyParcelSorted {\n  heavy: Parcel;\n  sorted: Parcel;\n  heavyParcelSorted: 1;\n"
    )
    text += "}\n"
    text += "export function sort(parcel) {\n  if (parcel.heavy) {\n    return pile(parcel);\n  }\n}\n"
    asked = Asked({"src/sort.ts": text})
    assert list_found(asked.ask("How is a heavy parcel sorted?"), 0)[0] == "sort"
    assert list_found(asked.ask("Where is a heavy parcel sorted?"), 0)[0] == "HeavyParcelSorted"


OTHERS = "".join(f"\n    def other_{at}(self):\n        return {at}\n" for at in range(20))
KEYS = {
    "curve_keys.py": """class CurveKey:
    def prepare(self, key):
        if isinstance(key, PublicKey) or key.is_public:
            return key
        if key.is_used and key.is_public:
            return load_public(key)
        raise KeyError("a public key of a curve is used")
"""
    + OTHERS,
    "secret_keys.py": """class HmacKey:
    def prepare(self, key):
        if key.is_pem():
            raise KeyError("this is no secret")
        return key
"""
    + OTHERS,
    "stores.py": "def keep_key(store, key):\n    if key:\n        store.hmac = key\n    return store\n",
}


def test_a_member_of_the_type_that_a_question_names_comes_before_its_namesakes() -> None:
    claim = Asked(KEYS).ask("how is a public key prepared when it is used?").claim
    assert claim.startswith("CurveKey.prepare (curve_keys.py:2-7) fits the question best.")
    claim = Asked(KEYS).ask("how is a public key used for a HMAC prepared?").claim
    lacking = "lacks the word public"  # and not HMAC, which its full name has
    assert claim.startswith(f"HmacKey.prepare (secret_keys.py:2-5) comes closest, but {lacking}.")


RETRIED = {
    "app/retries.py": """def retry_call(send, limit):
    attempts = 0

    def wait_delay(number):
        delay = 2 ** number
        if delay > limit:
            delay = limit
        sleep(delay)

    while attempts < limit:
        wait_delay(attempts)
        attempts += 1
""",
    "app/run.py": "from app.retries import retry_call\n\n\ndef main():\n    return retry_call(print, 4)\n",
}


def test_a_function_inside_one_that_is_shown_whole_is_not_shown_again() -> None:
    report = Asked(RETRIED).ask("how does retry_call wait with a delay?")
    outer, inner = (one for one in report.findings if one.path == "app/retries.py")
    assert (outer.symbol, inner.symbol) == ("retries.retry_call", "retries.retry_call.wait_delay")
    assert "8\t        sleep(delay)\n" in outer.excerpt
    assert inner.excerpt == "4\tdef wait_delay(number):\n"


def test_what_a_function_inside_another_shows_is_left_out_of_the_other() -> None:
    outer = Finding("a.py", 1, 9, "f", "function", None, "", 0, "exact", shown=(1, 2, 3, 4))
    inner = replace(outer, start_line=3, end_line=8, symbol="f.g", shown=(3, 4, 5))
    own, other = show_once([outer, inner])
    assert (own.shown, other.shown) == ((1, 2, 3), (3, 4, 5))
    assert show_once([inner, replace(inner, path="b.py")])[1].shown == (3, 4, 5)
    assert show_once([outer, outer])[1].shown == (1, 2, 3, 4)


def test_the_best_function_is_shown_whole_if_it_is_of_a_moderate_length() -> None:
    steps = "".join(
        f"    parcel_{number} = stack.{step}()\n    if parcel_{number} is None:\n        return {number}\n"
        for number, step in enumerate(["take", "turn", "lift", "drop", "mark", "send"] * 5)
    )
    others = "".join(
        f"\n\ndef count_{number}(parcels):\n"
        + "".join(f"    if parcels.weighs({line}):\n        parcels.sort_by({line})\n" for line in range(30))
        for number in range(16)
    )
    files = {"sorting.py": f"def sort_parcels(stack):\n{steps}    return 0\n", "counting.py": others}
    report = Asked(files).ask("how are parcels sorted?")
    best, *rest = report.findings
    assert best.symbol == "sorting.sort_parcels"
    assert "…" not in best.excerpt
    assert "…" in rest[0].excerpt


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("} catch (e) {\n  return refuse(e);", ["catch"]),
        ("except WeighError as error:", ["except"]),
        ("rescue => error", ["rescue"]),
        ("send(parcel).catch(refuse)", ["catch"]),
        ("weigh(parcel)", ["weigh"]),
        ("const catcher = exception;", []),
    ],
)
def test_what_handles_an_error_is_wanted_beside_calls(text: str, expected: list[str]) -> None:
    assert match_handlers(match_calls(["weigh"]))(text) == expected


def test_a_handler_is_shown_where_it_is_asked_what_happens_then() -> None:
    steps = "".join(f"    if (parcel.scale({at})) weigh(parcel, depot);\n" for at in range(90))
    code = (
        f"export async function sendParcel(parcel: Parcel, depot: Depot) {{\n  try {{\n{steps}"
        f"  }} catch (e) {{\n    last = note(e);\n  }}\n{steps}}}\n"
    )
    asked = Asked({"send.ts": code})
    question = "What happens when weigh throws while a parcel of a depot is sent by scale?"
    assert "last = note(e);" in find_one(asked.ask(question), "sendParcel").excerpt
