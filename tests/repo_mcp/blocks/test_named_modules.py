"""A module that the prompt names before a name, or before all that it says, chooses among namesakes."""

from __future__ import annotations

from repo_mcp.blocks.mentioned_files import MAX_DECLARING_FRAME
from tests.repo_mcp.bundler.test_traces import choose, fill

PARSE = "package {0}\n\nfunc Parse(given string) Page {{\n{1}\treturn read(given)\n}}\n"
FOLDERS = ("book", "shelf/key", "shelf/lid", "crate", "lock", "door", "wall")
TEXTS = {
    f"{folder}/{at}.go": PARSE.format(folder.rpartition("/")[2], fill(70, "word"))
    for at, folder in enumerate(FOLDERS)
} | {
    "errors/empty.go": "package errors\n\n"
    + "".join(
        f"func TakeEmptyText{at}(text, door, lid) error {{\n\tif empty(text) {{\n"
        "\t\treturn parse(door, lid, page, error)\n\t}\n\treturn take(page)\n}\n\n"
        for at in range(9)
    )
}
SAID = "takes an empty text for a page: it should return an error"


def test_of_many_namesakes_the_one_in_the_named_module_is_shown() -> None:
    assert choose(f"door.Parse {SAID}", TEXTS, 40).selections[0].path == "door/5.go"
    many = TEXTS | {f"errors/empty{at}.go": TEXTS["errors/empty.go"] for at in range(20)}
    assert choose(f"door.Parse {SAID}", many, 40).selections[0].path == "door/5.go"  # no hit leads there


def test_a_folder_before_all_else_chooses_among_namesakes() -> None:
    assert choose(f"shelf/lid: `Parse` {SAID}", TEXTS, 40).selections[0].path == "shelf/lid/2.go"
    many = TEXTS | {f"far/key{at}/a.go": PARSE.format("key", "") for at in range(MAX_DECLARING_FRAME)}
    assert choose(f"shelf/lid: `Parse` {SAID}", many, 40).selections[0].path == "shelf/lid/2.go"
    assert choose(f"no/folder: `Parse` {SAID}", TEXTS, 40).selections[0].path == "errors/empty.go"


def test_what_is_outside_of_the_folder_before_all_else_counts_less() -> None:
    texts = {"shelf/lid/take.go": TEXTS["errors/empty.go"].replace("empty", "text"), **TEXTS}
    assert choose(f"the errors: {SAID}", texts, 40).selections[0].path == "errors/empty.go"
    assert choose(f"shelf/lid: {SAID}", texts, 40).selections[0].path == "shelf/lid/take.go"
