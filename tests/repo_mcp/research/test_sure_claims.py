"""Claims that are as sure as their evidence: what fits best, which errors, how many implementers."""

from __future__ import annotations

import pytest

from repo_mcp.bundler.rating import WINDOW_LINES
from repo_mcp.research.records import Form
from repo_mcp.text.question_words import find_idioms
from tests.repo_mcp.research.asking import Asked

PARSER = """export class Parser {
  error(message, options) {
    throw new ParserError(message, options);
  }

  missingMandatoryValue(option) {
    const message = `error: required option '${option.flags}' not specified`;
    this.error(message, { code: 'parser.missingMandatoryValue' });
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

FILTERS = """package text

type TokenFilter interface {
	Filter(tokens []string) []string
}

type Lower struct{}

func (l *Lower) Filter(tokens []string) []string {
	return tokens
}

type TokenFilterMaker func(name string) TokenFilter

func RegisterTokenFilter(name string, maker TokenFilterMaker) {
	filters[name] = maker
}
"""


def test_an_error_is_told_with_the_text_of_its_variable() -> None:
    claim = Asked({"parser.js": PARSER}).ask("which errors can missingMandatoryValue raise?").claim
    assert "\"error: required option '${option.flags}' not specified\" (parser.js:8-8)" in claim


def test_errors_that_are_raised_when_something_happens() -> None:
    report = Asked({"parser.js": PARSER}).ask("Which errors are raised when a required option is missing?")
    assert report.reading.text == "the errors of a required option is missing"


def test_the_words_that_the_best_lacks_are_told_before_its_errors() -> None:
    texts = {
        "rows.py": "def read_row(row):\n    if not row:\n        raise RowError(row)\n    return row[0]\n",
        "speaker.py": "LOUD = 1\n\n\ndef set_loud(speaker):\n    speaker.loud = LOUD\n",
    }
    claim = Asked(texts).ask("which errors can a loud row cause?").claim
    assert claim.startswith(
        "Nearest is rows.read_row (rows.py:1-4), which lacks the word loud."
        " Errors made here: RowError (rows.py:3-3)."
    )


def test_no_declaration_is_best_beside_one_that_is_rated_as_high() -> None:
    claim = Asked({"shops.py": SHOPS}).ask("how is the price of a basket found?").claim
    assert claim.startswith(
        "shops.pick_basket (shops.py:1-5) and shops.weigh_basket (shops.py:8-12) fit the question about"
    )


def test_what_calls_a_method_and_implements_it_counts_as_both() -> None:
    texts = {
        "rows/walker.go": ROWS,
        "rows/both.go": WALKERS,
        "rows/a_test.go": ONE_WALKER.replace("NAME", "Stub"),
        "rows/one.go": ONE_WALKER.replace("NAME", "One"),
    }
    claim = Asked(texts).ask("what breaks if I change Walker.Advance?").claim
    assert "is used by Both.Advance (rows/both.go:11-13). It is overridden or implemented by 3" in claim
    assert claim.endswith("declarations, such as One.Advance (rows/one.go:9-11).")


def test_a_kind_is_registered_by_the_function_with_its_whole_name() -> None:
    query = "package text\n\ntype Query struct{ filter int }\n\nfunc (q *Query) AddFilter(filter int) {}\n"
    claim = (
        Asked({"text/filter.go": FILTERS, "text/query.go": query})
        .ask("Where would I add a new token filter?")
        .claim
    )
    assert claim.startswith("Others of the kind derive from text.TokenFilter (text/filter.go:3-5).")
    assert "text.RegisterTokenFilter (text/filter.go:15-17) registers one." in claim
    assert "AddFilter" not in claim


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
        'Errors made here: BasketError "unknown basket in a shop" (shops.py:3-3)'
        ' and BasketError "unknown basket in a store" (shops.py:8-8). '
    )


def test_of_many_errors_those_with_words_of_the_question_come_first() -> None:
    checks = "".join(
        f'    if text[{number}] == "!":\n        raise TagError("bad sign at place {name}")\n'
        for number, name in enumerate(("one", "two", "three", "four", "five", "six"))
    )
    last = '    if "/" not in text:\n        raise TagError("tag was never closed")\n'
    text = f"def parse_tag(text):\n{checks}{last}"
    claim = Asked({"tags.py": text}).ask("which errors can an unclosed or never closed tag raise?").claim
    assert 'Errors made here: TagError "tag was never closed" (tags.py:15-15), ' in claim


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        (
            "class Basket:\n    # Where lost parcels go.\n    parcel = 1\n    harbour = 2\n    lost = 3\n",
            "Nearest is lost.Basket (lost.py:1-5), a type: no function fits as well.",
        ),
        (
            "def sort_parcels(parcels):\n    harbour = parcels.harbour\n"
            + "    parcels.sort()\n" * WINDOW_LINES
            + "    return parcels.lost\n",
            "Nearest is lost.sort_parcels (lost.py:1-153), in whose 153 lines the words may stand far apart.",
        ),
    ],
)
def test_a_type_or_a_long_function_is_only_nearest(text: str, doubt: str) -> None:
    claim = Asked({"lost.py": text}).ask("what happens with lost parcels in the harbour?").claim
    assert claim.startswith(doubt)


def test_what_includes_itself_is_recursive() -> None:
    assert find_idioms("a template that includes itself")["includes itself"][0] == "recursion"
