"""`search_docs`: what a client gets, and the links and sounds beside it."""

from __future__ import annotations

import base64
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.protocol.resources import quote_path
from repo_mcp.protocol.tool_model import Audio, Block, ResourceLink, ToolAnswer
from repo_mcp.toolsets.research.docs_calls import MAX_LINKS
from tests.repo_mcp.toolsets.research.research_roots import CANARY, TREE, Served
from tests.written_trees import write_tree

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 30


def make_sound(samples: int) -> bytes:
    """Return a sound as a WAVE file has it."""
    data = b"\x80" * samples
    head = struct.pack("<4sIHHIIHH4sI", b"fmt ", 16, 1, 1, 8_000, 8_000, 1, 8, b"data", len(data))
    return b"RIFF" + struct.pack("<I", 4 + len(head) + len(data)) + b"WAVE" + head + data


MEDIA: dict[str, str | bytes] = {
    **TREE,
    "docs/media.md": (
        "# Bells\n\n## Doorbell chime\n\n[The chime](sounds/chime.wav) and "
        "![Plan of the doorbell](img/door%20bell.png), see also [the manual](/docs/manual.pdf).\n\n"
        '<img src="img/wiring.svg" alt="Wiring diagram">\n\n'
        "## Refused doorbells\n\n![x](../../outside.png) ![x](/../outside.png) ![x](img/missing.png)\n"
        "![x](https://example.org/doorbell.png) ![x](link.png) ![x](../.ssh/doorbell.png)\n"
        "![x](..%2f..%2foutside.png) ![x](img) ![x](../service/auth.py) ![x](secrets.png)\n"
        "![x](folder/gong.png)\n"
        "\n## Loud doorbell\n\n[long](sounds/long.wav) [text](sounds/text.wav) [frame](sounds/frame.mp3)\n"
    ),
    "docs/bells.rst": (
        "Bells\n=====\n\nGong\n----\n\n.. figure:: img/gong.png\n   :alt: The brass gong\n\n   A gong.\n"
    ),
    "docs/img/door bell.png": PNG,
    "docs/img/wiring.svg": "<svg/>",
    "docs/img/gong.png": PNG,
    "docs/manual.pdf": b"%PDF-1.7\0",
    "docs/sounds/chime.wav": make_sound(2_000),
    "docs/sounds/long.wav": make_sound(70_000),
    "docs/sounds/text.wav": f"no sound at all: {CANARY}",
    "docs/sounds/frame.mp3": b"\xff\xfb\x90\x00" + b"\0" * 200,
    ".ssh/doorbell.png": PNG + CANARY.encode(),
    "docs/secrets.png": PNG + CANARY.encode(),
}


@pytest.fixture(scope="module")
def bells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("bells")
    root = write_tree(place / "root", MEDIA)
    (place / "outside.png").write_bytes(PNG)
    (root / "docs/link.png").symlink_to("../../outside.png")
    (root / "docs/folder").symlink_to("img")
    with Served(root, place / "data") as served:
        yield served


def ask(served: Served, query: str, **arguments: object) -> ToolAnswer:
    answer = served.ask("search_docs", {"query": query, **arguments})
    assert not answer.is_error, answer.text
    assert CANARY not in repr(answer)
    return answer


def links(blocks: tuple[Block, ...]) -> list[str]:
    return [block.uri for block in blocks if isinstance(block, ResourceLink)]


def sounds(blocks: tuple[Block, ...]) -> list[Audio]:
    return [block for block in blocks if isinstance(block, Audio)]


# The specification's scenarios, and the shape of a result


def test_search_documentation(served: Served) -> None:
    result = served.call("search_docs", query="installation")
    assert result["results"][0] == {
        "path": "docs/guide.md",
        "start_line": 3,
        "end_line": 5,
        "relevance_percent": result["results"][0]["relevance_percent"],
        "kind": "section",
        "breadcrumb": "Guide > Installation",
        "section_lines": [3, 6],
        "snippet": "## Installation\n\nRun it.",
    }
    assert 50 < result["results"][0]["relevance_percent"] <= 100
    assert (result["total"], result["truncated"], result["media"]) == (1, False, [])


def test_filter_by_path(served: Served) -> None:
    everywhere = {row["path"] for row in served.rows("search_docs", query="password service", limit=10)}
    assert everywhere > {"docs/guide.md", "README.md"}
    for pattern in ("docs/*.md", "docs/**", "*uide.md"):
        found = served.rows("search_docs", query="password service", path_filter=pattern)
        assert {row["path"] for row in found} == {"docs/guide.md"}
    inside = served.rows("search_docs", query="password service", path="docs", path_filter="*.md")
    assert {row["path"] for row in inside} == {"docs/guide.md"}
    assert served.rows("search_docs", query="password", path="tools") == []


