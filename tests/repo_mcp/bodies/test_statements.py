"""The lines of a body that decide: whole statements, their conditions, what they return or raise."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.bodies.body import Body, find_margin, measure, says_nothing, trim_margin
from repo_mcp.bodies.chosen_lines import NEAR_LINES, choose_lines, rank_lines
from repo_mcp.bodies.statements import holds_failure, is_branch
from repo_mcp.research.findings.excerpts import render_excerpt
from tests.growth import assert_linear

TEXT = """
def settle(order, stock):
    \"\"\"Settle an order.\"\"\"
    total = 0
    for line in order.lines:
        total += line.price
        if line.count > stock.count(
            line.name,
            reserved=True,
        ):
            raise OutOfStock(
                line.name,
            )
        audit(line)
    report(order)
    report(stock)
    # the discount of friends
    if order.friend:
        total -= total // 10
    return total
""".splitlines()
WEIGHTS = {"stock": 1.0, "friend": 0.5}
TERMS = {2: ("stock",), 7: ("stock",), 11: ("stock",), 16: ("stock",), 18: ("friend",)}


def choose(room: int, **arguments: bool) -> list[int]:
    body = Body(TEXT, 2, 20, 2, TERMS, frozenset({3, 17}))
    return choose_lines(body, WEIGHTS, room, **arguments)


def test_what_fits_is_whole_with_its_comments_only_where_they_are_kept() -> None:
    assert choose(10_000, keeps_comments=True) == list(range(2, 21))
    assert choose(10_000) == [line for line in range(2, 21) if line not in (3, 13, 17)]  # no bracket alone


def test_a_statement_is_shown_whole_under_its_condition() -> None:
    shown = choose(330)
    assert {2, 5, 7, 8, 9, 10, 11, 12} <= set(shown)
    assert 3 not in shown
    assert measure(TEXT, shown) <= 330
    assert {4, 15} - set(shown)  # what neither holds the words nor decides is left out first


def test_a_value_on_the_line_below_belongs_to_its_name() -> None:
    lines = [
        "function pick(options) {",
        "  const chosen =",
        "    options.stock",
        *(f"  audit_{at}(options)" for at in range(20)),
        "}",
    ]
    body = Body(lines, 1, len(lines), 1, {2: ("stock",)}, frozenset())
    assert choose_lines(body, {"stock": 1.0}, 100)[:3] == [1, 2, 3]


def test_in_a_long_body_what_is_far_from_the_words_is_left_out_first() -> None:
    far = [line for at in range(80) for line in (f"    if far_{at}:", f"        return far_{at}")]
    near = ["    stock.count()", "    if counted:", "        return counted"]
    lines = ["def settle(stock):", *far, *near]
    body = Body(lines, 1, len(lines), 1, {162: ("stock",)}, frozenset())
    shown = choose_lines(body, {"stock": 1.0}, 150)
    assert {1, 162, 163, 164} <= set(shown)
    assert min(shown[1:]) >= 162 - NEAR_LINES


def test_the_end_of_a_very_long_body_counts_and_words_of_most_lines_tell_nothing() -> None:
    steps = [line for at in range(300) for line in (f"    if bad_{at}:", f"        raise ParcelError({at})")]
    near = ["    known = stock.look_up(parcel)", "    if known:", "        return known"]
    lines = ["def settle(stock, parcel):", *steps, *near]
    last = len(lines)
    terms = dict.fromkeys(range(3, last - 3, 2), ("parcel",)) | {last - 2: ("look_up", "parcel")}
    body = Body(lines, 1, last, 1, terms, frozenset())
    shown = choose_lines(body, {"look_up": 1.0, "parcel": 0.05}, 400)
    assert {last - 2, last - 1} <= set(shown)


def test_brackets_alone_are_neither_shown_nor_marked_as_left_out() -> None:
    lines = ["void close(Desk desk)", "{", "    if (desk.Open)", "    {", "        Close();", "    }", "}"]
    shown = choose_lines(Body(lines, 1, 7, 1, {}, frozenset()), {}, 200)
    assert shown == [1, 3, 5]
    assert "…" not in render_excerpt(lines, shown)
    assert "…" in render_excerpt(lines, [1, 5])


def test_the_words_that_a_body_has_count_though_it_lacks_the_heaviest_of_the_question() -> None:
    steps = [line for at in range(9) for line in (f"    if request.is_{at}:", f"        open_{at}(request)")]
    lines = ["def build(request):", *steps, "    shelf.delete(request)", "    return request"]
    body = Body(lines, 1, len(lines), 1, {20: ("delete",)}, frozenset())
    assert 20 in choose_lines(body, {"delete": 0.1, "copy": 2.0}, 110)


def test_a_line_that_leads_on_is_worth_more() -> None:
    body = Body(TEXT, 2, 20, 2, {}, frozenset({3, 17}))
    plain = choose_lines(body, {}, 120)
    leading = choose_lines(body, {}, 120, lambda text: ["audit"] * ("audit(" in text))
    assert 14 in leading
    assert 14 not in plain


def test_a_second_call_of_the_same_function_is_worth_less() -> None:
    lines = ["def run(order):", *["    check(order)"] * 3, "    refuse(order)", *["    end_of(order)"] * 9]
    body = Body(lines, 1, len(lines), 1, {}, frozenset())

    def lead(text: str) -> list[str]:
        return [name for name in ("check", "refuse") if f"{name}(" in text]

    assert choose_lines(body, {}, measure(lines, [1, 2, 5]), lead) == [1, 2, 5]


LOGGED = """
func refresh(feed Feed) error {
    prepare(feed)
    if feed.limited {
        slog.Warn("The feed is limited",
            slog.String("feed", feed.name),
        )
        delay := feed.delay()
        feed.schedule(delay)
        return feed.fail(errLimited)
    }
    finish(feed)
}
""".splitlines()


def test_a_condition_is_shown_with_what_it_leads_to_and_not_with_what_it_logs() -> None:
    body = Body(LOGGED, 2, 13, 2, {4: ("limited",)}, frozenset())
    assert choose_lines(body, {"limited": 1.0}, measure(LOGGED, [2, 4, 8, 10])) == [2, 4, 8, 10]
    assert choose_lines(body, {"limited": 1.0}, measure(LOGGED, [2, 4, 8])) == [2, 4, 8]


def test_what_is_not_a_condition_is_shown_without_its_first_statement() -> None:
    lines = ["def run(order):", "    with order.lock():", "        first(order)", *["    end_of(order)"] * 9]
    body = Body(lines, 1, len(lines), 1, {2: ("lock",)}, frozenset())
    assert 3 not in choose_lines(body, {"lock": 1.0}, measure(lines, [1, 2, 3]))


CALL = """
def run(self, order):
    state = self.change(
        order,
        self.connection,
        order.state or WAITING,
        name="run",
    )
    return self.fail(
        order,
    )
