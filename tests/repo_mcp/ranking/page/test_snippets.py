"""What a hit shows of the live text."""

from __future__ import annotations

import re
import tracemalloc
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import ChunkSpan, compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.ranking.page.hit_lines import MAX_LINE_CHARS, render_numbered
from repo_mcp.ranking.page.line_terms import WINDOW_LINES, choose_window, find_line_terms
from repo_mcp.ranking.page.page_declarations import MAX_RATED_LINES
from repo_mcp.ranking.page.snippets import (
    BRIEF_LINES,
    FIRST_LINES,
    FURTHER_LINES,
    HEAD_LINES,
    SHOWN_LINES,
    PageForm,
    show_hits,
)
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.text.analysis import get_word_terms
from tests.deep.sizes import examples

TEXT = """static int first(int a)
{
\treturn a;
}

int second(void)
{
\t/* kmalloc the queue */
\treturn first(2);
}
"""


def rank(text: str, matched: tuple[str, ...], *, indexed: str | None = None, last: int = 10) -> RankedChunk:
    """Return the ranking's view of a file `a.c` that was `indexed` when its text is now `text`."""
    print_of = compute_fingerprint((text if indexed is None else indexed).encode())
    return RankedChunk("a.c", ChunkSpan(1, last, 0), 1, last, 1.0, matched, "c", print_of, "")


def find_terms_clearly(line: str, terms: tuple[str, ...]) -> set[str]:
    """Return the wanted terms that a line holds."""
    return {term for word in re.findall(r"\w+", line) for term in get_word_terms(word) if term in terms}


def choose_window_clearly(lines: list[str], terms: tuple[str, ...]) -> tuple[int, int]:
    found = [find_terms_clearly(line, terms) for line in lines]

    def value(start: int) -> int:
        shown = found[start : start + WINDOW_LINES]
        return sum(map(len, shown)) + 3 * len(set().union(*shown))

    starts = range(max(0, len(lines) - WINDOW_LINES) + 1)
    best = max(starts, key=lambda start: (value(start), -start))
    return best, min(len(lines), best + WINDOW_LINES)


def choose(lines: list[str], terms: tuple[str, ...]) -> tuple[int, int]:
    return choose_window(find_line_terms(lines, terms))


def test_the_window_holds_most_terms() -> None:
    lines = [f"line {number}" for number in range(40)]
    lines[20] = "schedule the queue"
    lines[3] = lines[4] = lines[5] = "queue"
    start, end = choose(lines, ("schedul", "queue"))
    assert start <= 20 < end
    assert end - start == WINDOW_LINES


def test_the_first_of_equal_windows_is_taken() -> None:
    assert choose(["a", "b"] * 30, ("nothing",)) == (0, WINDOW_LINES)
    assert choose(["only"], ("only",)) == (0, 1)


WORDS = [
    "queue",
    "Queues",
    "getHTTPResponse_v2",
    "response",
    "http2",
    "_queue",
    "queuex",
    "\u00e4Queue",
    "x.",
    "9q",
]
LINES = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=30)


@settings(max_examples=examples(200))
@given(
    LINES, st.lists(st.sampled_from(["queue", "respons", "http", "gethttpresponse_v2", "9q"]), unique=True)
)
def test_terms_and_windows_are_those_of_the_clear_version(lines: list[str], wanted: list[str]) -> None:
    terms = tuple(wanted)
    found = [
        {term for position, term in enumerate(terms) if held >> position & 1}
        for held in find_line_terms(lines, terms)
    ]
    assert found == [find_terms_clearly(line, terms) for line in lines]
    assert choose(lines, terms) == choose_window_clearly(lines, terms)


def test_lines_are_numbered_and_long_ones_cut() -> None:
    assert render_numbered({9: "a", 10: "", 11: "c"}) == "9\ta\n10\t\n11\tc\n"
    assert render_numbered({1: "x" * (MAX_LINE_CHARS + 1)}) == "1\t" + "x" * MAX_LINE_CHARS + "…\n"


