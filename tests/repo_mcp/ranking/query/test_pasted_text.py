"""Pasted text as its parts: what a form asks of everybody is taken out, and all else is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.ranking.query.pasted_text import is_report, read_pasted
from repo_mcp.ranking.query.query import CODE_WEIGHT, parse_query, widen
from repo_mcp.ranking.query.report_noise import list_template_words
from tests.deep.sizes import choose
from tests.growth import assert_linear

TOLD = "\n\n" + "The window stays when its last tab is closed. " * 7 + "\n"  # of more than sixty words
REPORT = """\
Window stays open after the last tab is closed

<!-- Please search the
existing issues first. -->

### Did you check docs and existing issues?

- [x] I have read the [guidelines](https://example.org/blob/main/CONTRIBUTING.md)
- [ ] I have tried the nightly build

### Describe the bug

A clear and concise description of what the bug is.
The window manager never asks the tab strip. See
https://example.org/o/r/blob/0f3c/src/tabs/strip.js#L20 and https://example.org/o/r/issues/7.
![picture](https://example.org/a.png)<br>

```js
import { open } from 'windows/opener'
open('https://example.org')
```

- OS: Fedora Linux
- Gizmo version (or commit): 807368579f
* Tabs: three

**Expected behavior**

### System Info

```shell
System:
  Memory: 711.84 MB
```

<details>
Firefox: 109.0
</details>

### Tab strips of other windows

They are asked.
"""


def test_what_a_form_asks_of_everybody_is_taken_out() -> None:
    read = read_pasted(REPORT)
    assert list(filter(None, map(str.strip, read.prose.splitlines()))) == [
        "Window stays open after the last tab is closed",
        "The window manager never asks the tab strip. See",
        "src/tabs/strip.js#L20 and",
        "- Gizmo version (or commit): 807368579f",
        "* Tabs: three",
        "Firefox: 109.0",
        "### Tab strips of other windows",
        "They are asked.",
    ]
    assert read.code == "import { open } from 'windows/opener'\nopen('https://example.org')"


@pytest.mark.parametrize(
    "text",
    [
        "Fix the walk\n\nThe walk stopped early.\nIt goes on now.",
        "Reject a version\n\nversion conflicts: the newest wins where both are installed",
        "Compare `Map<String, A>` with others\n\n### Version conflicts of resolvers\nSee std::os::unix.",
        "Crash of it\n\nTerminal: prompts are lost when shell exits\n- shell: bash script fails too",
        "Order of rows\n\nSort by version: the newest first\n* Python: raises KeyError in resolve",
        "Crash\n\n### Resolver fails to parse local version\n\nThe resolver raises on 1.0.post1 here.",
    ],
)
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert read_pasted(text).text.split() == text.split()


def test_lines_of_the_own_template_are_taken_out() -> None:
    template = frozenset(list_template_words("Mind the hull before you file.\nlabel: Which strip is it?"))
    text = "Ends at once\n\nMind the **hull** before you file!\n\n### Which strip is it?\n\nThe left one."
    assert " ".join(read_pasted(text, lambda: template).prose.split()) == "Ends at once The left one."
    assert "hull" in read_pasted(text).prose


@pytest.mark.parametrize(
    "asked",
    [
        "### What version of Gizmo are you using?\n\nlinux\n",
        "### What operating system (Linux, \u2026) and version?\nlinux\n",
        "**Environment**:\n\n<details>\nlinux\n\nlinux\n</details>\n",
        "#### Gizmo version\n\n```\nlinux\n\nlinux\n```\n",
        "## System Information\n- linux\n",
        "- Gizmo.js Version: linux\n- Compiler+version: linux\n - Time zone: linux\n- **OS:** linux\n",
        "* Gizmo Version 1.8 linux\n",
        "**How did you install `gizmo`?**\n\nlinux\n",
        "**gizmo version and environment**\n\n#### Host\nlinux\n\n#### Paths\n\n```\nlinux\n```\n",
    ],
)
def test_versions_and_systems_are_taken_out_with_their_headings(asked: str) -> None:
    text = f"Ends at once\n\n{asked}\nThe strip is gone.\n"
    assert " ".join(read_pasted(text).prose.split()) == "Ends at once The strip is gone."


@pytest.mark.parametrize(
    "told", ["- Support version 2 strips", "### Add schema version\n\nThe strip has none."]
)
def test_what_is_wished_for_of_versions_is_left(told: str) -> None:
    text = f"Ends at once\n\n{told}\n\nThe strip is gone.\n"
    assert read_pasted(text).prose.split() == text.split()


def test_what_follows_the_answer_of_a_form_is_left() -> None:
    text = "Ends at once\n\n## Environment\nlinux\n\nIt ends.\n\n## Environment variables\n\nThey are gone."
    assert " ".join(read_pasted(text).prose.split()) == (
        "Ends at once It ends. ## Environment variables They are gone."
    )


@pytest.mark.parametrize(
    "answer",
    [
        "- Gizmo: linux\n  of linux\n* linux",
        "1. linux",
        "linux\n```\nlinux\n\nlinux\n```",
        "```\nlinux\n```\n```\nlinux\n```",
        "<details>\n\n```\nlinux\n```\n\n</details>",
        "<details>linux</details>\n<details>\nlinux\n</details>",
    ],
)
def test_an_answer_ends_with_its_list_or_fence_or_folded_part(answer: str) -> None:
    text = f"Ends at once\n\n## Environment\n\n{answer}\nThe strip is gone.\nThe hull, too."
    assert " ".join(read_pasted(text).text.split()) == "Ends at once The strip is gone. The hull, too."


def test_headings_below_an_answer_and_of_the_same_level_tell_something() -> None:
    told = "### Strips\n\nAll are lost."
    text = f"Ends at once\n\n## Environment\nlinux\n\n{told}\n\n## Environment\n\n## Tabs\n\nThey are lost."
    assert " ".join(read_pasted(text).prose.split()) == (
        "Ends at once ### Strips All are lost. ## Tabs They are lost."
    )


def test_indented_code_is_code_but_for_that_of_a_list() -> None:
    shown = "    open(strip)\n\n    close(strip)"
    read = read_pasted(f"Ends at once\n\nThe strip:\n\n{shown}\n\nIt is gone.\n\n1. Open it:\n\n    twice\n")
    assert read.code.split() == ["open(strip)", "close(strip)"]
    assert " ".join(read.prose.split()) == "Ends at once The strip: It is gone. 1. Open it: twice"
    told = "Ends at once\n\nThe strip\n    is gone."
    assert read_pasted(told).prose.split() == told.split()


def test_a_form_with_line_ends_of_windows_is_read_like_any_other() -> None:
    text = f"Ends at once\n\n**Environment**\n\n12\n\n**Describe the bug**\n{REPORT}"
    assert parse_query(text.replace("\n", "\r\n"), 100) == parse_query(text, 100)


def test_a_form_without_a_title_is_one_too() -> None:
    assert read_pasted("### Describe the bug\n\nThe strip is gone.\n").prose == "The strip is gone."


@pytest.mark.parametrize("text", ["### Describe the bug\n- [x] yes", "### System", "Hull:\n```\n12\n```"])
def test_something_is_always_left(text: str) -> None:
    assert parse_query(text, 100).terms


@pytest.mark.sized
@pytest.mark.parametrize("unit", ["<a ", "![", "[a](", "http://", "**", "# a", "- os:", "```\n", "<!--"])
def test_long_texts_take_time_in_proportion(unit: str) -> None:
    assert_linear(lambda size: "\n" + unit * size, read_pasted, choose(5_000, 20_000))


def test_comments_that_never_close_take_time_in_proportion() -> None:
    assert_linear(lambda size: "a\nb" + "<!--" * size, read_pasted, 500)


def test_comments_are_taken_out_to_their_first_end() -> None:
    parts = read_pasted("Vault\n\nkept <!-- one\n<!-- two -->three<!---->four --> five <!-- six")
    assert "threefour --> five <!-- six" in parts.prose


def test_a_heading_with_many_spaces_takes_time_in_proportion() -> None:
    assert_linear(lambda size: "a\n# " + " " * size + "x" * 300, read_pasted, 100, bound=100)
    assert_linear(lambda size: "a\n# x" + " " * size + "y" * 300, read_pasted, 1_000)


@given(st.text(alphabet="`#*-[]x<>!() :/\nab", max_size=200))
def test_nothing_raises(text: str) -> None:
    read_pasted(text)


def test_a_form_leaves_room_for_what_was_observed() -> None:
    query = parse_query(REPORT, 1_000)
    assert {"strip", "manager", "opener"} < set(query.terms)
    assert not {"contributing", "fedora", "describe"} & set(query.terms)


def test_code_counts_less_than_prose_and_the_title_most() -> None:
    query = widen(parse_query(REPORT, 1_000), lambda _: 1, 100)
    assert "window" not in query.weights
    assert query.weights["strip"] > query.weights["opener"]


def test_names_in_code_count_less_than_in_prose() -> None:
    text = "Window stays open after closing\n\nIt needs tab_strip here.\n\n```\nother_strip()\n```\n"
    weights = widen(parse_query(text, 1_000), lambda _: 1, 100).weights
    assert "tab_strip" not in weights
    assert weights["other_strip"] == CODE_WEIGHT


@pytest.mark.parametrize("prose", ["The strip fails:", "Strip fails"])
def test_code_counts_least_without_a_title_too(prose: str) -> None:
    weights = widen(parse_query(f"{prose}\n```\nopener()\n```\n", 100), lambda _: 1, 100).weights
    assert weights["opener"] == CODE_WEIGHT
    assert "strip" not in weights


def test_code_alone_counts_in_full() -> None:
    text = "```\nreturn other strip\nopener()\n```\n"
    assert not widen(parse_query(text, 100), lambda _: 1, 100).weights


# Which texts are reports


@pytest.mark.parametrize(
    "text",
    [
        REPORT,
        "Window stays open after the last tab is closed\n\nIt should. Do others see it?\nI cannot say.",
        "Window stays open after closing.\n\n```\ntabs.close()\n```\nIs this wrong?",  # shown, not asked
        "Window stays open\n\n### What did you do?\nI closed it.\n\nWhat happened instead?\nIt stayed.",
        "Window stays open after closing\n\nIt has a strip of tabs\nwhich is closed before.",
        "Window stays open after closing\n\nI do.\n\n```\nWhere is it kept?\n```\n",
        "Can't close the last tab\n\nThe window stays.",
        "Could not close the last tab\n\nThe window stays.",
        "Is not closed after the last tab\n\nThe window stays.",
        "Help text is cut off\n\nAt 80 columns.",
        "List view flickers\n\nWhen a tab is closed.",
        "Find command ignores hidden files\n\nIt did not before.",
        "Read timeout is ignored\n\nIt waits forever.",
        "Review comments are lost\n\nAfter the last tab.",
        "Show a warning when the window closes\n\nIt is needed.",
        "How-to guide link is broken\n\nIt leads nowhere.",
        "Need to call close() twice\n\nOnce is not enough.",
        "read_csv drops the last row\n\nThe window shows it.",
        "I/O error on closing\n\nThe window stays.",
        "Close the window with its last tab\n\nThe manager asks the strip now.",
        "fix(tabs): close the window\n\n* ask the strip\n* add a test",
        "Window stays open after the last tab is closed\nConsider the following tabs:\none, two",
        "\n  Window stays open after closing\n\n`tabs.close()` does nothing\n\n",
        f"Close the window with its last tab?{TOLD}I can try.",  # a long text may ask, and go on
        f"Close the window.{TOLD}Why is it kept?\n\nI can try. Thanks",
        f"Closing of windows{TOLD}Open points:\n- how are tabs counted\n- a test is missing",
        f"Closing of windows{TOLD}Is this expected?",  # by others, not in code
        f"Close the window with its tab{TOLD}What do you think?",  # an opinion is asked for
        f"Close the window with its tab{TOLD}Why not ask the strip?",
        "Window stays open after closing\n\nPlease list the open tabs in it.",  # asked of the program
        f"Window stays open after closing{TOLD}Please find my log attached.",
        f"Keep windows open which have no tabs{TOLD}",  # no question, within a long text
        f"Add `TabStrip.close()`{TOLD}",
        f"trace: windows are not closed{TOLD}",  # a part of the program
        "\u5173\u95ed\u540e\u7a97\u53e3\u4e0d\u6d88\u5931\n\n"
        + "\u7a97\u53e3\u4ecd\u7136\u6253\u5f00\u3002" * 30,
    ],
)
def test_a_title_with_what_it_is_about_is_a_report(text: str) -> None:
    assert is_report(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Window stays open after the last tab is closed",  # one line
        "TabStrip.close\nTabStrip.open\nWindow",  # names
        "How does a window close?\n\nThe last tab was closed before.",
        "Does the window close with its last tab?\n\n```\ntabs.close()\n```",
        "Closing of windows\n\nHow does a window know that its last tab is closed?",
        "I have to understand how windows close\n\nShow the tab strip as well.",
        "A window closes with its last tab.\n\nWe need all that takes part in this.",  # sentences, no title
        "Explain the closing of windows\n\nBegin with the tab strip.",
        "what happens in a window when somebody\ncloses its last tab",  # one sentence in two lines
        "The window is closed when the last tab of\nthe strip is gone, by whom",
        "Windows and tabs:\n- how they open\n- how they close",
        'Traceback (most recent call last):\n  File "tabs.py", line 3, in close\nValueError: open',
        '  File "tabs.py", line 3, in close\nValueError: it is open',
        "Hello there\n\nWindow stays open after the last tab is closed.",
        "Hi, I have a question about windows\n\nThe last tab was closed and nothing happened.",
        "Please show me what closes a window\n\nAnd its tabs",
        "In which file is the retry limit set\n\nI only need the constant.",
        "[Question] How do I configure retries\n\nI tried X and Y.",
        "When the user clicks save, what happens next\n\nTrace it to the file.",
        "Looking for the code that parses dates\n\nIt must be somewhere.",
        "Trying to understand the retry logic\n\nPoint me to its beginning.",
        "Task: find where configuration is loaded\n\nReturn the file and the line.",
        "Task: list all routes\n\nAnd their methods.",
        "The parser drops comments\n\nWhere is that decided in code",
        "The parser drops comments\n\nTell me the place, please.",
        "The parser drops comments\n\nThey are gone. Where is that decided\n\nThank you.",
        "Context: a server with two loops\n\nHow does the server shut down?\n\nI need file names.",
        "Question about the cache eviction\n\nThe cache is full.\nThanks",
        "About the cache eviction\n\nI read on.\nWhere is it decided?\nThanks",
        "Cache eviction by age\n\n```\ncache.evict()\n```\n\nHow does this know the age?\n\nThanks",
        "I’m looking into windows\n\nThey are closed.",
        "What’s closed with a window\n\nThe tabs are.",
        "Find the functions that close windows\n\nTabs do not matter.",
        "Close the window with its last tab?\n\nIt stays.",  # too short to be sure
        f"Closing of windows{TOLD}Where is it decided?",
        f"Which windows are closed with a tab{TOLD}",
        f"Does a window close with its last tab?{TOLD}I can try.",
        f"Closing of windows{TOLD}Where is it decided?\n\nThanks in advance!",
        f"Closing of windows{TOLD}Where is it decided?\nAnswer with the file and the line.",
        f"Closing of windows{TOLD}\nHow is it decided, and by which part\nof the manager?",
        f"Closing of windows{TOLD}Could you please show the code that decides it?",
        f"Closing of windows{TOLD}Is there a place where it is decided?",
        f"The window closes with its last tab, and\nthat is too late.{TOLD}",  # one sentence in two lines
        "The window closes with its last tab\n\nPlease list all places that count tabs.",
        f"Closing of windows{TOLD}Please list all places that count tabs.",
        f"Closing of windows{TOLD}Please show where tabs are counted.\n\nThanks",
    ],
)
def test_what_may_be_a_question_is_no_report(text: str) -> None:
    assert not is_report(text)


@given(st.text(max_size=400))
def test_no_text_of_one_line_is_a_report(text: str) -> None:
    is_report(text)  # of any text it can be said
    assert not is_report(text.replace("\n", " "))


@pytest.mark.parametrize(
    ("title", "asks"),
    [("? ? ?", True), ("- - -", False), ("Fix: just only to", False), ("\u2026 \u2026 \u2026", False)],
)
def test_a_title_may_have_no_word(title: str, *, asks: bool) -> None:
    assert is_report(f"{title}\n\nThe window stays open.") is not asks
