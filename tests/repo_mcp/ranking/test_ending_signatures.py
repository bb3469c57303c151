"""Pages that may have a term with an ending, against a look at every term."""

from __future__ import annotations

import gc
import time
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import TermsReader
from index_format.records import I64
from repo_mcp.ranking import ending_signatures
from repo_mcp.ranking.ending_signatures import EndingSignatures, get_signatures
from tests.no_threads import no_threads

WORDS = st.text("abcé_", min_size=1, max_size=9)
NAMES = [f"{number:06x}_word{number % 5}" for number in range(4_000)]


class Pages(TermsReader):
    """A dictionary in memory, of pages of two terms."""

    def __init__(self, terms: list[str]) -> None:
        encoded = sorted({term.encode() for term in terms})
        self.lists = [encoded[at : at + 2] for at in range(0, len(encoded), 2)]
        self.pages = len(self.lists)

    def read_texts(self, start: int, stop: int) -> tuple[bytes, I64]:
        pages = [b"".join(term + b"\n" for term in page) for page in self.lists[start:stop]]
        return b"".join(pages), np.cumsum([0, *map(len, pages)])[:-1]


def list_pages(signatures: EndingSignatures, pages: Pages, ending: str) -> list[int]:
    return [page for span in signatures.iter_spans(pages, ending.encode()) for page in range(*span)]


@given(st.lists(WORDS, min_size=1, max_size=40), WORDS)
def test_no_page_with_the_ending_is_left_out(terms: list[str], ending: str) -> None:
    pages = Pages([*terms, "x" + ending])
    signatures = EndingSignatures()
    assert list_pages(signatures, pages, ending) == list(range(pages.pages))
    signatures.sign(pages)
    found = list_pages(signatures, pages, ending)
    assert found == sorted(found)
    with_ending = (any(term.endswith(ending.encode()) for term in page) for page in pages.lists)
    assert {page for page, has in enumerate(with_ending) if has} <= set(found)


def test_most_pages_are_left_out() -> None:
    pages = Pages([*NAMES, "a_needle"])
    signatures = EndingSignatures()
    signatures.sign(pages)
    assert 0 < len(list_pages(signatures, pages, "eedle")) < 20
    assert list_pages(signatures, pages, "zzqq") == []
    assert len(list_pages(signatures, pages, "e")) == pages.pages  # too short to be told by three bytes


def test_a_large_dictionary_is_signed_behind_the_first_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending_signatures, "SIGNED_PAGES", 10)
    pages = Pages([*NAMES, "a_needle"])
    signatures = EndingSignatures()
    with no_threads():  # the system has none: the next search tries again
        assert len(list_pages(signatures, pages, "eedle")) == pages.pages
    deadline = time.monotonic() + 120
    while len(list_pages(signatures, pages, "eedle")) == pages.pages and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(list_pages(signatures, pages, "eedle")) < 20


def test_a_dictionary_has_one_set_of_signatures_that_goes_with_it() -> None:
    pages = Pages(NAMES)
    get_signatures(pages).sign(pages)
    assert get_signatures(pages) is get_signatures(pages)
    known = weakref.ref(get_signatures(pages))
    del pages
    gc.collect()
    assert known() is None