def test_an_unchanged_file_is_shown_as_it_is() -> None:
    shown = show_hits([rank(TEXT, ("kmalloc",))], [], lambda _path: TEXT.encode(), PageForm())
    (hit,) = shown.hits
    assert (hit.path, hit.start_line, hit.end_line) == ("a.c", 6, 10)
    assert (hit.symbol, hit.symbol_lines, hit.chunk_lines) == ("second", (6, 10), (1, 10))
    assert "8\t\t/* kmalloc the queue */\n" in hit.snippet
    assert shown.warnings == ()


LONG = (
    "import zeppelin\n\n\n@cached\ndef moor(mast):\n" + "    rope = 1\n" * 36 + "    return zeppelin(mast)\n"
)


def read_numbers(snippet: str) -> list[int]:
    return [int(row.partition("\t")[0]) for row in snippet.splitlines()]


def rank_python(text: str, *places: int, last: int = 45) -> list[RankedChunk]:
    chunk = rank(text, ("zeppelin",), last=last)
    return [replace(chunk, path="a.py", language="python", score=1.0 / (place + 1)) for place in places]


def test_the_head_of_a_long_function_is_shown_beside_the_lines_that_match() -> None:
    (hit,) = show_hits(rank_python(LONG, 0), [], lambda _path: LONG.encode(), PageForm()).hits
    assert (hit.symbol, hit.symbol_lines) == ("moor", (4, 42))
    numbers = read_numbers(hit.snippet)
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (hit.start_line, hit.end_line) == (5, 42)
    assert len(numbers) <= SHOWN_LINES[0]
    assert numbers[:16] == [*range(5, 21)]


def test_a_function_that_fits_is_shown_whole_and_then_the_next_best() -> None:
    text = "@cached\ndef moor(zeppelin):\n    return zeppelin\n\n\ndef lift():\n    return zeppelin\n"
    (hit,) = show_hits(rank_python(text, 0, last=7), [], lambda _path: text.encode(), PageForm()).hits
    assert (hit.symbol, read_numbers(hit.snippet)) == ("moor", [1, 2, 3, 6, 7])


def test_the_files_of_a_page_are_not_held_together() -> None:
    text = (LONG + "#\n" * 100_000).encode()
    ranked = rank_python(LONG, *range(10))
    show_hits(ranked[:1], [], lambda _path: text, PageForm())  # its declarations are cached now
    tracemalloc.start()
    try:
        hits = show_hits(ranked, [], lambda _path: b"".join([text[:1], text[1:]]), PageForm()).hits
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(hits) == 10
    assert peak < 6 * len(text)


def test_the_first_hits_show_most() -> None:
    hits = show_hits(rank_python(LONG, *range(10)), [], lambda _path: LONG.encode(), PageForm()).hits
    shown = [len(read_numbers(hit.snippet)) for hit in hits]
    assert shown == sorted(shown, reverse=True)
    assert all(own <= most for own, most in zip(shown, SHOWN_LINES, strict=False))
    assert all("5\tdef moor(mast):\n" in hit.snippet for hit in hits)
    assert sum(shown) <= 80


def test_lines_outside_of_all_declarations_are_shown_where_they_tell_more() -> None:
    text = (
        "zeppelin = mast = rope = 1\n" * 3
        + "\n\ndef lift():\n    return 1\n\n\ndef moor(zeppelin):\n    pass\n"
    )
    chunk = replace(rank(text, ("zeppelin", "mast", "rope"), last=11), path="a.py", language="python")
    (hit,) = show_hits([chunk], [], lambda _path: text.encode(), PageForm()).hits
    assert (hit.symbol, hit.start_line) == (None, 1)
    (hit,) = show_hits(rank_python(text, 0, last=11), [], lambda _path: text.encode(), PageForm()).hits
    assert (hit.symbol, hit.symbol_lines) == ("moor", (10, 11))


