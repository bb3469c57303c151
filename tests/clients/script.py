"""A scripted model, independent of any client's dialect: it calls tools in order and then says a last word.

A client asks its model again after every answer of a tool, and sends the whole conversation each time. So the
script has no state: a step is done once all its calls have answers, and the first other step is next.

    Script(Step(Call("repo.search", {"query": "tide"})), Step(Call("repo.status", {})))

    asked: nothing seen yet          -> call_0  repo.search
    asked: call_0 has an answer      -> call_1  repo.status
    asked: both have                 -> "The scripted model has finished."

The calls of a step are made at once. They are numbered through the whole script, for dialects without ids. A
request that does not offer these tools (clients also ask for titles and summaries) gets the last word, unless
the dialect knows how to look for tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LAST_WORD = "The scripted model has finished."
LOOK = "look_for_"  # begins the id of a call that finds out which tools there are


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, named as the server names it."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offered:
    """One tool as a client offers it to its model."""

    name: str  # the one that the model has to say
    description: str
    schema: Mapping[str, Any]
    namespace: str = ""  # that the model has to say beside it


@dataclass(frozen=True, slots=True)
class Chosen:
    """One call as the model makes it."""

    id: str
    offered: Offered
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a client to its model, as a dialect understood it."""

    offered: tuple[Offered, ...]
    seen: Mapping[str, str]  # id of a call -> its answer, as the model sees it
    body: Mapping[str, Any]  # the whole request, as it came

    def find(self, tool: str) -> Offered | None:
        """Return the tool that the server calls so, however the client renamed it."""
        wanted = _plain(tool)
        alike = [one for one in self.offered if f"_{_plain(one.name)}".endswith(f"_{wanted}")]
        return min(alike, key=lambda one: len(one.name), default=None)


@dataclass(frozen=True, slots=True)
class Answer:
    """The model's answer: calls of tools, or a text."""

    calls: tuple[Chosen, ...] = ()
    text: str = ""
    missing: tuple[str, ...] = ()  # tools to call that were not offered: it may look for them first


class Step(tuple[Call, ...]):
    """Calls that are made at once."""

    def __new__(cls, *calls: Call) -> Step:
        return super().__new__(cls, calls)


class Script:
    """Steps in order."""

    def __init__(self, *steps: Step) -> None:
        self.steps = steps

    def answer(self, request: Request) -> Answer:
        """Return what the model says to a request."""
        number = 0
        for step in self.steps:
            ids = [f"call_{number + place}" for place in range(len(step))]
            number += len(step)
            if all(id_ in request.seen for id_ in ids):
                continue
            found = [(id_, request.find(call.tool), call) for id_, call in zip(ids, step, strict=True)]
            calls = [Chosen(id_, tool, call.arguments) for id_, tool, call in found if tool is not None]
            missing = tuple(call.tool for _, tool, call in found if tool is None)
            return Answer(text=LAST_WORD, missing=missing) if missing else Answer(tuple(calls))
        return Answer(text=LAST_WORD)


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "_", name)
