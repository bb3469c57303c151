"""Claims that are as sure as their evidence: what fits best, which errors, how many implementers."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.seeds.rated_seeds import LONG_LINES
from repo_mcp.text.idioms import find_idioms
from tests.repo_mcp.research.asking import Asked, drop_conditions

DESK = """export class Desk {
  error(message, options) {
    throw new DeskError(message, options);
  }

  refuseStamp(letter) {
    const message = `error: the stamp '${letter.stamp}' is not paid`;
    this.error(message, { code: 'desk.refuseStamp' });
  }
}
"""

SHOPS = """def pick_basket(basket, shelf):
    # The price of the basket.
    if basket.price > shelf.price:
        return basket.price
    return shelf.price


def weigh_basket(basket, scale):
    # The price of the basket.
    if basket.price > scale.price:
        return basket.price
    return scale.price


def pack_bag(bag):
    return bag.size
"""

ROWS = """package rows

type Walker interface {
	Next(limit int) (int, error)
	Advance(limit int) (int, error)
}
"""

WALKERS = """package rows

type Both struct {
	left Walker
}

func (b *Both) Next(limit int) (int, error) {
	return b.left.Next(limit)
}

func (b *Both) Advance(limit int) (int, error) {
	return b.left.Advance(limit)
}
"""

ONE_WALKER = """package rows

type NAME struct{}

func (n *NAME) Next(limit int) (int, error) {
	return limit, nil
}

func (n *NAME) Advance(limit int) (int, error) {
	return limit, nil
}
"""

SORTERS = """package depot

type ParcelSorter interface {
	Sort(parcels []string) []string
}

type ByStreet struct{}

func (b *ByStreet) Sort(parcels []string) []string {
	return parcels
}

type ParcelSorterMaker func(name string) ParcelSorter

