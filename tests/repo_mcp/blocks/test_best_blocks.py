"""Which declarations answer a question: variety, names made by chance, tests in a file of the program."""

from __future__ import annotations

from repo_mcp.blocks.best_blocks import RatedBlock
from repo_mcp.blocks.block_factors import FAILS_NOT, TRIVIAL, weigh_failures, weigh_work
from tests.repo_mcp.research.asking import Asked

SEARCHER = """def memory_map(searcher, choice):
    searcher.choice = choice
    return searcher


def open_file(searcher, file):
    if searcher.choice.fits(file):
        memory = file.map()
        return searcher.search(memory)
    for part in file:
        searcher.read(part)
    raise ReadFailed(file)


def close_file(searcher, file):
    if searcher.is_open:
        file.close()
    for part in searcher.parts:
        part.close()
    return None
"""
MORE = "".join(
    f"\n\ndef step_{number}(value):\n    value += {number}\n    return value\n" for number in range(8)
)
OTHERS = {
    f"other_{number}.py": f"def other_{number}(value):\n    return value + {number}\n" for number in range(20)
}
RUST = """pub fn exclude_file(root: &Path) -> PathBuf {
    let linked = root.join("gitdir");
    if linked.exists() {
        return read(linked);
    }
    root.join("exclude")
}

#[cfg(test)]
mod tests {
    #[test]
    fn exclude_file_of_linked_worktree() {
        let root = linked_worktree();
        let file = exclude_file(root);
        assert_eq!(file, linked);
    }
}
"""


def rate(files: dict[str, str], question: str) -> list[RatedBlock]:
    rated, _ = Asked({**files, **OTHERS}).rate(question, "", 20)
    return rated


def list_names(rated: list[RatedBlock]) -> list[str]:
    return [one.block.span.name for one in rated if one.block.span is not None]


def test_two_words_that_form_a_name_by_chance_do_not_come_before_what_holds_the_others() -> None:
    names = list_names(
        rate({"searcher.py": SEARCHER + MORE}, "when is a file searched through a memory map or read")
    )
    assert names.index("open_file") < names.index("memory_map")


def test_a_name_that_is_written_as_one_comes_first() -> None:
    assert (
        list_names(rate({"searcher.py": SEARCHER + MORE}, "what does memory_map() read or search"))[0]
        == "memory_map"
    )


def test_a_test_in_a_file_of_the_program_is_worth_less_unless_it_is_asked_for() -> None:
    asked = Asked({"dir.rs": RUST, **OTHERS})
    worth = [
        {one.block.span.name: one.worth for one in rated if one.block.span is not None}
        for rated in (
            asked.rate("exclude file of a linked worktree", "", 20, include_tests=wanted)[0]
            for wanted in (False, True)
        )
    ]
    assert worth[0]["exclude_file"] == worth[1]["exclude_file"]
    assert worth[0]["tests"] < worth[1]["tests"] / 2


def test_what_fails_with_the_words_is_worth_more_where_failures_are_asked_for() -> None:
    rated = {
        one.block.span.name: one
        for one in rate({"searcher.py": SEARCHER + MORE}, "read file")
        if one.block.span
    }
    assert weigh_failures(rated["open_file"]) > 1.0
    assert weigh_failures(rated["memory_map"]) == FAILS_NOT


def test_brackets_on_lines_of_their_own_make_no_long_body() -> None:
    passing = (
        "void save_item(struct item *item)\n{\n    check(item);\n    check(store);\n\n"
        "    check(item->key);\n    save_checked(item, store);\n\n}\n"
    )
    [rated] = [one for one in rate({"save.c": passing}, "save an item") if one.path == "save.c"]
    assert weigh_work(rated) == TRIVIAL