def test_a_changed_file_is_looked_at_again() -> None:
    moved = "\n" * 4 + TEXT
    shown = show_hits(
        [rank(moved, ("kmalloc",), indexed=TEXT, last=14)], [], lambda _path: moved.encode(), PageForm()
    )
    assert "12\t\t/* kmalloc the queue */\n" in shown.hits[0].snippet
    assert shown.warnings == ("1 of the files found changed after indexing: refresh the index.",)


def test_what_is_gone_is_left_out() -> None:
    other = "nothing of the kind\n"

    def read(path: str) -> bytes:
        if path == "a.c":
            return other.encode()
        raise RepoError(ErrorCode.NOT_FOUND, "gone")

    shown = show_hits([rank(other, ("kmalloc",), indexed=TEXT)], [], read, PageForm())
    assert shown.hits == ()
    assert len(shown.warnings) == 2


def test_a_phrase_must_be_in_the_chunk() -> None:
    phrases = {"KMALLOC the queue": 1, "Return First(2)": 1, "kmalloc  the queue": 0, "x y": 0}
    for phrase, count in phrases.items():
        shown = show_hits([rank(TEXT, ("kmalloc",))], [phrase], lambda _path: TEXT.encode(), PageForm())
        assert len(shown.hits) == count


FLEET = (
    "import rope\n\n\ndef moor(ship):\n" + "    ship += zeppelin + zeppelin\n" * 6 + "\n\n"
    "class Fleet:\n    def lift(self):\n        return 1\n\n"
    "    def anchor_zeppelin(self, mast):\n" + "        mast += 1\n" * 40 + "        return mast.gas\n\n\n"
    "def tie():\n    zeppelin = 1\n"
)
LONG_FLEET = FLEET.replace("        mast += 1\n" * 40, "        mast += 1\n" * 140)


def test_a_question_is_answered_by_the_declaration_of_the_file_that_it_is_about() -> None:
    ranked = rank_python(FLEET, 0, last=8)
    (hit,) = show_hits(ranked, [], lambda _path: FLEET.encode(), PageForm()).hits
    assert hit.symbol == "moor"
    telling = {"zeppelin": 2.0, "anchor": 3.0, "gas": 3.0, "moor": 3.0}
    (hit,) = show_hits(ranked, [], lambda _path: FLEET.encode(), PageForm(telling=telling)).hits
    assert (hit.symbol, hit.symbol_lines) == ("Fleet.anchor_zeppelin", (17, 58))
    assert read_numbers(hit.snippet) == [*range(4, 11), *range(17, 59), 61, 62]  # whole; `lift` says nothing


def test_of_a_declaration_that_is_too_long_the_head_and_its_best_lines_are_shown() -> None:
    ranked = rank_python(LONG_FLEET, 0, last=8)
    telling = {"anchor": 3.0, "gas": 3.0}
    (hit,) = show_hits(ranked, [], lambda _path: LONG_FLEET.encode(), PageForm(telling=telling)).hits
    assert (hit.symbol, hit.symbol_lines) == ("Fleet.anchor_zeppelin", (17, 158))
    numbers = read_numbers(hit.snippet)
    assert numbers[:BRIEF_LINES] == [*range(17, 17 + BRIEF_LINES)]
    assert 158 in numbers  # the line that says "gas"
    assert len(numbers) == FIRST_LINES


def test_whole_declarations_take_their_lines_from_the_first_files_together() -> None:
    fleet = FLEET.replace("        mast += 1\n" * 40, "        mast += 1\n" * 60)
    ranked = rank_python(fleet, *range(4), last=8)
    ranked = [replace(one, path=f"{place}.py") for place, one in enumerate(ranked)]
    hits = show_hits(
        ranked, [], lambda _path: fleet.encode(), PageForm(telling={"anchor": 3.0, "zeppelin": 2.0})
    ).hits
    first, second, third, last = (read_numbers(hit.snippet) for hit in hits)
    assert first[:62] == second[:62] == [*range(17, 79)]
    assert third == [*range(17, 17 + BRIEF_LINES)]  # of what no longer fits the head
    assert len(last) == FURTHER_LINES


