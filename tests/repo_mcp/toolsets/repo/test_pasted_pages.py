"""What a page of text shows for a pasted issue: the lines with its words, and those that it cites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.ranking.page.matched_words import TERMS_OF_REPORT
from repo_mcp.ranking.page.report_lines import (
    CITED_NEAR,
    NEXT_NEAR,
    PASTED_LINES,
    TITLE_LINES,
    choose_telling,
)
from repo_mcp.ranking.page.snippets import HEAD_LINES
from repo_mcp.ranking.word_search import NO_PHRASE
from repo_mcp.repository import Repository
from tests.deep.sizes import examples
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.repo_calls import call

FILLED = [f"    value{at} = {at}" for at in range(60)]
LEDGER = [
    "def post_entries(ledger):",
    *FILLED[:30],
    "    # find_effective_quarter is slow",
    *FILLED[30:40],
    "    quarter = find_effective_quarter(ledger)",
    *FILLED[40:],
]
BANK = [
    "class Vault:",
    "    def open(self, vault):",
    *[f"        self.vault{at} = vault" for at in range(12)],
    "        return vault",
    "",
    "",
    "    def _check(self, name):",
    "        if name in self.vaults:",
    "            return",
    "        raise BankError(f'the vault {name} is not open')",
    "",
    "    def rate(self):",
    "        if not self.vaults:",
    "            raise BankError('the interest rate of nothing')",
    *[f"\n    def vault_{at}(self, vault):\n        return vault" for at in range(40)],
]
MATCH = [
    "fn settle_invoice(kind: Kind) {",
    "    match kind {",
    *[f"        Kind::K{at} => {{ pay({at}); }}" for at in range(29)],
    "        _ => {}",
    "    }",
    "}",
]
STOCK = [
    *[f"register('k{at}')" for at in range(22)],
    "def recount_stock(stock):",
    *[f"    stock.row{at} = stock.count({at})" for at in range(14)],
    "    return stock",
    *[f"register('z{at}')" for at in range(20)],
]
PRINT = [
    "def print_stock(printer):",
    *[f"    printer.feed({at})" for at in range(12)],
    "    recount_stock(printer)",
    *[f"    printer.cut({at})" for at in range(12)],
]
DEPOT = [
    "class Depot:",
    "    '''A depot of goods.'''",
    "    def restock(self, goods):",
    "        depot = self.open_depot(goods)",
    "        return depot.restock(goods)",
    *[
        f"\n    def step_{at}(self):\n" + "        self.value = 1\n" * 40 + "        self.restock()"
        for at in range(8)
    ],
]
FILES = {
    "shop/stock.py": "\n".join(STOCK) + "\n",
    "shop/printing.py": "\n".join(PRINT) + "\n",
    "shop/depot.py": "\n".join(DEPOT) + "\n",
    "src/invoice.rs": "\n".join(MATCH) + "\n",
    "books/ledger.py": "\n".join(LEDGER) + "\n",
    "books/other.py": "def reset():\n    return None\n",
    "bank/vault.py": "\n".join(BANK) + "\n",
}
BANK_ISSUE = "Opening a vault of a vault fails\n\nThe vault is opened twice.\n"
STOCK_ISSUE = "recount_stock counts nothing\n\nThe stock is empty when recount_stock counts.\n"
DEPOT_ISSUE = "Depot.restock fails\n\nThe depot is empty when it should restock its goods.\n"
ISSUE = "find_effective_quarter returns None when entries are posted\n\nThe ledger crashes then.\n"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("pasted") / "root", FILES) as repository:
        yield repository


def search(repository: Repository, query: str, **arguments: object) -> Any:
    return call(repository, "repo.search", **{"query": query, "detail": "text"} | arguments)


def ask(repository: Repository, query: str, **arguments: object) -> list[str]:
    hits: list[str] = search(repository, query, **arguments)["result"]["hits"]
    return hits


def read_numbers(hit: str) -> list[int]:
    numbers = (row.partition(":")[0].partition("-")[0] for row in hit.split("\n") if ":" in row)
    return [int(number) for number in numbers]


def show(repository: Repository, query: str) -> list[int]:
    """Return the numbers of the lines that the first hit shows."""
    hit = ask(repository, query)[0]
    assert hit.startswith("books/ledger.py\n")
    return read_numbers(hit)


def test_an_issue_is_shown_the_line_that_its_title_names(repository: Repository) -> None:
    asked = LEDGER.index("    quarter = find_effective_quarter(ledger)") + 1
    numbers = show(repository, ISSUE)
    assert len(numbers) == PASTED_LINES
    assert numbers[0] == 1
    assert {asked - 1, asked, asked + 1} <= {*numbers}


def test_a_question_of_one_line_is_shown_the_head(repository: Repository) -> None:
    numbers = show(repository, "effective quarter of the ledger entries that are posted")
    assert numbers == [*range(1, HEAD_LINES + 1)]


def test_a_line_that_has_a_name_of_code_is_shown_the_lines_with_its_words(repository: Repository) -> None:
    asked = LEDGER.index("    quarter = find_effective_quarter(ledger)") + 1
    numbers = show(repository, ISSUE.partition("\n")[0])
    assert len(numbers) == TITLE_LINES
    assert numbers[0] == 1
    assert {asked - 1, asked, asked + 1} <= {*numbers}


def test_an_issue_that_quotes_a_message_is_shown_the_lines_around_it(repository: Repository) -> None:
    quoting = BANK_ISSUE + "\n> ERROR bank: the vault of Smith is not open\n> the interest rate of nothing\n"
    made = BANK.index("            raise BankError('the interest rate of nothing')") + 1
    assert made not in read_numbers(ask(repository, BANK_ISSUE)[0])
    hit = ask(repository, quoting)[0]
    assert hit.startswith("bank/vault.py\n")
    assert made in read_numbers(hit)


@pytest.mark.parametrize("product", ["MongoDB", "ETag", "iOS", "JavaScript"])
def test_a_product_is_no_name_of_code_unless_the_repository_declares_it(
    repository: Repository, product: str, tmp_path: Path
) -> None:
    title = f"{product}: effective quarter of the ledger entries that are posted"
    assert show(repository, title) == [*range(1, HEAD_LINES + 1)]
    declared = FILES | {"books/product.py": f"class {product}:\n    pass\n"}
    with open_indexed(tmp_path / "root", declared) as other:
        lines = [read_numbers(hit) for hit in ask(other, title) if hit.startswith("books/ledger.py")]
    assert lines[0] != [*range(1, HEAD_LINES + 1)]


def test_a_title_that_quotes_what_no_file_has_is_answered_by_all_of_its_words(repository: Repository) -> None:
    title = "effective quarter of posted ledger entries, not"
    quoted = call(repository, "repo.search", query=f'{title} "cut printer"', detail="text")
    plain = call(repository, "repo.search", query=f"{title} cut printer", detail="text")
    assert quoted["result"]["hits"] == plain["result"]["hits"]
    assert quoted["result"]["hits"][0].startswith("books/ledger.py\n")
    assert quoted["warnings"] == [*plain["warnings"], NO_PHRASE]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ('"cut printer"', "No file contains the quoted text. Without the quotes there is 1 hit."),
        ('"stock vault"', "No file contains the quoted text. Without the quotes there are 3 hits."),
    ],
)
def test_a_quote_alone_that_no_file_has_is_said_with_the_hits_of_its_words(
    repository: Repository, query: str, said: str
) -> None:
    answer = call(repository, "repo.search", query=query)
    assert answer["result"]["hits"] == []
    assert answer["warnings"] == [said]
    apart = call(repository, "repo.search", query=query.strip('"'))
    assert f" {apart['result']['total']} hit" in said


def test_no_hits_are_promised_for_a_quote_if_there_are_none(repository: Repository) -> None:
    answer = call(repository, "repo.search", query='frobnicate "qqxx zzyy"')
    assert answer["result"]["hits"] == []
    assert answer["warnings"] == ["No file has: frobnicate, qqxx, zzyy."]


def test_lines_around_a_line_that_an_issue_links_to_are_shown(repository: Repository) -> None:
    link = "https://example.org/a/b/blob/2500957f3a95/books/ledger.py#L55"
    numbers = show(repository, f"{ISSUE}It is raised at {link}.\n")
    assert {*range(55 - CITED_NEAR, 55 + CITED_NEAR + 1)} <= {*numbers}
    assert LEDGER.index("    quarter = find_effective_quarter(ledger)") + 1 in numbers
    assert len(numbers) == 2 * CITED_NEAR + 1 + PASTED_LINES // 2


def test_a_line_that_a_file_has_not_is_not_shown(repository: Repository) -> None:
    link = "https://example.org/a/b/blob/2500957f3a95/books/ledger.py#L5500"
    assert show(repository, f"{ISSUE}It is raised at {link}.\n") == show(repository, ISSUE)


def test_words_that_were_shown_count_less() -> None:
    held = [0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0]
    assert choose_telling(held, [1.0, 0.8], [False] * len(held), 6) == {0, 1, 2, 9, 10, 11}


def test_blank_lines_are_not_shown_beside_others() -> None:
    held = [0, 0, 0, 0, 1, 0]
    assert choose_telling(held, [1.0], [False, False, False, True, False, False], 4) == {0, 1, 4, 5}


class FewReads(list[float]):
    """Weights that can be read so often as a choice that comes to an end needs at most."""

    left = 10_000

    def __getitem__(self, at: Any) -> Any:
        self.left -= 1
        assert self.left, "the choice does not end"
        return super().__getitem__(at)


LINES = st.lists(st.tuples(st.integers(0, 7), st.booleans()), min_size=1, max_size=12)


@settings(max_examples=examples(100))
@given(LINES, st.integers(1, 14))
def test_a_choice_ends_and_has_as_many_lines_as_there_is_room_for(
    lines: list[tuple[int, bool]], room: int
) -> None:
    held, is_idle = zip(*lines, strict=True)
    chosen = choose_telling(held, FewReads([1.0, 0.8, 0.5]), is_idle, room)
    useful = {at for at, idle in enumerate(is_idle) if not idle} | {0}
    assert 0 in chosen
    assert chosen <= useful
    assert len(chosen) == min(room, len(useful))


def test_a_word_in_a_line_without_letters_ends_no_search(repository: Repository) -> None:
    assert choose_telling([0, 1, 0, 0], FewReads([1.0]), [False, True, False, False], 4) == {0, 2, 3}
    said = "settle_invoice drops an invoice\n\nThe arm `_ => {}` of its match is taken: `_ => {}`.\n"
    assert ask(repository, said)[0].startswith("src/invoice.rs\n1-34:fn settle_invoice(kind: Kind) {\n")


def test_the_declaration_around_a_cited_line_is_the_one_that_is_named(repository: Repository) -> None:
    at = BANK.index("        raise BankError(f'the vault {name} is not open')") + 1
    assert ask(repository, f"{BANK_ISSUE}It is raised in bank/vault.py:{at}.\n")[0].startswith(
        "bank/vault.py\n18-21 in Vault:def _check(self, name):\n"
    )


@pytest.mark.parametrize(
    ("cited", "numbers"),
    [(10, [*range(4, 17), *range(23, 26)]), (46, [*range(23, 26), *range(40, 53)])],
    ids=["before", "after"],
)
def test_lines_in_no_declaration_are_set_off_from_the_best(
    repository: Repository, cited: int, numbers: list[int]
) -> None:
    hit = ask(repository, f"{STOCK_ISSUE}It fails in shop/stock.py:{cited}.\n")[0]
    assert read_numbers(hit) == numbers
    before, named, after = hit.partition("23-38:def recount_stock(stock):\n")
    assert named
    assert read_numbers(before) == [number for number in numbers if number < 23]
    inside, _, outside = after.partition("\n\n")
    assert set(read_numbers(inside)) < {*range(24, 39)}
    assert read_numbers(outside) == [number for number in numbers if number > 38]


def test_a_further_file_shows_fewer_lines_around_a_cited_one(repository: Repository) -> None:
    both = f"{STOCK_ISSUE}It is called in shop/printing.py:20 and fails in shop/stock.py:30.\n"
    first, further = ask(repository, both)[:2]
    assert {first[:8], further[:8]} == {"shop/pri", "shop/sto"}
    cited = 20 if "printing" in further.split("\n")[0] else 30
    head = 1 if cited == 20 else 23
    assert read_numbers(further) == [head, *range(cited - NEXT_NEAR, cited + NEXT_NEAR + 1)]


@pytest.mark.parametrize("quoted", ["        Kind::K20 => { pay(20); }", "+  Kind::K20 => { pay(20); }"])
def test_a_line_of_code_that_an_issue_quotes_is_shown_as_if_it_was_cited(
    repository: Repository, quoted: str
) -> None:
    at = MATCH.index("        Kind::K20 => { pay(20); }") + 1
    issue = "settle_invoice drops an invoice\n\nThe invoice is settled twice.\n"
    assert at not in read_numbers(ask(repository, issue)[0])
    hit = ask(repository, f"{issue}```\n{quoted}\n```\n")[0]
    assert hit.startswith("src/invoice.rs\n1-34:fn settle_invoice(kind: Kind) {\n")
    assert {*range(at - 2, at + 3)} <= {*read_numbers(hit)}


def test_what_is_around_the_best_declaration_is_not_named(repository: Repository) -> None:
    hit = ask(repository, DEPOT_ISSUE)[0]
    assert hit.startswith("shop/depot.py\n3-5 in Depot:")
    assert f"1-{len(FILES['shop/depot.py'].splitlines())} Depot" not in hit


def test_further_declarations_of_a_file_are_named_in_one_hit(repository: Repository) -> None:
    hits = ask(repository, DEPOT_ISSUE, top_k=20)
    paths = [hit.partition("\n")[0] for hit in hits]
    assert paths[0] == "shop/depot.py"
    assert len(paths) == len({*paths})
    assert ".step_" in hits[0].rpartition("\nalso ")[2]


def test_no_warning_says_how_many_words_were_used(repository: Repository) -> None:
    words = " ".join(f"vaultword{at}" for at in range(200))
    assert not any("terms" in warning for warning in search(repository, f"{BANK_ISSUE}{words}\n")["warnings"])


def test_names_in_pasted_code_that_no_file_has_are_not_reported(repository: Repository) -> None:
    said = f"{BANK_ISSUE}openTheGate fails.\n```\nmy_own_vault = makeMyVault()\n```\n"
    (warning,) = search(repository, said)["warnings"]
    assert warning == "No file has: openTheGate."


def test_a_part_of_a_name_that_a_hit_shows_is_not_said_to_be_nowhere(tmp_path: Path) -> None:
    text = (
        "def write_smart_usage(out):\n    return out.smart\n\n\ndef write_help(out):\n    return out.usage\n"
    )
    said = "How is the usage written?\n\nThe help lacks it. (smart_usage, dumb_usage)\n"
    with open_indexed(tmp_path / "root", {"usage.py": text}) as repository:
        answer = search(repository, said)
    assert "write_smart_usage" in answer["result"]["hits"][0]
    assert answer["warnings"] == ["No file has: dumb_usage."]


def test_a_record_shows_the_same_lines_as_the_text(repository: Repository) -> None:
    (record, *_) = search(repository, ISSUE, detail="snippets")["result"]["hits"]
    rows = record["snippet"].splitlines()
    assert [int(row.partition("\t")[0]) for row in rows] == show(repository, ISSUE)
    assert (record["symbol"], record["symbol_lines"]) == ("post_entries", [1, len(LEDGER)])


def test_a_record_names_further_declarations_of_its_file_once(repository: Repository) -> None:
    text = ask(repository, DEPOT_ISSUE, top_k=20)[0]
    hits = search(repository, DEPOT_ISSUE, detail="snippets", top_k=20)["result"]["hits"]
    assert hits[0]["also"] == text.rpartition("\nalso ")[2].split(", ")
    assert ".step_" in hits[0]["also"][0]
    paths = [hit["path"] for hit in hits]
    assert len(paths) == len({*paths})


def test_a_record_names_the_rarest_words_of_a_report(repository: Repository) -> None:
    said = f"{BANK_ISSUE}self if return name open check raise interest rate nothing vaults BankError\n"
    (record, *_) = search(repository, said, detail="snippets")["result"]["hits"]
    assert record["path"] == "bank/vault.py"
    assert "interest" in record["matched_terms"]
    assert not {"vault", "self", "return"} & {*record["matched_terms"]}
    assert len(record["matched_terms"]) <= TERMS_OF_REPORT


def test_the_explanation_of_a_report_leaves_no_hit_out(repository: Repository) -> None:
    hits = search(repository, DEPOT_ISSUE, detail="snippets", top_k=20, explain=True)["result"]["hits"]
    assert not any("also" in hit for hit in hits)
    assert [hit["path"] for hit in hits].count("shop/depot.py") > 1


def test_a_question_of_one_line_is_answered_by_whole_declarations(repository: Repository) -> None:
    question = "effective quarter of the ledger entries that are posted?"
    (record, *_) = search(repository, question, detail="snippets")["result"]["hits"]
    assert record["path"] == "books/ledger.py"
    assert len(record["snippet"].splitlines()) == len(LEDGER)
    assert "also" not in record


def test_overloads_are_named_first(tmp_path: Path) -> None:
    def write(kind: str) -> str:
        body = "\n".join(f"    ledger.entry{at} = {kind};" for at in range(12))
        return f"  void postEntry({kind} ledger) {{\n{body}\n  }}"

    ways = "\n".join(f"  void open{at}(Ledger ledger) {{\n    post(ledger);\n  }}" for at in range(9))
    text = f"class Books {{\n{ways}\n{write('int')}\n{write('long')}\n{write('char')}\n}}\n"
    with open_indexed(tmp_path / "root", FILES | {"Books.java": text}) as repository:
        (hit, *_) = ask(repository, "postEntry fails\n\npostEntry of int adds a ledger to an entry.\n")
    named = hit.rpartition("\nalso ")[2]
    assert named.split(" ")[0].count("-") == 2
    assert named.split(" ")[1].startswith(".postEntry")


def test_tests_in_a_file_of_the_program_and_long_types_are_not_named(tmp_path: Path) -> None:
    body = "\n".join(f"    let entry{at} = ledger.entry({at});" for at in range(12))
    fields = "\n".join(f"    ledger{at}: Ledger," for at in range(120))
    functions = [f"fn {name}(ledger: Ledger) {{\n{body}\n}}" for name in ("post_entry", "balance")]
    checked = f"mod tests {{\n    fn posts(ledger: Ledger) {{\n{body}\n    }}\n}}"
    text = "\n\n".join([*functions, f"struct Books {{\n{fields}\n}}", checked]) + "\n"
    with open_indexed(tmp_path / "root", FILES | {"books.rs": text}) as repository:
        (hit, *_) = ask(repository, "Post entry fails\n\n`post_entry` adds a ledger to an entry.\n")
    assert hit.startswith("books.rs\n")
    assert "post_entry" in hit
    assert "balance" in hit.rpartition("\nalso ")[2]
    assert "posts" not in hit
    assert "Books" not in hit


def test_declarations_that_a_report_guesses_are_named_whatever_words_they_hold(tmp_path: Path) -> None:
    def write(name: str) -> str:
        body = "\n".join(f"        value{at} = {at}" for at in range(12))
        return f"    def {name}(self):\n{body}\n        return 1\n"

    text = f"class Scale:\n{write('weigh_goods')}\n{write('round_down')}\n{write('tare')}"
    words = [f"word{at}x" for at in range(40)]  # more than are looked for, so names at the end are not
    files = {"shop/scale.py": f"# {' '.join(words)}\n{text}", "shop/words.py": f"w = '{' '.join(words)}'\n"}
    report = f"Scale is wrong\n\n{' '.join(words)}\n\n(round_down, weigh_goods, Tare)"
    with open_indexed(tmp_path / "root", FILES | files) as repository:
        hits = ask(repository, report)
    (hit,) = (one for one in hits if one.startswith("shop/scale.py\n"))
    assert ":def weigh_goods(self):" in hit
    assert ".round_down" in hit
    assert "tare" not in hit
