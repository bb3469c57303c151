"""The script that makes the pages of `docs/research-examples` anew."""

from __future__ import annotations

from bench.research.examples import MOST_FINDINGS, MOST_LINES, PAGES, TREES, find_asked, replace_answer

REPORT = (
    "# How?\n\nBy f.\n\n## Findings\n"
    + "".join(f"\n**{place}. f{place}**\n" + "    line\n" * 40 for place in range(1, 7))
    + "\n## Around it\n\n- g\n"
)


def test_every_page_but_the_one_of_a_summary_asks_a_known_tree() -> None:
    asked = {path.name: find_asked(path.read_text("utf-8")) for path in PAGES.glob("*.md")}
    assert {name for name, own in asked.items() if own is None} == {"README.md", "synthesis.md"}
    assert {own[1] for own in asked.values() if own is not None} == set(TREES.values())


def test_the_answer_is_replaced_and_the_rest_of_a_page_stays() -> None:
    page = "# How?\n\nAsked of Django 5.1. Good.\n\n## Before: 1\n\nold\n\n## After: 2\n\nold\n"
    made = replace_answer(page, 1_234, 6, REPORT)
    kept, _, after = made.partition("## After: ")
    assert kept == page.partition("## After: ")[0]
    assert after.startswith("1,234 bytes as JSON, 6 findings\n\nThe first 3:\n\n````text\n# How?\n\nBy f.\n")
    shown = [place for place in range(1, 7) if f"**{place}. f{place}**" in after]
    assert shown == list(range(1, MOST_FINDINGS + 1))
    assert after.count("    line\n") == MOST_FINDINGS * (MOST_LINES - 1)
    assert after.endswith("\n    …\n````\n")
    assert replace_answer(made, 1_234, 6, REPORT) == made