def test_without_room_the_head_of_each_best_declaration_is_shown() -> None:
    ranked = rank_python(FLEET, 0, last=8)
    telling = {"anchor": 3.0, "zeppelin": 2.0}
    (hit,) = show_hits(ranked, [], lambda _path: FLEET.encode(), PageForm(telling=telling, room=0)).hits
    assert read_numbers(hit.snippet) == [*range(17, 17 + HEAD_LINES)]
    assert hit.also == (("moor", (4, 10)), ("tie", (61, 62)))


def test_of_a_long_type_two_lines_are_shown_and_those_that_match() -> None:
    text = "class Fleet:\n" + "    ship = 1\n" * 40 + "    mast = zeppelin\n" + "    rope = 1\n" * 30
    (hit,) = show_hits(rank_python(text, 0, last=72), [], lambda _path: text.encode(), PageForm()).hits
    numbers = read_numbers(hit.snippet)
    assert numbers[:2] == [1, 2]
    assert 3 not in numbers
    assert 42 in numbers
    assert len(numbers) == SHOWN_LINES[0]


def test_a_test_in_a_file_of_the_program_comes_after_what_it_tests() -> None:
    body = "    anchor(gas)\n" * 80
    text = f"def moor(gas):\n{body}\n\ndef test_anchor(gas):\n    anchor = gas\n{body}"
    telling = {"anchor": 3.0, "gas": 2.0}
    (hit,) = show_hits(
        rank_python(text, 0, last=8), [], lambda _path: text.encode(), PageForm(telling=telling)
    ).hits
    assert (hit.symbol, hit.also) == ("moor", (("test_anchor", (84, 165)),))
    tests = text.replace("moor", "test_moor")  # all are tests: the better one is first
    (hit,) = show_hits(
        rank_python(tests, 0, last=8), [], lambda _path: tests.encode(), PageForm(telling=telling)
    ).hits
    assert hit.symbol == "test_anchor"


def test_of_a_long_type_the_head_is_shown_and_its_best_member() -> None:
    text = (
        'class Anchor:\n    """Anchor gas mast of a zeppelin."""\n\n    mast = gas = zeppelin = 1\n\n'
        + "    def sail(self):\n        return 1\n\n" * 12
        + "    def moor(self, zeppelin):\n        return zeppelin\n"
    )
    telling = {"anchor": 3.0, "zeppelin": 2.0, "gas": 2.0, "mast": 2.0}
    (hit,) = show_hits(
        rank_python(text, 0, last=8), [], lambda _path: text.encode(), PageForm(telling=telling)
    ).hits
    assert (hit.symbol, hit.symbol_lines) == ("Anchor.moor", (42, 43))
    assert read_numbers(hit.snippet) == [1, 2, 42, 43]


def test_the_first_hits_of_a_question_name_further_declarations_of_their_files() -> None:
    telling = {"anchor": 3.0, "zeppelin": 2.0, "lift": 1.0}
    many = LONG_FLEET.replace("    ship += zeppelin + zeppelin\n", "    ship += zeppelin + zeppelin\n" * 25)
    ranked = rank_python(many, 0, last=8)
    (hit,) = show_hits(ranked, [], lambda _path: many.encode(), PageForm(telling=telling)).hits
    assert (hit.symbol, hit.symbol_lines) == ("Fleet.anchor_zeppelin", (161, 302))
    assert hit.also == (("moor", (4, 154)),)  # `lift` and `tie` are shown whole
    many += "".join(f"\n\ndef sail_{n}():\n" + f"    zeppelin = {n}\n" * 140 for n in range(9))
    (hit,) = show_hits(
        rank_python(many, 0, last=8), [], lambda _path: many.encode(), PageForm(telling=telling)
    ).hits
    assert [name for name, _ in hit.also] == ["moor", "sail_0", "sail_1", "sail_2"]
    assert hit.heads == "4\tdef moor(ship):\n309\tdef sail_0():\n452\tdef sail_1():\n"
    (hit,) = show_hits(ranked, [], lambda _path: FLEET.encode(), PageForm()).hits
    assert hit.also == ()


