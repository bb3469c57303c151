"""List the acronyms that stand in code for words of a question: `csrf` for "cross-site request forgery".

Left out on purpose are acronyms of three letters: any three words have initials that some code uses for
something else, as "stops sending heartbeats" has those of SSH.
"""

from __future__ import annotations

import re

from repo_mcp.text.stop_words import QUESTION_WORDS

LEAST_WORDS, MOST_WORDS = 4, 6  # that one acronym stands for
MOST_RUN = 12  # adjacent words that are looked at
_RUN = re.compile(r"[A-Za-z]{2,}(?:[ -][A-Za-z]{2,})+")
_WORD = re.compile(r"[A-Za-z]+")


def list_acronyms(text: str) -> dict[str, str]:
    """Return runs of adjacent words of a text, each with the initials of its words; the longest runs first.

    Words that only form a question end a run. Whether the code has any of the initials is for the caller to
    find out.
    """
    found: dict[str, str] = {}
    for run in _list_runs(text):
        for count in range(min(MOST_WORDS, len(run)), LEAST_WORDS - 1, -1):
            for first in range(len(run) - count + 1):
                words = run[first : first + count]
                acronym = "".join(word[0][0] for word in words).lower()
                if acronym not in QUESTION_WORDS:
                    found[text[words[0].start() : words[-1].end()]] = acronym
    return found


def _list_runs(text: str) -> list[list[re.Match[str]]]:
    """Return the adjacent words of a text, with nothing but a space or a hyphen between them."""
    runs: list[list[re.Match[str]]] = []
    for adjacent in _RUN.finditer(text):
        runs.append([])
        for word in _WORD.finditer(text, adjacent.start(), adjacent.end()):
            if word[0].lower() in QUESTION_WORDS:
                runs.append([])
            else:
                runs[-1].append(word)
    return [run[:MOST_RUN] for run in runs if len(run) >= LEAST_WORDS]
