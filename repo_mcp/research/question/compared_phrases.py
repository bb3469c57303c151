"""Read the phrases of a comparison: two that share words, an owner or a noun, or a list of names. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from repo_mcp.research.question.phrase_names import is_one_name
from repo_mcp.research.question.phrases import Phrase, leave_out_article, read_phrase
from repo_mcp.text.base_forms import find_base_form

Compared = tuple[Phrase, Phrase]
_PLAIN = re.compile(r"[a-z]+(?:[- ][a-z]+)*")  # words of prose, none written as a name
_CAPITALISED = re.compile(r"[A-Z][A-Za-z]* ([a-z]+(?: [a-z]+)*)")
# "when I call them inside a test", behind what is compared
_CIRCUMSTANCE = re.compile(
    r",? (?:when|if|while|where) (?:i|we|you|one|someone|they|it) .{1,200}$", re.IGNORECASE
)
_DONE = re.compile(r"\b[a-z]{3,}ing\b")
_TYPE_NOUN = r"(?:class|type|trait|struct|interface|protocol|enum|object)"
# "watch on the Gate class", as the second of two that are compared: both are members of the type.
_SECOND_MEMBER = re.compile(
    r"([a-zA-Z_$][\w$]*[!?]?)(?:\(\))?(?: (?:method|function|field|member)s?)? (?:of|in|on) "
    rf"(?:the )?(?:{_TYPE_NOUN} )?([A-Z][\w$]*(?:(?:\.|::)[\w$]+)*)(?: {_TYPE_NOUN})?"
)
# What parts the names of a list.
_IN_LIST = re.compile(r",\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+")
_MEMBER = re.compile(r"([a-zA-Z_$][\w$]*[!?]?)(?:\(\))?")


def leave_out_circumstance(text: str) -> str:
    """Return a phrase without a clause at its end that says when the difference counts."""
    return _CIRCUMSTANCE.sub("", text)


def share_words(x: str, y: str) -> list[Compared]:
    """Return the comparisons of two phrases in which the first has the owner or the noun of the second."""
    return [one for one in (_share_owner(x, y), _share_noun(x, y)) if one is not None]


def list_compared(x: str, y: str) -> tuple[Phrase, ...]:
    """Return the names of a comparison of more than two: "load, watch and call"; () for any other."""
    names = [read_phrase(one) for one in _IN_LIST.split(f"{x}, {y}")]
    return tuple(names) if len(names) > 2 and all(is_one_name(one.text) for one in names) else ()


def _share_owner(x: str, y: str) -> Compared | None:
    """Return a comparison of two members of the type that only the second names: "load and watch on Gate"."""
    first, second = (leave_out_article(one.strip()).replace("`", "") for one in (x, y))
    own, other = _MEMBER.fullmatch(first), _SECOND_MEMBER.fullmatch(second)
    if own is None or other is None:
        return None
    return Phrase(f"{other[2]}.{own[1]}"), Phrase(f"{other[2]}.{other[1]}")


def name_deeds(phrases: Sequence[Phrase]) -> list[tuple[Phrase, ...]]:
    """Return phrases with verbs, as functions have them in their names, in place of what is done.

    "parsing rows": "pars rows", or "parse rows", of which a repository has one. Return none if a phrase does
    not say that something is done.
    """
    done = [_DONE.search(one.text) if _PLAIN.fullmatch(one.text) else None for one in phrases]
    if None in done:
        return []
    named = [
        [Phrase(one.text.replace(found[0], verb, 1)) for verb in _list_verbs(found[0])]
        for one, found in zip(phrases, done, strict=True)
        if found is not None
    ]
    return list(product(*named))


def _list_verbs(done: str) -> list[str]:
    """Return the verbs that a form in "-ing" may have: `reset` for "resetting", `cach` and `cache`."""
    base, stem = find_base_form(done), done[:-3]
    if base:
        return [base]
    return [stem[:-1], stem] if stem[-1:] == stem[-2:-1] else [stem, f"{stem}e"]


def leave_out_noun(x: str, y: str) -> Compared | None:
    """Return a comparison of two names without the noun of both: `get` and `getAll` of "handler".

    One of them must be written as a name.
    """
    first, second = (leave_out_article(one.strip()).split(" ") for one in (x, y))
    if len(first) != 2 or len(second) != 2 or first[1] != second[1]:
        return None
    if not _PLAIN.fullmatch(first[1]) or all(map(_PLAIN.fullmatch, (first[0], second[0]))):
        return None
    return Phrase(first[0].strip("`")), Phrase(second[0].strip("`"))


def _share_noun(x: str, y: str) -> Compared | None:
    """Return a comparison of which both subjects have the noun of the second: "an open and a closed pipe".

    Return None if the first has a noun of its own, or either is written as a name. Of two capitalised words,
    "the Steel and the PVC pipe fitter", the first has all the nouns of the second.
    """
    first, second = (leave_out_article(one.strip()) for one in (x, y))
    kind = _CAPITALISED.fullmatch(second)
    if kind is not None and _CAPITALISED.fullmatch(f"{first} {kind[1]}"):
        return Phrase(f"{first} {kind[1]}", whole=f"{first} {kind[1]}"), Phrase(second, whole=second)
    noun = second.rpartition(" ")[2]
    if not _PLAIN.fullmatch(f"{first} {second}") or first.count(" ") >= second.count(" ") or noun in first:
        return None
    return Phrase(f"{first} {noun}"), Phrase(second)