func RegisterParcelSorter(name string, maker ParcelSorterMaker) {
	sorters[name] = maker
}
"""


def test_an_error_is_stated_with_the_text_of_its_variable() -> None:
    claim = Asked({"desk.js": DESK}).ask("which errors can refuseStamp raise?").claim
    assert "\"error: the stamp '${letter.stamp}' is not paid\" (desk.js:8)" in claim


def test_errors_that_are_raised_when_something_happens() -> None:
    report = Asked({"desk.js": DESK}).ask("Which errors are raised when a stamp is not paid?")
    assert report.reading.text == 'the errors of "a stamp is not paid"'


def test_the_words_that_the_best_lacks_are_stated_before_its_errors() -> None:
    texts = {
        "rows.py": "def read_row(row):\n    if not row:\n        raise RowError(row)\n    return row[0]\n",
        "speaker.py": "LOUD = 1\n\n\ndef set_loud(speaker):\n    speaker.loud = LOUD\n",
    }
    claim = Asked(texts).ask("which errors can a loud row cause?").claim
    assert claim.startswith(
        "rows.read_row (rows.py:1-4) comes closest, but lacks the word loud."
        " Errors that arise in rows.read_row (rows.py:1-4): RowError (:3)."
    )


def test_no_declaration_is_best_beside_one_that_is_rated_as_high() -> None:
    claim = Asked({"shops.py": SHOPS}).ask("how is the price of a basket found?").claim
    assert claim.startswith(
        "shops.pick_basket (shops.py:1-5) comes closest. It decides: `if basket.price > shelf.price` →"
    )
    assert claim.endswith("See also shops.weigh_basket (shops.py:8-12).")


def test_what_calls_a_method_and_implements_it_counts_as_both() -> None:
    texts = {
        "rows/walker.go": ROWS,
        "rows/both.go": WALKERS,
        "rows/a_test.go": ONE_WALKER.replace("NAME", "Stub"),
        "rows/one.go": ONE_WALKER.replace("NAME", "One"),
    }
    claim = Asked(texts).ask("what breaks if I change Walker.Advance?").claim
    assert "is overridden or implemented by Both.Advance (rows/both.go:11-13) and One.Advance" in claim
    assert claim.endswith(", and by 1 declaration in tests. It is used by Both.Advance (rows/both.go:11-13).")


def test_a_kind_is_registered_by_the_function_with_its_whole_name() -> None:
    van = "package depot\n\ntype Van struct{ sorter int }\n\nfunc (v *Van) AddSorter(sorter int) {}\n"
    claim = (
        Asked({"depot/sorter.go": SORTERS, "depot/van.go": van})
        .ask("Where would I add a new parcel sorter?")
        .claim
    )
    assert claim.startswith("Implement depot.ParcelSorter (depot/sorter.go:3-5).")
    assert "depot.RegisterParcelSorter (depot/sorter.go:15-17) registers it." in claim
    assert "AddSorter" not in claim


def test_a_sentence_is_not_asked_of_the_first_plain_word_that_is_a_name() -> None:
    pool = (
        "def services():\n    return []\n\n\n"
        "def promote(pending, ready):\n    # A service moves from the pending set to the ready set.\n"
        "    ready.add(pending.pop())\n"
    )
    asked = Asked({"pool.py": pool})
    report = asked.ask("Where are services moved from the pending set to the ready set?")
    assert report.reading.form is Form.OPEN
    assert report.claim.startswith("pool.promote (pool.py:5-7)")
    assert asked.ask("where is services defined?").reading.form is Form.DEFINED


def test_errors_of_what_is_rated_as_high_are_named_too() -> None:
    text = (
        "def check_unknown_basket(basket):\n    if basket.unknown:\n"
        '        raise BasketError("unknown basket in a shop")\n\n\n'
        "def refuse_unknown_basket(basket):\n    if basket.unknown:\n"
        '        raise BasketError("unknown basket in a store")\n'
    )
    claim = Asked({"shops.py": text}).ask("which errors can an unknown basket cause?").claim
    assert claim.startswith(
        "Errors that arise in shops.check_unknown_basket (shops.py:1-3):"
        ' BasketError "unknown basket in a shop" (:3).'
        ' In shops.refuse_unknown_basket (shops.py:6-8): BasketError "unknown basket in a store" (:8).'
    )


def test_of_many_errors_those_with_words_of_the_question_come_first() -> None:
    checks = "".join(
        f'    if text[{number}] == "!":\n        raise TagError("bad sign at place {name}")\n'
        for number, name in enumerate(("one", "two", "three", "four", "five", "six"))
    )
    last = '    if "/" not in text:\n        raise TagError("tag was never closed")\n'
    text = f"def parse_tag(text):\n{checks}{last}"
    claim = Asked({"tags.py": text}).ask("which errors can an unclosed or never closed tag raise?").claim
    assert (
        'Errors that arise in tags.parse_tag (tags.py:1-15): TagError "tag was never closed" (:15), ' in claim
    )


def test_errors_are_those_of_what_the_claim_names() -> None:
    """The caller is rated as high, too, but is a part of the same answer: once its error was stated."""
    check = (
        "def check_unknown_basket(basket):\n    if basket.unknown:\n"
        '        raise BasketError("unknown basket in a shop")\n\n\n'
    )
    call = (
        "def accept(it):\n    check_unknown_basket(it)\n    count_unknown_basket(it)\n    if it.odd:\n"
        '        raise HallError("unknown hall")\n\n\n'
    )
    text = f"{call}{check}{check.replace('check', 'count').replace('shop', 'store')}"
    claim = Asked({"shops.py": text}).ask("which errors can an unknown basket cause?").claim
    assert claim == (
        "Errors that arise in shops.check_unknown_basket (shops.py:8-10):"
        ' BasketError "unknown basket in a shop" (:10).'
        ' In shops.count_unknown_basket (shops.py:13-15): BasketError "unknown basket in a store" (:15).'
    )


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        (
            "class Basket:\n    # Where lost parcels go.\n    parcel = 1\n    harbour = 2\n    lost = 3\n",
            "lost.Basket (lost.py:1-5) comes closest.",
        ),
        (
            "class Basket:\n    # Where lost parcels go.\n    parcel = 1\n    lost = 3\n\n"
            "    def find_parcel(self):\n        # A lost parcel in the harbour.\n        return self.lost\n",
            "lost.Basket (lost.py:1-8) comes closest.",
        ),
        (
            "def sort_parcels(parcels):\n    harbour = parcels.harbour\n"
            + "    parcels.sort()\n" * LONG_LINES
            + "    return parcels.lost\n",
            "lost.sort_parcels (lost.py:1-153) comes closest.",
        ),
    ],
)
def test_a_type_or_a_long_function_is_only_nearest(text: str, doubt: str) -> None:
    claim = Asked({"lost.py": text}).ask("what happens with lost parcels in the harbour?").claim
    assert claim.startswith(doubt)


def test_what_includes_itself_is_recursive() -> None:
    assert find_idioms("a template that includes itself")["includes itself"][0] == "recursion"


PIPES = """def copy_output(command, destination):
    # The output of the command.
    if command.output:
        destination.write(command.output)
    return destination
