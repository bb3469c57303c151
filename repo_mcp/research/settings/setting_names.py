"""Tell under which names a setting is searched for, and whether some line has one of them."""

from __future__ import annotations

import re

from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.setting_lines import search_mentions, search_setting
from repo_mcp.text.stop_words import STOP_WORDS

KCONFIG = "CONFIG_"
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_HYPHENATED = re.compile(r"\w+(?:-\w+)+")


def list_setting_names(subject: Subject) -> list[str]:
    """Return at most two names to search for: those of the declarations found, else the text itself.

    Kconfig declares what the program calls `CONFIG_NET` as `config NET`.
    """
    names = dict.fromkeys(node.symbol.name for node in subject.nodes if subject.is_declared)
    if not names:
        last = subject.asked.rpartition(".")[2]
        named = (
            [last.removeprefix(KCONFIG) or last, last]
            if _NAME.fullmatch(last)
            else [*filter(_HYPHENATED.fullmatch, [subject.asked]), *_join_words(subject.asked)]
        )
        names = dict.fromkeys(named)
    return list(names)[:2]


def _join_words(text: str) -> list[str]:
    words = [word for word in re.findall(r"\w+", text) if word.lower() not in STOP_WORDS]
    return ["_".join(words)] if words else []


def is_written(state: ResearchState, subject: Subject) -> bool:
    """Return True for a setting that is declared, or whose name, perhaps of several words, some line has."""
    return bool(subject.nodes) or any(
        search_setting(state, name) or search_mentions(state, name) for name in list_setting_names(subject)
    )