def test_limit(served: Served) -> None:
    for limit in (1, 3):
        result = served.call("search_docs", query="password session token", limit=limit)
        assert len(result["results"]) == limit
        assert result["truncated"]
    for limit in (0, -1):
        assert "limit" in served.error("search_docs", query="x", limit=limit)
    assert (
        "limit is above its maximum: 50 is used."
        in served.call("search_docs", query="x", limit=51)["warnings"]
    )


def test_a_page_ends_where_relevance_falls_off(served: Served) -> None:
    query = "password session token"
    result = served.call("search_docs", query=query)
    rated = [row["relevance_percent"] for row in result["results"]]
    whole = served.rows("search_docs", query=query, limit=10)
    assert 1 < len(rated) < len(whole)
    assert result["truncated"]
    assert min(rated) > whole[len(rated)]["relevance_percent"]
    further = served.rows("search_docs", query=query, cursor=result["cursor"])
    assert [*result["results"], *further] == whole


def test_comments_of_code_are_documentation(served: Served) -> None:
    row = next(row for row in served.rows("search_docs", query="check a password and open a session"))
    assert (row["path"], row["kind"]) == ("service/auth.py", "doc_comment")
    assert row["breadcrumb"] == "service.auth > Authenticator > authenticate"
    assert "Check a password and open a session." in row["snippet"]


def test_errors(served: Served, tmp_path: Path) -> None:
    assert served.error("search_docs") == "Missing required argument: query"
    assert served.error("search_docs", query="  ") == "Query cannot be empty"
    assert served.error("search_docs", query="x", path="gone").startswith("Path does not exist")
    assert "path_filter" in served.error("search_docs", query="x", path_filter="")
    with Served(write_tree(tmp_path / "root", TREE), tmp_path / "data", index=False) as empty:
        said = empty.error("search_docs", query="x", path="docs")
        assert said == "No index found for path: docs. Run 'index_codebase' tool first."


def test_every_form_holds_the_same(served: Served) -> None:
    human = ask(served, "installation", format="human").text
    assert human.startswith("Guide > Installation  (")
    assert "docs/guide.md:3-5\n## Installation\n\nRun it." in human
    assert ask(served, "nothing like this", format="human").text.startswith("No documentation was found.")
    toon = ask(served, "installation", format="toon").text
    assert toon.startswith("results[1]:\n  - path: docs/guide.md\n    start_line: 3\n")
    assert ask(served, "a\0b installation").structured["results"]


def test_text_that_hides_is_said(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "# Doorbell \u202egnir\n\nDoorbell.\n"})
    with Served(root, tmp_path / "data") as served:
        result = served.call("search_docs", query="doorbell")
        assert "\u202e" not in result["results"][0]["breadcrumb"]
        assert any("may hide text: result 1" in warning for warning in result["warnings"])


def test_equal_calls_give_equal_bytes(bells: Served) -> None:
    assert ask(bells, "doorbell chime") == ask(bells, "doorbell chime")


# Media


def test_media_are_linked_with_type_description_and_annotations(bells: Served) -> None:
    answer = ask(bells, "plan of the doorbell", limit=10)
    link = next(block for block in answer.blocks if isinstance(block, ResourceLink))
    assert link.uri == "repo:///docs/img/door%20bell.png"
    assert (link.name, link.mime_type, link.size) == ("door bell.png", "image/png", len(PNG))
    assert link.description == "Plan of the doorbell; in Bells > Doorbell chime (docs/media.md)"
    assert link.notes.audience == ("user",)
    assert link.notes.priority is not None
    assert 0.5 < link.notes.priority <= 1.0
    assert set(links(answer.blocks)) == {
        "repo:///docs/img/door%20bell.png",
        "repo:///docs/img/wiring.svg",
        "repo:///docs/manual.pdf",
        "repo:///docs/sounds/chime.wav",
        "repo:///docs/sounds/frame.mp3",
        "repo:///docs/sounds/long.wav",
        "repo:///docs/sounds/text.wav",
    }
    rows: Any = answer.structured["media"]
    assert rows[0] == {
        "path": "docs/img/door bell.png",
        "mime_type": "image/png",
        "size": len(PNG),
        "text": "Plan of the doorbell",
        "hit": 1,
    }


