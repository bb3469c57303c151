"""List the acronyms that stand in code for words of a question: `csrf` for "cross-site request forgery".

Left out on purpose are acronyms of three letters: any three words have initials that some code uses for
something else, as "stops sending heartbeats" has those of SSH. So are ordinary words: "parser assigns graph
edges" means no page.
"""

from __future__ import annotations

import re

from repo_mcp.text.stop_words import QUESTION_WORDS

LEAST_WORDS, MOST_WORDS = 4, 6  # that one acronym stands for
MOST_RUN = 12  # adjacent words that are looked at
# Begins where a word does and gives nothing back, or a pasted key of 10,000 letters takes seconds.
_RUN = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,}+(?:[ -][A-Za-z]{2,}+)+")
_WORD = re.compile(r"[A-Za-z]+")
# Words of four letters that most programs have, and that are no acronyms.
_ORDINARY = frozenset(
    """
    test self type name void true none data null time char size path loop pool func task base item
    args hash read text next send mock rate long case node util body poll info init wait bind resp join host
    free dict user bool pane port line copy byte core link area main push left unit hook post root cell safe
    lang exit easy html move pipe zero conn mark sync zone fail open exec keys iter attr flag find form full
    skip pass help stop note auto lock part head goto enum load tree desc page drop word prop slow flat card
    diff recv fire trim warn bean kind jobs back fast prev tags opts idle meta rich fill dump high tail slot
    runs sure stat sets tall grid logs sort trip pair year peer mask plus lazy seek font home boot side bash
    scan stub refs cast conf temp glob swap kill echo leaf ring deep menu hits team bits view role jump bold
    span spec rest wrap half deal quit rule curr draw rand leak shut hour edge omit todo able hint blob fake
    icon tick wild elem save fork seed drag ping sign busy turn care step chat dest tint buff park verb dial
    sink peak demo rows blur tear fear race past best weak edit
    """.split()  # noqa: SIM905
)


def list_acronyms(text: str) -> dict[str, str]:
    """Return runs of adjacent words of a text, each with the initials of its words; the longest runs first.

    Words that only form a question end a run, and an ordinary word is no acronym. Whether the code has any of
    the initials is for the caller to find out.
    """
    found: dict[str, str] = {}
    for run in _list_runs(text):
        for count in range(min(MOST_WORDS, len(run)), LEAST_WORDS - 1, -1):
            for first in range(len(run) - count + 1):
                words = run[first : first + count]
                acronym = "".join(word[0][0] for word in words).lower()
                if acronym not in QUESTION_WORDS | _ORDINARY:
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
