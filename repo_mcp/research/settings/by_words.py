"""Find where something described is configured: by functions named after setting it, and by its words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.model import Hit
from repo_mcp.research.findings.hit_places import build_hit_address
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, search_words
from repo_mcp.research.settings.configured import FUNCTION_CHARS, is_configuration
from repo_mcp.research.words.named_actions import find_actions
from repo_mcp.research.words.shown_lines import show_body
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolFlag
from repo_mcp.text.question_words import Action, list_words, shares_word

MAX_SEARCHED, MAX_HITS = 50, 12  # hits of a search for words, and of those about configuration that are shown
_WORDS_FOR_IT = "config setting option default"
_FOR_IT = re.compile(r"config|setting|option|default", re.IGNORECASE)
_DEEDS = ("set", "configure")  # verbs of functions that set what a question describes


def find_by_words(state: ResearchState, text: str) -> None:
    """Note the configuration files and configuration symbols that a search for the words finds."""
    words = list_words(text)  # none of a single letter
    if words:
        _note_deeds(state, words)
    hits = search_words(state, f"{text} {_WORDS_FOR_IT}", MAX_SEARCHED)
    fitting = [hit for hit in hits if _is_about_config(hit) and _holds_half(hit, words)]
    for hit in fitting[:MAX_HITS]:
        state.add_place(build_hit_address(hit, "found by searching configuration for its words", 1))
    if len(fitting) > MAX_HITS:
        state.limit(f"{len(fitting) - MAX_HITS} more places with these words", f"{MAX_HITS} are shown")


def _note_deeds(state: ResearchState, words: Sequence[str]) -> None:
    """Note the functions that by their names set what some words describe: `app_set_colors`."""
    for verb in _DEEDS:
        action = Action(verb, tuple(word.lower() for word in words))
        found = find_actions(state, action, is_described=False)
        for node in (one for one in found if one.symbol.kind in CALLABLE_KINDS and not _is_prototype(one)):
            shown = show_body(state, node, FUNCTION_CHARS)
            reason = Reason(f"lets callers set {words[-1]}", Role.SETTER, words[-1])
            state.add(node, reason, 1, Confidence.PROBABLE, shown=shown)


def _is_prototype(node: Node) -> bool:
    return bool(node.symbol.flags & SymbolFlag.FORWARD)


def _holds_half(hit: Hit, words: Sequence[str]) -> bool:
    """Return True for a hit with half of some words; what only has words such as "default" is noise."""
    return bool(words) and 2 * shares_word(" ".join(hit.matched_terms), words) >= len(words)


def _is_about_config(hit: Hit) -> bool:
    return is_configuration(hit.path) or _FOR_IT.search(hit.symbol or "") is not None