""".splitlines()


def test_names_that_are_only_handed_on_take_no_room() -> None:
    body = Body(CALL, 2, 11, 2, {3: ("change",)}, frozenset())
    assert choose_lines(body, {"change": 1.0}, measure(CALL, [2, 3, 6, 7, 9, 10])) == [2, 3, 6, 7, 9, 10]
    assert choose_lines(body, {"change": 1.0}, 1_000) == [2, 3, 4, 5, 6, 7, 9, 10]  # the whole body fits


def test_a_name_that_the_question_has_is_shown_though_it_is_only_handed_on() -> None:
    terms = {3: ("change",), 5: ("self_connection", "self", "connection")}
    body = Body(CALL, 2, 11, 2, terms, frozenset())
    shown = choose_lines(body, {"change": 1.0, "self_connection": 1.0}, measure(CALL, [2, 3, 5, 6, 7]))
    assert shown == [2, 3, 5, 6, 7]


SEND = """
def send(self, parcel):
    try:
        self.open(parcel)
    except Closed:
        raise
    else:
        self.count += 1
    if parcel.heavy:
        return
    for label in parcel.labels:
        if label.torn:
            raise
        self.print(label)
    self.forward(parcel, at=self.clock)
    self.done.append(parcel)
""".splitlines()


@pytest.mark.parametrize(
    ("makes", "returns"),
    [
        ("status = look_up(code)", "return status"),
        ("status += weigh(code)", "return (status)"),
        ("status: Status = look_up(code)", "return Ok(status);"),
        ("status.append(look_up(code))", "return &status"),
    ],
)
def test_what_gives_a_value_to_the_result_is_worth_more(makes: str, returns: str) -> None:
    others = ["    statuses = code"] * 9
    lines = ["def find(code):", *others, f"    {makes}", *others, f"    {returns}"]
    made = 2 + len(others)

    def shows(lines: list[str]) -> bool:
        body = Body(lines, 1, len(lines), 1, {}, frozenset())
        return made in choose_lines(body, {"code": 1.0}, measure(lines, [1, made, len(lines)]))

    assert shows(lines)
    assert not shows([*lines[:-1], "    return None"])


def test_words_of_control_alone_do_not_take_the_room_of_what_happens() -> None:
    body = Body(SEND, 2, 16, 2, {15: ("forward",)}, frozenset())
    assert choose_lines(body, {"forward": 1.0}, 90) == [2, 15]
    assert {5, 6, 9, 12, 13, 15} <= {*choose_lines(body, {"forward": 1.0}, 240)}  # with their conditions


def test_the_head_is_there_when_there_is_room_for_nothing() -> None:
    assert choose(1) == [2]


@given(
    st.lists(st.text(alphabet=" abc(){}[]\"'=:\n", max_size=30), min_size=1, max_size=40), st.integers(1, 400)
)
def test_any_lines_give_lines_in_order(lines: list[str], room: int) -> None:
    shown = choose_lines(Body(lines, 1, len(lines), 1, {}, frozenset()), {}, room)
    assert shown == sorted(set(shown))
    assert all(1 <= line <= len(lines) for line in shown)


BRACES = """
[Obsolete("use Pay")]
public void Settle(Order order)
{
    Audit(order);
    Report(order);
    if (order.IsFriend)
    {
        discount.Apply(order);
    }
    Send(order);
}
""".splitlines()


def test_a_bracket_on_a_line_of_its_own_hides_neither_the_condition_nor_what_follows() -> None:
    body = Body(BRACES, 2, 12, 2, {9: ("discount",)}, frozenset())
    assert choose_lines(body, {"discount": 1.0}, 110) == [3, 7, 9]
    body = Body(BRACES, 2, 12, 2, {7: ("friend",)}, frozenset())
    assert choose_lines(body, {"friend": 1.0}, 110) == [3, 7, 9]


CHAIN = """fn decide(custom, ignored) {
    let first = look(custom, 1);
    let second = look(ignored, 2);
    note(first, "a long line of words that only tell what was found here and there");
    note(second, "a long line of words that only tell what was found here and there");
    first
        .or(second)
        .or(ignored)
}
"""


def test_a_statement_goes_on_with_its_calls_and_the_last_one_is_the_result() -> None:
    lines = CHAIN.split("\n")
    body = Body(lines, 1, 9, 1, {}, frozenset())
    room = measure(lines, [1, 6, 7, 8]) + 8
    assert choose_lines(body, {}, room) == [1, 6, 7, 8]


LONG_CONDITION = """void compare(Object left, Object right) {
    register(left);
    for (Field field : fields) {
        if (!excluded.contains(field.getName())
            && !field.getName().contains("$")
            && (testsTransients || !isTransient(field.getModifiers()))
            && !isStatic(field.getModifiers())) {
            append(left, right, field);
        }
    }
    unregister(left);
}
"""


def test_a_long_condition_that_holds_the_words_is_shown_in_the_room_to_spare_and_nothing_else() -> None:
    lines = LONG_CONDITION.split("\n")
    body = Body(lines, 1, 12, 1, {6: ("transient",)}, frozenset())
    room = measure(lines, [1, 2, 3, 11]) + 20
    assert choose_lines(body, {"transient": 1.0}, room) == [1, 2, 3, 11]
    assert sorted(rank_lines(body, {"transient": 1.0}, room, spare=250)) == [1, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("judge", [is_branch, says_nothing, holds_failure])
@pytest.mark.parametrize("line", [" ", "}", "a", "} "])
def test_a_long_line_is_judged_in_linear_time(judge: Callable[[str], bool], line: str) -> None:
    assert_linear(lambda size: line * size + "a:", judge, 2_000)


def test_the_indentation_that_all_lines_share_is_left_out() -> None:
    lines = ["class Desk:", "    def close(self):", "", "        return 1", "\tx", "    y"]
    assert find_margin(lines[1:4]) == 4
    assert find_margin(lines[1:5]) == 0
    assert render_excerpt(lines, [2, 4]) == "2\tdef close(self):\n4\t    return 1\n"
    assert trim_margin(Body(lines, 2, 4, 2, {}, frozenset())).lines[:4] == [
        "class Desk:",
        "def close(self):",
        "",
        "    return 1",
    ]


def test_a_short_statement_comes_with_what_it_names_or_is_named_by_beside_it() -> None:
    lines = [
        "def refuse(order, channel):",
        *(f"    audit_{at}(channel)" for at in range(20)),
        "    error = StockError(order)",
        "    error.code = 409",
        "    channel.send(order)",
        *(f"    note_{at}(channel)" for at in range(20)),
    ]
    body = Body(lines, 1, len(lines), 1, {22: ("stock",)}, frozenset())
    assert choose_lines(body, {"stock": 1.0}, 110)[:3] == [1, 22, 23]


def _choose_line(line: str) -> str:
    """Return the line that is shown of a body with room for one: a given one, or one that does something."""
    lines = ["void run() {", f"    {line}", f"    {'step'.ljust(len(line), '_')}", "    end()", "}"]
    body = Body(lines, 1, 5, 1, {2: ("word",), 3: ("word",)}, frozenset())
    shown = choose_lines(body, {"word": 1.0}, measure(lines, [1, 2]))
    return lines[shown[-1] - 1].strip()


@pytest.mark.parametrize(
    "line",
    [
        'info!("x");', 'log::info!("x");', 'tracing::warn!("x");', 'LOG.warn("x")', 'this.logger.debug("x")',
        '_logger.LogError("x");', 'Log.Information("x");', 'self._log.debug("x")', '_LOGGER.error("x")',
        'zap.L().Info("x")', 'logrus.WithField("a", b).Info("x")', 'level.Info(logger).Log("msg", "x")',
        'klog.V(2).Infof("x")', 'log.ipc.info("x")', 'console.log("x")',
        'await logger.warning("x")', '$this->logger->info("x");',
    ],
)  # fmt: skip
def test_a_call_that_logs_gives_way_to_what_does_something(line: str) -> None:
    assert _choose_line(line) != line


@pytest.mark.parametrize(
    "line", ["log.append(entry)", "log.append (entry)", "self.log.write(b)", 'log.Fatal("x")', "login(word)"]
)
def test_other_uses_of_a_log_count(line: str) -> None:
    assert _choose_line(line) == line


PLANNED = """
func plan(packs []pack, stats *stats) error {
    success := true
    walk(packs, func(p pack) {
        if p.err != nil {
            success = false
        }
    })
    prepare(packs)
    prepare(packs)
    switch {
    case p.used == 0:
        remove(p)
    case p.cacheable:
        stats.keep++
    default:
        repack(p)
    }
    finish(packs)
    finish(packs)
    if !success {
        return incomplete
    }
    return nil
}
""".splitlines()


def test_where_a_flag_is_set_is_shown_with_what_reads_it() -> None:
    body = Body(PLANNED, 2, 25, 2, {}, frozenset())
    shown = [PLANNED[at - 1].strip() for at in choose_lines(body, {}, 260)]
    assert "if !success {" in shown
    assert {"success := true", "success = false"} <= set(shown)


def test_all_arms_of_a_choice_are_shown_with_one_of_them() -> None:
    body = Body(PLANNED, 2, 25, 2, {17: ("repack",)}, frozenset())
    shown = choose_lines(body, {"repack": 1.0}, 330)
    assert set(range(12, 18)) <= set(shown)
    assert not {9, 10} & set(shown)


def test_a_choice_without_arms_is_not_shown() -> None:
    body = Body(PLANNED, 2, 25, 2, {}, frozenset())
    for room in range(60, 500, 20):
        assert 11 not in choose_lines(body, {}, room)


GUARDED = """
bool rethrown(Exception error)
{
    prepare(error);
#if DEBUG
    if (error is NullReference)
        return true;
#else
    report(error);
#endif
#if TRACE
    trace(error);
#endif
    finish(error);
    finish(error);
    return false;
}
""".splitlines()


def test_what_a_preprocessor_may_leave_out_is_shown_as_such() -> None:
    body = Body(GUARDED, 2, 17, 2, {6: ("null",)}, frozenset())
    shown = choose_lines(body, {"null": 1.0}, 120)
    assert {5, 6, 7, 8, 10} <= set(shown)
    assert not {9, 11, 13} & set(shown)  # neither the other branch nor what nothing is shown of


LADDER = """
def choose(size):
    log("begin", size)
    if size > LARGE:
        note("large", size)
    elif size > MIDDLE:
        note("middle", size)
    elif size > SMALL:
        note("small", size)
    elif size > TINY:
        note("tiny", size)
    else:
        refuse(size)
    log("ready", size)
    return size