def test_a_declaration_that_is_shown_is_not_named_again() -> None:
    text = "def moor():\n    zeppelin = 1\n\n\ndef tie():\n    zeppelin = 2\n    return anchor\n"
    ranked = rank_python(text, 0, last=7)
    (hit,) = show_hits(
        ranked, [], lambda _path: text.encode(), PageForm(telling={"zeppelin": 4.0, "anchor": 3.0})
    ).hits
    assert (hit.symbol, hit.also) == ("tie", ())
    assert {1, 2} <= {*read_numbers(hit.snippet)}


def test_a_comment_above_a_declaration_leads_to_it() -> None:
    text = "gas = 1\n" * 9 + "\n\n# Where a zeppelin goes.\n@late\ndef moor(gas):\n    return gas\n"
    telling = {"zeppelin": 4.0, "gas": 3.0}
    ranked = [replace(one, path=f"{place}.py") for place, one in enumerate(rank_python(text, 0, 0, last=15))]
    first, brief = show_hits(ranked, [], lambda _path: text.encode(), PageForm(telling=telling, near=1)).hits
    assert (first.symbol, brief.symbol) == ("moor", "moor")
    assert brief.snippet == "14\tdef moor(gas):\n"
    text += "\n\ndef tie(ship):\n    return ship\n"  # its code says less than that comment
    ranked = rank_python(text, 0, last=19)
    telling = {"zeppelin": 4.0, "ship": 0.5}
    (hit,) = show_hits(ranked, [], lambda _path: text.encode(), PageForm(telling=telling)).hits
    assert read_numbers(hit.snippet)[:2] == [13, 14]


def test_only_the_first_hits_of_files_are_looked_through() -> None:
    paths = ("a.py", "a.py", "b.py", "c.py")
    ranked = rank_python(FLEET, *range(4), last=8)
    ranked = [replace(one, path=path) for one, path in zip(ranked, paths, strict=True)]
    hits = show_hits(ranked, [], lambda _path: FLEET.encode(), PageForm(telling={"anchor": 3.0})).hits
    assert [hit.symbol for hit in hits] == ["Fleet.anchor_zeppelin", "moor", "Fleet.anchor_zeppelin", "moor"]


def test_words_without_a_declaration_change_nothing() -> None:
    ranked = rank_python(FLEET, 0, last=8)
    plain = show_hits(ranked, [], lambda _path: FLEET.encode(), PageForm())
    for telling in ({}, {"rope": 1.0}, {"quaternion": 1.0}):
        assert show_hits(ranked, [], lambda _path: FLEET.encode(), PageForm(telling=telling)) == plain
    long = FLEET + "\n" * MAX_RATED_LINES
    plain = show_hits(rank_python(long, 0, last=8), [], lambda _path: long.encode(), PageForm())
    telling = {"anchor": 3.0}
    assert (
        show_hits(rank_python(long, 0, last=8), [], lambda _path: long.encode(), PageForm(telling=telling))
        == plain
    )


def test_declarations_of_one_name_count_less_each_time() -> None:
    body = "        zeppelin = 1\n" * 20
    text = "".join(f"class A{at}:\n    def moor(self):\n{body}\n\n" for at in range(4))
    text += f"def merge_lines():\n    rope = zeppelin\n{body}"
    telling = {"zeppelin": 3.0, "moor": 2.0, "rope": 2.0}
    (hit,) = show_hits(
        rank_python(text, 0, last=8), [], lambda _path: text.encode(), PageForm(telling=telling)
    ).hits
    assert hit.symbol == "A0.moor"
    assert [name for name, _ in hit.also][:1] != ["merge_lines"]  # for it is shown, after one `moor`
    assert f"{text.splitlines().index('def merge_lines():') + 1}\tdef merge_lines" in hit.snippet
