"""What macros of C declare: by their bodies in the same file, by a type before a name, and as events."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pytest

from repo_mcp.languages.c.macros import blank_macros
from repo_mcp.languages.c.pasting_macros import list_templates
from repo_mcp.languages.capture_parsers import parse_c
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolFlag
from tests.growth import assert_linear
from tests.repo_mcp.graph.resolved import Repository

PASTING = """
#define TESTS(bit, name) \\
    static inline int is_##name(struct item *one) \\
    { \\
        return one->flags & FLAG_##bit; \\
    }
#define SETS(bit, name) \\
    static inline void set_##name(struct item *one) { one->flags |= FLAG_##bit; }
#define BOTH(bit, name) TESTS(bit, name) SETS(bit, name)
#define ATTRIBUTE(_name) static struct attribute attribute_##_name = { .name = #_name, .show = show_##_name }
#define MAX(a, b) ((a) > (b) ? (a) : (b))

BOTH(Open, open)
TESTS(Dirty, dirty) SETS(Dirty, dirty)
ATTRIBUTE(size);
int last;
"""

EVENTS = """
DECLARE_EVENT_CLASS(wakes,

	TP_PROTO(struct task *one),

	TP_ARGS(__perf_task(one)),

	TP_STRUCT__entry(
		__array(	char,	comm,	16	)
	),

	TP_fast_assign(
		memcpy(__entry->comm, one->comm, 16);
		__entry->cpu = find_cpu(one);
	),

	TP_printk("comm=%s (%d)", __entry->comm, count(one))
);
DEFINE_EVENT(wakes, wakes_up,
	     TP_PROTO(struct task *one),
	     TP_ARGS(one));
TRACE_EVENT_CONDITION(switches, TP_PROTO(int from, int to), TP_ARGS(from, to), TP_printk("%d", from))
#define WAKES(name) \\
DEFINE_EVENT(wakes, name, TP_PROTO(struct task *one), \\
	TP_ARGS(one))
WAKES(wakes_late);
DECLARE_TRACE(plain, TP_PROTO(int one), TP_ARGS(one));
int last;
"""


def list_declared(name: str, text: str) -> list[tuple[str, str, int, int]]:
    record = Repository.build({name: text}).program.find_record(name)
    assert record is not None
    symbols = [record.get_symbol(one) for one in range(1, record.symbol_count)]
    found = [one for one in symbols if one.kind.name != "MACRO"]
    return [(one.kind.name, one.name, one.start_line, one.end_line) for one in found]


@pytest.mark.parametrize("name", ["a.c", "a.h"])
def test_a_macro_declares_what_its_body_makes_of_its_arguments(name: str) -> None:
    assert list_declared(name, PASTING) == [
        ("FUNCTION", "is_open", 12, 12),
        ("FUNCTION", "set_open", 12, 12),
        ("FUNCTION", "is_dirty", 13, 13),
        ("FUNCTION", "set_dirty", 13, 13),
        ("VARIABLE", "attribute_size", 14, 14),
        ("VARIABLE", "last", 15, 15),
    ]


def test_a_name_that_a_macro_makes_is_found_where_it_is_used() -> None:
    found = Repository.build(
        {"item.h": PASTING, "use.c": '#include "item.h"\nint f(struct item *one) { return is_open(one); }\n'}
    )
    assert found.ask("use.c", "is_open(one)", "is_open") == ["item.h:12 is_open exact"]


@pytest.mark.parametrize("name", ["a.c", "a.h"])
def test_an_event_of_a_trace_and_its_function_are_declared(name: str) -> None:
    assert list_declared(name, EVENTS) == [
        ("EVENT", "wakes", 1, 17),
        ("EVENT", "wakes_up", 18, 20),
        ("FUNCTION", "trace_wakes_up", 18, 20),
        ("EVENT", "switches", 21, 21),
        ("FUNCTION", "trace_switches", 21, 21),
        ("EVENT", "wakes_late", 25, 25),
        ("FUNCTION", "trace_wakes_late", 25, 25),
        ("EVENT", "plain", 26, 26),
        ("FUNCTION", "trace_plain", 26, 26),
        ("VARIABLE", "last", 27, 27),
    ]


def test_the_code_of_an_event_is_read() -> None:
    record = Repository.build({"a.c": EVENTS.partition("TRACE_EVENT_")[0]}).program.find_record("a.c")
    assert record is not None
    assert record.status is ParseStatus.FULL
    assert {"find_cpu", "count", "task", "comm", "wakes"} <= set(record.strings)


def test_a_type_before_a_name_is_that_of_a_variable() -> None:
    text = (
        "DEFINE_PER_CPU(struct queue, queues);\n"
        "DECLARE_PER_CPU(queue_kind, kinds);\n"
        "static DEFINE_PER_CPU(unsigned long, counts[4]);\n"
        "DEFINE_STATIC_KEY_FALSE(key);\n"
        "DECLARE_WORK(work, run);\n"
    )
    record = Repository.build({"a.c": text}).program.find_record("a.c")
    assert record is not None
    symbols = [record.get_symbol(one) for one in range(1, record.symbol_count)]
    assert [(one.name, one.return_type, bool(one.flags & SymbolFlag.FORWARD)) for one in symbols] == [
        ("queues", "struct queue", False),
        ("kinds", "queue_kind", True),
        ("counts", "unsigned long[]", False),
        ("key", "", False),
        ("work", "", False),
    ]
    assert record.find_references("run"), "what a macro is given besides the name is used"


def test_what_a_macro_declares_keeps_the_lengths_of_lines() -> None:
    for text in (PASTING, EVENTS):
        plain = blank_macros(text.encode(), is_c=True)
        assert [len(one) for one in plain.split(b"\n")] == [len(one) for one in text.encode().split(b"\n")]


@pytest.mark.parametrize(
    "text", ["TRACE_EVENT(a, TP_PROTO(", "#define A(x) x##y(\nA(1)\n", "DEFINE_PER_CPU(struct a,"]
)
def test_what_has_no_end_declares_nothing(text: str) -> None:
    assert not list_declared("a.c", text)


def test_reading_macros_takes_time_by_the_length_of_the_text() -> None:
    events = b"\nTRACE_EVENT(a, TP_PROTO(int b), TP_ARGS(b), ("
    pasting = b"\n#define A(x) f_##x(int a) {\nA(1) "

    def read(text: bytes) -> None:
        list_templates.cache_clear()  # else only the first of several turns reads the text
        blank_macros(text, is_c=True)

    for piece in (events, pasting):
        assert_linear(piece.__mul__, read, 500)


def test_a_long_body_takes_time_by_its_length() -> None:
    def define(size: int) -> bytes:
        return b"#define A(x) " + b"a " * size + b"()x" * size + b"; static int own_##x;\n"

    assert_linear(define, list_templates.__wrapped__, 100)


def test_macros_that_call_each_other_often_take_time_by_their_length() -> None:
    def define(size: int) -> bytes:
        bodies = ((one, f"{other}(x) " * size) for one, other in pairwise("ABCDEF"))
        lines = (f"#define {one}(x) static int {one}_##x; {calls}\n" for one, calls in bodies)
        return f"{''.join(lines)}A(name)\n".encode()

    assert_linear(define, partial(parse_c, "a.c"), 5)
