"""Which lines begin the blocks around a line."""

from __future__ import annotations

from repo_mcp.text.block_heads import MOST_HEADS, list_heads


def test_the_heads_of_blocks_around_a_line_are_those_of_what_has_to_hold() -> None:
    lines = """def take(queue):
    if queue.is_open:
        return queue

    for one in queue:
        # of each
        if one.is_old:
            drop(one)
        elif (
            one.is_new
        ):
            keep(one)
        else:
            one.close()
            raise Busy("High load")"""
    assert list_heads(lines.split("\n")) == [12, 8, 6, 4, 0]
    assert list_heads(["say('x')"]) == []


def test_a_bracket_alone_and_lines_of_the_preprocessor_begin_no_block() -> None:
    lines = """int
take(struct queue *q)
{
    while (q->next)
    {
#ifdef LOUD
        shout(q);
#endif
        if (q->is_old)
        {
            drop(q);"""
    assert list_heads(lines.split("\n")) == [8, 3, 1]


def test_there_are_few_heads() -> None:
    lines = [f"{' ' * depth}if x:" for depth in range(3 * MOST_HEADS)]
    assert list_heads(lines) == [len(lines) - 2 - at for at in range(MOST_HEADS)]


def test_the_end_of_a_signature_of_several_lines_is_left_out_and_its_first_line_is_not() -> None:
    lines = [
        "function send(",
        "  parcel,",
        "  { late }",
        "): Sent {",
        "  if (",
        "    late",
        "  ) {",
        "    drop();",
    ]
    assert list_heads(lines) == [4, 0]