""".splitlines()


@pytest.mark.parametrize(
    ("line", "above", "left_out"), [(7, [4, 6], [8, 10, 12]), (13, [4, 8, 10, 12], [5, 6, 9])]
)
def test_a_branch_is_shown_with_the_conditions_that_fail_before_it(
    line: int, above: list[int], left_out: list[int]
) -> None:
    body = Body(LADDER, 2, 15, 2, {line: ("word",)}, frozenset())
    shown = choose_lines(body, {"word": 1.0}, 160)
    assert {line, *above} <= set(shown)
    assert set(left_out).isdisjoint(shown)


def choose_text(text: str, room: int, terms: dict[int, tuple[str, ...]]) -> str:
    """Return the chosen lines of a text, whose first line is the head."""
    lines = text.strip("\n").splitlines()
    body = Body(lines, 1, len(lines), 1, terms, frozenset())
    chosen = choose_lines(body, {term: 1.0 for own in terms.values() for term in own}, room)
    return "\n".join(lines[at - 1] for at in chosen)


@pytest.mark.parametrize("waits", ["case one := <-in:", "case late.next, ok = <-in:", "case out <- one:"])
def test_what_waits_for_a_channel_is_no_arm_of_a_choice(waits: str) -> None:
    filler = "".join(f"\tprepare(step{at}, options)\n" for at in range(20))
    text = f"""func run(in chan task) {{
{filler}\tselect {{
\tcase <-done:
\t\tstop()
\t{waits}
\t\tsend(one)
\t}}
{filler}}}"""
    shown = choose_text(text, 110, {26: ("send",)})
    assert "send(one)" in shown
    assert "stop()" not in shown


def test_a_failure_is_looked_for_at_the_beginning_of_a_line_that_was_generated() -> None:
    assert holds_failure("x" * 9_000 + "; raise it")
    assert not holds_failure("x" * 10_000 + "; raise it")
