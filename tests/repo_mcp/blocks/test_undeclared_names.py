"""A name of the prompt that nothing declares leads to where it is used, unless that is everywhere."""

from __future__ import annotations

from typing import Any, cast

import pytest

from repo_mcp.blocks.blocks import cut_blocks
from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.file_view import FileView, PromptTermFinder
from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.rated_files import RatedFile
from repo_mcp.blocks.undeclared_names import MAX_UNITS, MAX_USING, raise_users
from repo_mcp.blocks.weights import WEIGHTS
from tests.repo_mcp.blocks.small_source import Source, read_text

TEXT = """def plain(store):
    return store.fetchall()


def asking(store):
    # like make_params
    return store.make_params(1)


def other(store):
    return store.make_params_of(2)


def commented(store):
    # as make_params does
    return store
"""


def raise_worth(text: str, name: str, source: Source, sure: float = 1.0, priority: float = 1.0) -> list[str]:
    """Return the names of the blocks that gain."""
    live = read_text("a.py", text)
    layout = read_layout("a.py", live.data)
    blocks = cut_blocks(live.lines, layout.spans, small_file_lines=0)
    view = FileView(live, layout, PromptTermFinder(set()))
    one = RatedFile(Candidate("a.py", 1.0, None), view, blocks, [0.0] * len(blocks), priority)
    raise_users([one], {name: sure}, cast("Any", source), WEIGHTS)
    return [block.span.name for block, worth in zip(blocks, one.worth, strict=True) if worth and block.span]


@pytest.mark.parametrize("name", ["make_params", "library.make_params"])
def test_what_uses_a_name_that_nothing_declares_gains(name: str) -> None:
    assert raise_worth(TEXT, name, Source()) == ["asking"]


def test_a_name_that_a_file_declares_or_that_is_less_sure_leads_to_no_use() -> None:
    assert raise_worth(TEXT, "make_params", Source(make_params="b.py")) == []
    assert raise_worth(TEXT, "make_params", Source(), sure=0.5) == []


def test_a_name_that_is_used_in_many_places_leads_to_none() -> None:
    used = [
        f"def use_{number}(store):\n    return store.make_params({number})\n"
        for number in range(MAX_USING + 1)
    ]
    assert len(raise_worth("\n\n".join(used[1:]), "make_params", Source())) == MAX_USING
    assert raise_worth("\n\n".join(used), "make_params", Source()) == []
    source = Source()
    source.count_units = lambda _term: MAX_UNITS + 1  # type: ignore[method-assign]
    assert raise_worth(TEXT, "make_params", source) == []


def test_tests_and_documents_do_not_use_it() -> None:
    assert raise_worth(TEXT, "make_params", Source(), priority=0.2) == []
