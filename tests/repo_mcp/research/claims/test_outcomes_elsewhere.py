"""What an event leads to is told by a branch of the best declaration, or by one elsewhere with most words.

Where something fails, what handles the error tells it; handlers and cases that belong together are all told.
"""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

SHOP = {
    "parcels.py": (
        "def find_parcel_kind(parcel):\n"
        "    for kind in KINDS:\n        if kind.takes(parcel):\n            return kind\n"
        "    raise UnsupportedKind(parcel)\n"
    ),
    "carts.py": (
        "def draw_cart(cart, kind):\n"
        "    if kind == 'sledge':\n        raise ValueError('a sledge is unsupported here')\n"
        "    return cart.move()\n"
    ),
}


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("what happens when a parcel has an unsupported kind?", False),
        ("what happens when the kind of a cart is an unsupported sledge?", True),
    ],
)
def test_a_branch_elsewhere_with_a_rare_word_alone_is_no_outcome(asked: str, is_told: bool) -> None:
    claim = Asked(SHOP).ask(asked).claim
    assert ("There, `if kind == 'sledge'`" in claim) is is_told


DESK = """class Desk:
    def serve_guest(self, guest):
        if not guest.ticket:
            raise ValueError("a guest fails to show a ticket")
        try:
            answer = self.clerk.serve(guest)
        except Late as late:
            answer = self.apologise(late)
            self.log_guest(guest)
        except Closed:
            raise
        except Exception as error:
            if self.rings:
                self.ring_bell(guest)
            self.log_guest(guest)
            raise
        return answer
"""


def test_all_handlers_tell_what_happens_when_something_fails() -> None:
    claim = (
        Asked({"desk.py": DESK}).ask("what happens when serving a guest raises an error? (serve_guest)").claim
    )
    assert (
        "There, `except Late as late` (desk.py:7) leads to `answer = self.apologise(late)`"
        " (:8), `except Closed` (:10) to `raise` (:11) and `except Exception as error` (:12) to"
        " `self.log_guest(guest)` (:15) and `raise` (:16)."
    ) in claim


QUEUE = """void enqueue_parcel(struct queue *queue, struct parcel *parcel) {
    if (queue->full) {
        switch (queue->policy) {
            case DISCARD:
                drop_oldest_parcel(queue);
                break;
            case GROW:
                queue->limit *= 2;
                break;
            case BLOCK:
                while (queue->full) {
                    wait_for_room(queue);
                }
                break;
        }
    }
    push(queue, parcel);
}
"""


def test_all_cases_of_a_switch_are_told() -> None:
    claim = Asked({"queue.c": QUEUE}).ask("what happens to the oldest parcel in a queue?").claim
    assert (
        "`case DISCARD` (queue.c:4) leads to `drop_oldest_parcel(queue);` (:5), `case GROW` (:7) to"
        " `queue->limit *= 2;` (:8) and `case BLOCK` (:10) to `while (queue->full)` (:11) and"
        " `wait_for_room(queue);` (:12)."
    ) in claim


def test_a_test_that_only_hands_on_an_error_is_no_outcome() -> None:
    text = (
        "package shop\n\nfunc checkServer(server *Server) error {\n\tif err := server.check(); err != nil {\n"
        "\t\treturn err\n\t}\n\treturn nil\n}\n"
    )
    claim = Asked({"shop.go": text}).ask("what happens when the check of a server fails?").claim
    assert "leads to" not in claim


def test_what_is_tried_under_a_condition_is_what_that_leads_to() -> None:
    text = (
        "class Clock\n{\n    void RunWithLimit(Task task, int limit)\n    {\n        if (task.Took > limit)\n"
        "        {\n            try\n            {\n                throw new LateError(task, limit);\n"
        "            }\n            finally\n            {\n                task.Cancel();\n            }\n"
        "        }\n    }\n}\n"
    )
    claim = (
        Asked({"Clock.cs": text})
        .ask("what happens when what a task took is over its limit? (RunWithLimit)")
        .claim
    )
    assert "`if (task.Took > limit)` (Clock.cs:5) leads to `throw new LateError(task, limit);` (:9)." in claim


def test_handlers_that_only_leave_a_turn_are_told_with_how_they_do() -> None:
    text = (
        "def pull_rows(rows, store):\n    for row in rows:\n        try:\n            store.pull(row)\n"
        "        except KeyError:\n            continue\n        except OSError:\n            break\n"
    )
    claim = Asked({"rows.py": text}).ask("What happens when a pull of rows fails? (pull_rows)").claim
    assert (
        "`except KeyError` (rows.py:5) leads to `continue` (:6) and `except OSError` (:7) to `break` (:8)."
        in claim
    )
