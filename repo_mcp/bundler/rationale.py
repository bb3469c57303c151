"""Explain in words why an excerpt was chosen, with every claim checked against its lines. Pure.

A reader can verify everything that is said: a term is named by a word of the excerpt that holds it, a symbol
when it is declared in the lines or encloses them, a step by the block that it began at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from repo_mcp.bundler.evidence import Evidence, is_called
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.mentions import Mention
from repo_mcp.ranking.prompt import ClueKind
from repo_mcp.text.analysis import get_word_terms

MAX_NAMED_TERMS = 6
MAX_NAMED_STEPS = 3
MAX_WORD_CHARS = 60
_WORD = re.compile(r"\w+")


def explain(
    mentions: Sequence[Mention],
    named: Sequence[SymbolSpan],
    around: SymbolSpan | None,
    evidence: Evidence,
    lines: Sequence[str],
    start_line: int,
    words: Sequence[str],
    found_by: Sequence[str],
) -> tuple[str, ...]:
    """Return the evidence, the strongest first; at least one part of it."""
    end_line = start_line + len(lines) - 1
    parts = [*_tell_mentions(mentions, start_line, end_line)]
    names = list(dict.fromkeys(span.name for span in named))
    if names:
        parts.append(f"declares {_join(names[:MAX_NAMED_TERMS])}, named in the prompt")
    elif around is not None and any(is_called(around, name) for name in evidence.names):
        parts.append(f"lies in {around.qualified_name}, named in the prompt")
    phrases = (clue.text for clue in evidence.clues if clue.kind is ClueKind.PHRASE)
    held = [phrase for phrase in phrases if holds_phrase(lines, phrase)]
    parts += [f'contains the text "{phrase}"' for phrase in held[:2]]
    if words:
        parts.append(f"matches {_join(words[:MAX_NAMED_TERMS])}")
    parts += found_by[:MAX_NAMED_STEPS]
    return tuple(parts) or ("next to what matched",)


def _tell_mentions(mentions: Sequence[Mention], start_line: int, end_line: int) -> Iterable[str]:
    """Return what the prompt says of the file; of several frames or paths, the first that points here."""
    here = [one for one in mentions if one.clue.line is not None and start_line <= one.clue.line <= end_line]
    for mention in (here or mentions)[:1]:
        clue = mention.clue
        what = "a traceback frame" if clue.kind is ClueKind.FRAME else "the prompt"
        yield f"{what} names line {clue.line}" if here else f"{what} names this file"


def holds_phrase(lines: Sequence[str], phrase: str) -> bool:
    """Return True when the lines hold the phrase, ignoring case and white space."""
    return phrase.lower() in " ".join(" ".join(lines).lower().split())


def index_words(lines: Iterable[str]) -> dict[str, str]:
    """Return the terms that the lines hold, each with the first word that gives it."""
    first: dict[str, str] = {}
    for line in lines:
        for word in _WORD.findall(line):
            for term in get_word_terms(word):
                first.setdefault(term, word)
    return first


def name_words(terms: Iterable[str], words: Mapping[str, str]) -> list[str]:
    """Return the words that give the terms, in the order of the terms, each once in any case, none long."""
    named: dict[str, str] = {}
    for term in terms:
        named.setdefault(words[term].lower(), words[term])
    return [word for word in named.values() if len(word) <= MAX_WORD_CHARS]


def order_terms(present: Collection[str], term_weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the terms that are present, the heaviest first, equal ones in the order of `term_weights`."""
    kept = [term for term in term_weights if term in present]
    return tuple(sorted(kept, key=lambda term: -term_weights[term]))


def _join(texts: Sequence[str]) -> str:
    return ", ".join(texts)
