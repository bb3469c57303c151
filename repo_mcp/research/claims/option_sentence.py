"""Say where an option of the command line is declared, what it sets, and its default."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.records import OptionCall, Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.option_calls import MAX_DEFAULT_CHARS, list_uses_of_bound, mask_texts
from repo_mcp.research.settings.traced_values import trace_value
from repo_mcp.text.citations import write_citation

_NAMED_DEFAULT = re.compile(r"\b\w*default\w+\b", re.IGNORECASE)


def describe_option(state: ResearchState, option: Subject) -> str:
    """Return sentences on options: where each is declared, what it sets, its default, and what uses that."""
    named: dict[str, list[OptionCall]] = {}
    for one in option.declaring:
        named.setdefault(one.name, []).append(one)
    return " ".join(_describe_named(state, name, calls) for name, calls in named.items())


def _describe_named(state: ResearchState, name: str, calls: Sequence[OptionCall]) -> str:
    told = [f"{write_citation(one.path, one.line, one.line)}{_describe_call(state, one)}" for one in calls]
    uses = [place for one in calls for place in list_uses_of_bound(state, one)]
    used = join_names(write_citation(path, at, at) for path, at in uses)
    and_used = f" What it sets is used at {used}." if used else ""
    return f"The option {name} is declared at {join_names(told)}.{and_used}"


def _describe_call(state: ResearchState, call: OptionCall) -> str:
    """Return in brackets what a call sets, and the default that it gives or names."""
    said = [f"sets {call.bound}"] if call.bound else []
    text = " ".join(state.source.read_lines(call.path)[call.first - 1 : call.last])
    code = call.default if call.default and call.default[0] not in "\"'`" else mask_texts(text)
    named = next(filter(None, (_trace(state, one) for one in _NAMED_DEFAULT.findall(code))), "")
    if call.default:
        said.append(f"default {call.default}{named and f', that is {named}'}")
    else:
        said.append(f"it gives no default, but names {named}" if named else "it gives no default")
    return f" ({'; '.join(said)})"


def _trace(state: ResearchState, name: str) -> str:
    """Return the line that gives a name its value, with its citation; "" if none is known."""
    places = trace_value(state, name)
    if not places:
        return ""
    last = places[-1]
    line = " ".join(state.source.read_lines(last.path)[last.first - 1].split())
    return f"{line[:MAX_DEFAULT_CHARS]} ({write_citation(last.path, last.first, last.first)})"
