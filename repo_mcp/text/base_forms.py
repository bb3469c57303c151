"""The base forms of irregular English words, such as `grow` for "grown". Pure.

A question asks how a file "is written", and the program has `write`. The stemmer only removes endings: it
leads from "stored" to `store`, but not from "written" to `write`. The table has the forms that occur in
questions about programs. Left out are those that mean something else in code ("found", "left"), and those
whose base says nothing ("made").
"""

from __future__ import annotations

from functools import cache

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


def find_base_form(word: str) -> str:
    """Return the base form of a word, in lower case; "" for a regular word, or one that is its own base."""
    base, *others = _read_families().get(word.lower(), ("",))
    return base if word.lower() in others else ""


def list_other_forms(word: str) -> tuple[str, ...]:
    """Return the other forms of an irregular word, its base first; none for a regular word."""
    return tuple(form for form in _read_families().get(word.lower(), ()) if form != word.lower())


@cache
def _read_families() -> dict[str, tuple[str, ...]]:
    """Return each irregular form with all forms of its word, the base first."""
    rows = (tuple(row.split()) for row in _FORMS.split(","))
    return {form: row for row in rows for form in row}
