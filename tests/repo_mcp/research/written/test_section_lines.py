"""Of a section on how something is written, the examples are shown that use most of the names."""

from __future__ import annotations

from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.written.section_lines import choose_examples, find_whole_end
from tests.growth import BOUND, measure_growth
from tests.repo_mcp.research.asking import Asked

OWN_SORTER = """# Own sorters

Sorters decide where a parcel goes.

```py
class ParcelSorter:
    def sort(self, parcel): ...
```

Derive from `ParcelSorter`, for example:

```py
class HeavySorter(ParcelSorter):
    def sort(self, parcel):
        return "left"
```

Nothing of this matters:

```py
weigh(parcel)
```

Then attach it:

```py
depot.attach(HeavySorter())
```

## More

# Depots

```py
ParcelSorter.sort
```
""".splitlines()


def choose(*names: str, most: int = 1_000) -> list[str]:
    span = (1, find_whole_end(OWN_SORTER, 1, 1))
    return [OWN_SORTER[at - 1] for at in choose_examples(OWN_SORTER, span, names, most)]


def test_what_an_example_declares_leads_to_the_example_that_uses_it() -> None:
    assert choose("ParcelSorter", "sort") == [
        "Derive from `ParcelSorter`, for example:",
        "class HeavySorter(ParcelSorter):",
        "    def sort(self, parcel):",
        '        return "left"',
        "Then attach it:",
        "depot.attach(HeavySorter())",
    ]


def test_a_block_without_a_name_is_no_example() -> None:
    assert choose("unknown") == []


def test_a_text_without_room_for_its_example_is_not_shown() -> None:
    assert choose("ParcelSorter", most=60) == []


def test_a_section_ends_where_the_next_one_of_its_level_begins() -> None:
    assert OWN_SORTER[find_whole_end(OWN_SORTER, 1, 3)] == "# Depots"


def test_a_list_behind_a_colon_is_a_block() -> None:
    lines = ["These must be defined:", "", ".. method:: sort", ".. method:: load", "", "sort is old."]
    assert choose_examples(lines, (1, 6), ["sort"]) == [1, 3, 4]


SORTERS = {
    "sorters.py": "class Sorter:\n    def sort(self, parcel):\n        raise NotImplementedError\n\n\n"
    + "".join(
        f"class {name}Sorter(Sorter):\n    def sort(self, parcel):\n        return self.find('{name}')\n\n\n"
        for name in ("Left", "Right", "Heavy")
    ),
    "docs/usage.md": "# Sorting\n\nSorting your own parcels takes a minute.\n\n## Building your depot\n\n"
    "Building takes longer.\n",
    "docs/api.md": "# Sorter API\n\nThe base is `Sorter`, given to add_sorter:\n\n```py\n"
    "class MySorter(Sorter):\n    pass\n\napp.add_sorter(MySorter)\n```\n",
    "app.py": "class App:\n    def add_sorter(self, sorter: Sorter):\n        self.sorters.append(sorter)\n",
}
ASKS = "How do I write a custom sorter? (Sorter, add_sorter)"


def test_the_section_with_the_guessed_names_is_cited_and_shown_up_to_its_example() -> None:
    report = Asked(SORTERS).ask(ASKS)
    assert report.claim.endswith("In the documentation, see Sorter API (docs/api.md:1-10).")
    (section,) = [one for one in report.findings if one.role is Role.SHOWS_HOW]
    assert "app.add_sorter(MySorter)" in section.excerpt


def test_a_section_without_any_guessed_name_is_not_said_to_tell_how() -> None:
    texts = {path: text for path, text in SORTERS.items() if path != "docs/api.md"}
    assert "documentation" not in Asked(texts).ask(ASKS).claim


def test_a_guide_from_one_version_to_another_tells_nothing_of_how_one_is_written() -> None:
    texts = dict(SORTERS)
    section = texts.pop("docs/api.md")
    for path in (
        "docs/upgrading-2.md",
        "MIGRATION.md",
        "doc/migrating_v1-v2.md",
        "versioned_docs/version-1/api.md",
    ):
        assert "documentation" not in Asked(texts | {path: section}).ask(ASKS).claim


def test_comments_of_an_example_leave_room_for_what_uses_it() -> None:
    lines = ["```ts", "/** A sorter of one's own. */", "class MySorter extends Sorter {"]
    lines += [f"  step{at}() {{ walk({at}) }}" for at in range(60)]
    lines += ["  // The end.", "}", "```", "", "Use it:", "", "```ts", "depot.attach(new MySorter())", "```"]
    chosen = [lines[at - 1] for at in choose_examples(lines, (1, len(lines)), ["Sorter"])]
    assert chosen[0] == "class MySorter extends Sorter {"
    assert chosen[-1] == "depot.attach(new MySorter())"


def test_a_title_that_is_underlined_with_tildes_opens_no_block() -> None:
    lines = [
        "Own sorters",
        "~~~~~~~~~~~",
        "",
        "Nothing of this matters.",
        "",
        "Attach it::",
        "",
        "    attach(Sorter())",
    ]
    assert choose_examples(lines, (1, 8), ["Sorter"]) == [6, 8]


def test_long_paragraphs_and_blocks_are_read_in_linear_time() -> None:
    def write(size: int) -> list[str]:
        return [*["parcels go there"] * size, "Attach it:", "", *["    attach(Sorter())"] * size]

    growth = measure_growth(write, lambda lines: choose_examples(lines, (1, len(lines)), ["Sorter"]), 200)
    assert growth < BOUND


def test_a_value_with_a_plain_name_leads_to_no_further_example() -> None:
    lines = ["```ts", "const parcel = Sorter.find()", "```", "", "```ts", "weigh(parcel)", "```"]
    assert choose_examples(lines, (1, 7), ["Sorter"]) == [2]


def test_a_heading_that_is_a_name_has_the_words_of_which_it_is_made() -> None:
    section = "# ParcelSorterAttribute\n\nA custom sorter is given to a parcel by this attribute.\n"
    texts = {**SORTERS, "docs/api.md": section}
    report = Asked(texts).ask("How do I write a custom sorter?")
    assert "docs/api.md" in [one.path for one in report.findings]