"""

LOCKS = """def take_turn(lock):
    return lock
"""

KEYS = """class Drop:
    # Keys that a table drops.
    def keys_dropped(self, table):
        for key in table.keys:
            table.drop(key)
"""

MAILS = """def check_mail(text):
    user_part, domain_part = text.split("@")
    if not user_part or not domain_part:
        raise MailError("the address is not valid")
    return user_part
"""


def test_nothing_fits_best_that_lacks_a_phrase_in_its_own_words_and_in_those_of_programs() -> None:
    asked = Asked({"pipes.py": PIPES, "locks.py": LOCKS})
    claim = asked.ask("How does the output of a command go to its destination at once?").claim
    assert claim.startswith('pipes.copy_output (pipes.py:1-5) comes closest, but lacks the words "at once".')


def test_a_phrase_that_the_best_has_in_words_of_programs_is_not_lacking() -> None:
    locked = PIPES.replace("if command.output:", "if command.output and command.lock:")
    asked = Asked({"pipes.py": locked, "locks.py": LOCKS})
    claim = asked.ask("How does the output of a command go to its destination at once?").claim
    assert claim.startswith("pipes.copy_output (pipes.py:1-5) fits the question best.")


def test_errors_of_others_are_not_told_where_the_nearest_makes_none() -> None:
    asked = Asked({"keys.py": KEYS, "mails.py": MAILS})
    claim = asked.ask("Which errors are raised when keys of a table are dropped only in part?").claim
    assert claim.startswith("keys.Drop (keys.py:1-5) comes closest, but is not known to cause an error.")
    assert "MailError" not in claim


def test_what_a_test_calls_is_named() -> None:
    files = {"test_read.py": "def check(): ...\n\n\ndef helper():\n    return check()\n"}
    claim = Asked(files).ask("what does helper call?").claim
    assert claim == "test_read.helper (test_read.py:4-5) calls test_read.check (test_read.py:1)."


def test_a_subject_that_overrides_another_does_not_override_itself() -> None:
    files = {
        "a.py": "from abc import ABC\n\n\nclass A(ABC):\n    def run(self): ...\n\n\n"
        "class C(A):\n    def run(self): ...\n"
    }
    claim = Asked(files).ask("what depends on run?").claim
    assert claim.startswith("A.run (a.py:5) is overridden or implemented by C.run (a.py:9). Nothing ")


HELPED = {
    "rows.ts": """import { makeRowError } from './errors'

export function parseRow(text: string) {
  if (!text) {
    throw makeRowError(text)
  }
  return text.split(',')
}
""",
    "errors.ts": """export class RowError extends Error {}

export function makeRowError(text: string) {
  return new RowError(`no row in ${text}`)
}
""",
}


def test_an_error_that_a_helper_makes_has_its_name() -> None:
    claim = drop_conditions(Asked(HELPED).ask("which errors does parseRow throw").claim)
    assert claim.startswith('Errors that arise here: RowError "no row in ${text}" (rows.ts:5).')


def test_an_error_without_a_name_keeps_its_line() -> None:
    texts = HELPED | {"errors.ts": "export function makeRowError(text: string) {\n  return text\n}\n"}
    claim = Asked(texts).ask("which errors does parseRow throw").claim
    assert claim.startswith("Errors arise at rows.ts:5")
