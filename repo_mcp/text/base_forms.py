"""The base forms of English words that the stemmer does not lead to, such as `grow` for "grown". Pure.

A question asks how a file "is written", and the program has `write`. The stemmer only removes endings: it
leads from "stored" to `store`, but not from "written" to `write`. The table has the forms that occur in
questions about programs. Left out are those that mean something else in code ("found", "left"), and those
whose base says nothing ("made").

Nor does it lead from "validated" to `validate`: of the base it removes "-ate" (`valid`), of the participle
only "-ed" (`validat`). So it is with "-ize", "-ence" and "-eue".
"""

from __future__ import annotations

import re
from functools import cache

from repo_mcp.text.stemming import stem_word

# The base form, then the others; families are separated by commas.
_FORMS = """
begin began begun, break broke broken, build built, buy bought, catch caught,
choose chose chosen, draw drawn drew, drive driven drove, fall fallen fell, feed fed,
forget forgot forgotten, freeze froze frozen, grow grew grown, hide hid hidden, hold held, lose lost,
override overridden overrode, overwrite overwritten overwrote, pay paid, rebuild rebuilt, redo redone,
resend resent, rewrite rewritten rewrote, rise risen rose, seek sought, sell sold, send sent,
shrink shrank shrunk, sleep slept, speak spoke spoken, spend spent, steal stole stolen, stick stuck,
sweep swept, tear tore torn, throw threw thrown, undo undone, unwind unwound, wake woke woken,
withdraw withdrawn withdrew, write written wrote, child children, index indices, matrix matrices,
person people, vertex vertices, big bigger biggest, large larger largest, new newer newest,
old older oldest, small smaller smallest
"""


_PARTICIPLE = re.compile(r"([a-z]+(?:at|iz|enc|eu))(?:ed|ing)")


def find_base_form(word: str) -> str:
    """Return the base form of a word, in lower case; "" if it has the stem of the word, or is the word."""
    folded = word.lower()
    base, *others = _read_families().get(folded, ("",))
    if folded in others:
        return base
    participle = _PARTICIPLE.fullmatch(folded)
    return "" if participle is None else _find_verb(participle)


def list_other_forms(word: str) -> tuple[str, ...]:
    """Return the other forms of a word that have other stems, its base first; none for most words."""
    folded = word.lower()
    others = tuple(form for form in _read_families().get(folded, ()) if form != folded)
    base = find_base_form(word)
    return others or ((base,) if base else ())


def _find_verb(participle: re.Match[str]) -> str:
    """Return the verb of a participle if the stemmer leaves more of the participle, else ""."""
    verb = f"{participle[1]}e"
    return verb if stem_word(verb.encode()) != stem_word(participle[0].encode()) else ""


@cache
def _read_families() -> dict[str, tuple[str, ...]]:
    """Return each irregular form with all forms of its word, the base first."""
    rows = (tuple(row.split()) for row in _FORMS.split(","))
    return {form: row for row in rows for form in row}
