"""What programs wrote into a pasted report does not outvote what its author wrote."""

from __future__ import annotations

import pytest

from repo_mcp.blocks.evidence import Evidence, gather_evidence
from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.opened_files import Opener
from repo_mcp.blocks.prompt import find_no_hints
from repo_mcp.blocks.source import IndexSource
from repo_mcp.blocks.weights import REPORT_WEIGHTS, WEIGHTS, Weights
from repo_mcp.ranking.query.report_noise import (
    MAX_TEMPLATE_CHARS,
    drop_written,
    list_template_words,
    read_template,
    take_informative,
)
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import open_index

SESSION = """It hangs.

```
$ ship --all
Looking for kqueue
Configuring done
Error: no such door
    at Wall.close (wall.c:12)
  clarifyTimeoutError: false
$ echo done
```
"""
LOG = """It hangs.
2024-04-11 09:13:02.119 DEBUG 1 --- [exec-7] o.s.web : POST /orders
2024-04-11 09:13:02.301 [info] creating order
2024-04-11 09:13:02.352 ERROR 1 --- [exec-7] door is open
"""
FORM = """## Expected behaviour

It hangs.
_No response_

**To Reproduce:**
A clear and concise description of what you expected to happen.
 - Browser [e.g. Chrome, Safari]
## The door hangs
"""


def take(prompt: str) -> list[str]:
    return [line for line in take_informative(prompt).split("\n") if line.strip(" `")]


def test_of_a_session_stays_what_was_typed_and_what_tells_an_error() -> None:
    said = ["$ ship --all", "Error: no such door", "    at Wall.close (wall.c:12)", "$ echo done"]
    assert take(SESSION) == ["It hangs.", *said]


def test_output_without_a_prompt_is_no_session_and_a_quotation_neither() -> None:
    text = "He says:\n> it hangs\nand I agree\n\n```\nopen door\nshut door\n```"
    assert take(text) == ["He says:", "> it hangs", "and I agree", "open door", "shut door"]


def test_a_fence_is_closed_by_its_own_kind() -> None:
    text = "It hangs.\n````\n```\n$ ship\n```\nfar\n~~~\noff\n````\nnear"
    assert take_informative(text) == "It hangs.\n````\n$ ship\n````\nnear"


def test_quiet_lines_of_logs_go() -> None:
    assert take(LOG) == ["It hangs.", LOG.split("\n")[3]]


def test_headings_and_sentences_of_forms_go_and_a_title_stays() -> None:
    assert take(FORM) == ["It hangs.", "## The door hangs"]


def test_the_template_of_the_repository_says_nothing() -> None:
    template = frozenset(list_template_words("- label: Door Version\nTell us which door it was.\nDoor\n"))
    prompt = "### Door version\nTell us which door it was!\n```door\nDoor\nTell us which door it was.\n```"
    said = "```door\nDoor\nTell us which door it was.\n```"
    assert take_informative(prompt, lambda: template) == said


@pytest.mark.parametrize(
    ("path", "is_read"),
    [
        (".github/ISSUE_TEMPLATE/door.yml", True),
        ("docs/issue_template.TXT", True),
        ("app/issue_template.py", False),
        ("issue_template/long.md", False),
    ],
)
def test_templates_are_short_documents(path: str, is_read: bool) -> None:
    text = "Tell us which door it was.\n" * (MAX_TEMPLATE_CHARS if "long" in path else 1)
    assert bool(read_template(lambda _: [path], lambda _: text)) is is_read


def test_prose_is_what_no_program_wrote() -> None:
    text = "Why?\n>>> typed\n  at a.b (c.js:1)\n2024-01-02 10:00:00 WARN logged\nBecause"
    text += "\n\tfrom a.rb:1:in `b'\n#0 /a.php(1): b()"
    assert drop_written(text) == "Why?\nBecause"


@pytest.mark.parametrize(
    "unit", ["- ", "A=b\n", "|", "```\n$ a\n", "[e.g. ", "1.1", "# ", "== ", "\n>>> ", "~", "```x"]
)
def test_long_reports_take_time_in_proportion(unit: str) -> None:
    assert_linear(lambda size: "\n" + unit * size, take_informative, 500)


# Names

TEXTS = {
    ".github/ISSUE_TEMPLATE/bug.md": "Which door did you open today?\n",
    "door.py": "def open_door(key):\n    return turn(key)\n" + "\n\n# far\n" * 30,
    "wall.py": "def open_door(bricks):\n    return bricks\n" + "\n\n# far\n" * 30,
    "dist/door.js": "function openDoor() { return 1; }\n",
    "NEWS.md": "# 1.1\n\nThe door opens.\n",
}


def gather(prompt: str, weights: Weights = WEIGHTS) -> Evidence:
    source = IndexSource(open_index(TEXTS), lambda path: TEXTS[path].encode())
    return gather_evidence(prompt, source, find_no_hints, weights)


def test_the_terms_of_a_title_are_known_and_a_question_has_none() -> None:
    assert gather("The door hangs\n\nOpen it, and nothing turns.").title >= {"door", "hang"}
    assert not gather("Which door hangs?").title


def test_what_only_pasted_code_names_counts_less() -> None:
    written, pasted = gather("How does `open_door` work\nhere"), gather("How\n```py\nopen_door(1)\n```")
    assert pasted.names["open_door"] == WEIGHTS.pasted * written.names["open_door"]
    assert pasted.term_weights["open_door"] == pytest.approx(
        WEIGHTS.pasted * written.term_weights["open_door"], abs=1e-5
    )


def test_words_form_a_name_in_reports_alone_and_not_across_what_was_pasted() -> None:
    assert "open_door" in gather("please open door\nsoon", REPORT_WEIGHTS).names
    assert "open_door" not in gather("please open door\nsoon").names
    assert "open_door" not in gather("please\n```\nopen door\n```", REPORT_WEIGHTS).names


def test_a_frame_leads_to_its_own_function_and_to_none_of_the_same_name() -> None:
    frame = 'Traceback:\n  File "door.py", line 2, in open_door\nKeyError: 1'
    assert "open_door" not in gather(frame).names
    assert [one.path for one in gather(frame).mentions] == ["door.py"]
    assert gather(f"{frame}\nWhy `open_door`?").names["open_door"] == 1.0


def test_a_frame_in_what_was_built_leads_to_the_name_in_the_sources() -> None:
    built = gather("It fails\n    at open_door (/app/dist/door.js:1:10)")
    assert not built.mentions
    assert "open_door" in built.names
    assert gather("see dist/door.js\nthere").mentions


def test_a_document_that_a_report_names_below_its_title_is_not_where_to_look() -> None:
    assert not gather("The door hangs\n\nOpen it. Update NEWS.md.").mentions
    assert gather("The door hangs in NEWS.md\n\nOpen it.").mentions
    assert gather("What does NEWS.md say of the door?").mentions


def test_the_repository_s_template_is_read_for_reports_alone() -> None:
    assert "today" not in gather("Which door did you open today?\nThe red one").term_weights
    assert "today" in gather("Which door did you open today?").term_weights


def test_outer_frames_name_their_functions_less() -> None:
    prompt = "panic: it\n    at open_door (door.py:1:1)\n    at open_door (wall.py:1:1)"
    evidence = gather(prompt)
    source = IndexSource(open_index(TEXTS), lambda path: TEXTS[path].encode())
    opener = Opener(read_layout, evidence, WEIGHTS, source)
    worth = {one.candidate.path: one.worth[0] for one in opener.open_best(10)}
    assert worth["door.py"] - worth["wall.py"] > WEIGHTS.named * (1 - WEIGHTS.next_frame) / 2