def test_a_drawing_that_is_text_is_for_the_model_as_well(bells: Served) -> None:
    blocks = ask(bells, "wiring diagram").blocks
    (link,) = [one for one in blocks if isinstance(one, ResourceLink) and one.name == "wiring.svg"]
    assert (link.mime_type, link.notes.audience) == ("image/svg+xml", ("user", "assistant"))
    assert links(blocks)[0] == "repo:///docs/img/wiring.svg"


def test_media_of_restructuredtext(bells: Served) -> None:
    answer = ask(bells, "brass gong")
    assert links(answer.blocks) == ["repo:///docs/img/gong.png"]
    rows: Any = answer.structured["results"]
    assert rows[0]["breadcrumb"] == "Bells > Gong"


def test_a_short_sound_comes_with_its_data_behind_its_link(bells: Served) -> None:
    blocks = ask(bells, "the chime", limit=1).blocks
    place = links(blocks).index("repo:///docs/sounds/chime.wav")
    sound = sounds(blocks)[0]
    assert blocks.index(sound) == place + 1
    assert sound.mime_type == "audio/wav"
    assert base64.b64decode(sound.data, validate=True) == MEDIA["docs/sounds/chime.wav"]
    assert sound.notes.audience == ("user",)


def test_only_short_files_that_begin_like_sounds_come_as_sounds(bells: Served) -> None:
    answer = ask(bells, "loud doorbell", limit=1)
    assert set(links(answer.blocks)) == {
        f"repo:///docs/sounds/{n}" for n in ("long.wav", "text.wav", "frame.mp3")
    }
    assert [sound.mime_type for sound in sounds(answer.blocks)] == ["audio/mpeg"]


def test_what_is_outside_denied_missing_or_elsewhere_is_not_linked(bells: Served) -> None:
    answer = ask(bells, "refused doorbells", limit=1)
    rows: Any = answer.structured["results"]
    assert rows[0]["breadcrumb"].endswith("Refused doorbells")
    assert answer.blocks == ()
    assert "media" not in answer.structured


def test_blocks_follow_the_form_and_the_rows(bells: Served) -> None:
    whole = ask(bells, "doorbell")
    assert ask(bells, "doorbell", format="human").blocks == whole.blocks
    assert "Media:\n  docs/" in ask(bells, "doorbell", format="human").text
    first = ask(bells, "doorbell", limit=1)
    rows: Any = first.structured["media"]
    assert {row["hit"] for row in rows} <= {1}


def test_an_answer_with_blocks_stays_within_its_bytes(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {**MEDIA, "docs/sounds/chime.wav": make_sound(20_000)})
    with Served(root, tmp_path / "data", max_total_bytes_per_response=16_384) as small:
        answer = ask(small, "the chime")
        assert links(answer.blocks)
        assert sounds(answer.blocks) == [] or sounds(answer.blocks)[0].mime_type == "audio/mpeg"
        assert len(answer.text.encode()) + sum(len(repr(block)) for block in answer.blocks) < 17_500


def test_the_number_of_links_is_bounded(tmp_path: Path) -> None:
    pictures = {f"img/p{number}.png": PNG for number in range(60)}
    sections = "\n".join(
        f"## Doorbell {place}\n\n" + " ".join(f"![a](img/p{place * 6 + n}.png)" for n in range(6)) + "\n"
        for place in range(10)
    )
    with Served(
        write_tree(tmp_path / "root", {**pictures, "a.md": f"# A\n\n{sections}"}), tmp_path / "data"
    ) as served:
        answer = ask(served, "doorbell", limit=50)
        assert len(answer.blocks) == MAX_LINKS


def test_a_file_that_is_swapped_for_a_link_is_not_read(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", MEDIA)
    with Served(root, tmp_path / "data") as served:
        (tmp_path / "outside.wav").write_bytes(make_sound(100) + CANARY.encode())
        (root / "docs/sounds/chime.wav").unlink()
        os.symlink("../../../outside.wav", root / "docs/sounds/chime.wav")
        answer = ask(served, "the chime", limit=1)
        assert "repo:///docs/sounds/chime.wav" not in links(answer.blocks)
        assert sounds(answer.blocks) == []


@given(st.text(max_size=60).filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text)))
def test_any_path_is_a_uri(path: str) -> None:
    quoted = quote_path(path)
    assert quoted == quote(path, safe="/~")
    assert unquote(quoted) == path
    assert quoted.isascii()
