"""Questions about files that are gone, or have become shorter, since they were parsed."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

BROWSER = """def find_folder(folder):
    if not is_inside(folder):
        raise LookupError(folder)
    return folder


# Tells what is inside.
def is_inside(place):
    root = place.root
    return root == "/depot"
"""


@pytest.mark.parametrize("now", [{}, {"browser.py": ""}, {"browser.py": "x = 1\n"}])
@pytest.mark.parametrize(
    "question",
    [
        "How do find_folder and is_inside work?",
        "What is the difference between find_folder and is_inside?",
        "Who calls is_inside, and what does it do with the root?",
        "How is the folder found?",
        "Where would I add a new folder?",
        "What breaks if I change is_inside?",
        "Which errors can find_folder raise?",
    ],
)
def test_what_can_no_longer_be_read_fails_no_answer(question: str, now: dict[str, str]) -> None:
    asked = Asked({"browser.py": BROWSER})
    asked.texts = now
    report = asked.ask(question)
    assert report.request.query == question
    assert not any("LookupError" in one.excerpt for one in report.findings)


SINKS = """import registry


class PoolLimits:
    largest: int = 16
    idle: int = 3


def open_pool(limits):
    limits = limits or PoolLimits()
    return limits.largest or 4


class Sink:
    def write(self, event):
        raise NotImplementedError


@registry.mark
class FileSink(Sink):
    def write(self, event):
        self.file.write(event)
        self.file.flush()


@registry.mark
class TextSink(Sink):
    def write(self, event):
        self.texts.append(event)
        self.count += 1


def getSink(name: str) -> Sink:
    return registry.find(name)


def setSink(name: str, one: Sink) -> None:
    one.write(registry.use(name, one))
"""


@pytest.mark.parametrize("now", ["", "x = 1\n", "\n".join(SINKS.splitlines()[:20])])
@pytest.mark.parametrize(
    "question",
    [
        "Where is the limit of a pool configured and what is its default? (PoolLimits)",
        "Where is largest configured and what is its default?",
        "How do I add a new sink?",
        "What breaks if I change Sink?",
        "What breaks if I change getSink?",
        "What is the difference between FileSink and TextSink?",
    ],
)
def test_what_became_shorter_fails_no_answer_on_settings_and_kinds(question: str, now: str) -> None:
    asked = Asked({"sinks.py": SINKS})
    assert asked.ask(question).claim
    asked.texts = {"sinks.py": now}
    assert question.startswith(asked.ask(question).request.query)  # guesses are no part of it
