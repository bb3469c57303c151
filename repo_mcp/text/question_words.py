"""Tell which words of a question name its subject, and which of them occur in a name. Pure.

Two stems count as equal if one begins with the other ("valid", "validat"), because English has more endings
than the stemmer removes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice, takewhile

from repo_mcp.late_patterns import compile_late
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.base_forms import find_base_form
from repo_mcp.text.idioms import leave_out_light_words
from repo_mcp.text.stop_words import QUESTION_WORDS, STOP_WORDS

LEAST_STEM, MOST_ENDING = 4, 3  # characters
# Words that only form the question and say nothing about its subject.
_QUESTION_WORDS = frozenset(
    """
    how what where which when why who whom whose does do did work works working done handled handle handles
    used use uses implemented implementation code function functions class classes way happen happens
    happening mechanism logic process there place get gets decide decides decided determine determines
    determined
    would could should can might may want wants need needs exactly internally actually turn turns turned
    become becomes difference between compared nobody somebody someone anybody anyone everybody everyone
    """.split()  # noqa: SIM905
)
_PRONOUNS = frozenset(
    """
    it its they them their this that these those one ones each both then else so not
    """.split()  # noqa: SIM905
)
# "where do I add a rule", "how would I write my own parser", "how do I write a parser of my own"
_EXTENDS = compile_late(
    r"\b(?:where|how) (?:\w+ ){1,2}(?:(?:add|plug in|introduce|hook in|support|extend|register)\b"
    r"|(?:implement|write|define|create|build|provide|make|use) (?:(?:(?:an?|another|my|your|our) )?"
    r"(?:own|new|custom)\b|(?:[\w-]+ ){1,8}of (?:my|your|our) own\b))",
    re.IGNORECASE,
)
# "how do I register a custom lookup": the verb, then its nouns
_ACTION = compile_late(
    r"\b(?:where|how) (?:do|does|can|could|should|would|must) (?:I|we|you|one) (\w+)"
    r"(?:(?<=\bplug|\bhook) in)? (?:support (?:for|of) )?"
    r"((?:(?!(?:to|for|in|on|with|from|into|by|when|if|that|which|so|and|or|at|as|of)\b)[\w-]+ ?){1,5})",
    re.IGNORECASE,
)
# "a way to authenticate"
_WAY = compile_late(r"\b(?:way|means) to (\w{4,})\b", re.IGNORECASE)
_ALL_OF = compile_late(r"^_*(?:ALL|AVAILABLE|BUILTIN|BUILT_IN|DEFAULT|KNOWN|REGISTERED|STANDARD|SUPPORTED)_")
_TO_IES, _TO_ES = compile_late(r"[^aeiou]y$"), compile_late(r"(?:s|x|z|ch|sh)$")  # endings before a plural
# "how do I write a custom target": the verb belongs to the form, and `WriteTargets` does something else.
_WRITES = frozenset({"build", "create", "define", "develop", "implement", "make", "write"})
_OWN = compile_late(r"(?:(?:an?|my|our|your) )?(?:(?:new|own|custom) )*(?:own|custom) ", re.IGNORECASE)
_OF_ONES_OWN = compile_late(r"\s*of (?:my|our|your) own\b", re.IGNORECASE)
_NEW = frozenset({"new", "custom", "another", "own", "additional", "extra"})
# Participles without "-ed", and the verbs of those that base_forms.py leaves out because code means something
# else by them.
_PARTICIPLES = (
    "bound|broadcast|built|chosen|cut|drawn|found|frozen|given|held|hidden|kept|lost|made|overridden"
    "|overwritten|read|rebuilt|resent|rewritten|run|sent|shown|shrunk|split|taken|thrown|undone|unwound|woken"
    "|written"
)
_VERBS = {
    "bound": "bind",
    "found": "find",
    "given": "give",
    "kept": "keep",
    "made": "make",
    "shown": "show",
    "taken": "take",
}
# "how is a password checked", "how is the length of a form computed": functions often have such names. What
# follows an article is no verb: "how is the given path resolved".
_DONE = compile_late(
    r"\bhow (?:is|are|was|were|does|do) ((?:(?:an?|the|each|every|its|this|these) )?"
    r"(?:(?!(?:to|for|in|on|with|from|into|by|when|if|that|which|whose|so|and|or|at|as|of)\b)[\w-]+ ){1,4}?)"
    r"(?:(?:of|in|from|for) (?:[\w'-]+ ){1,4}?)?(?:(?:get|gets|be) )?"
    rf"(\w{{2,}}ed|{_PARTICIPLES})\b",
    re.IGNORECASE,
)
# "what happens when a parcel is sent", "which errors are raised when a depot is opened"
_WHEN_DONE = compile_late(
    r"\b(?:when|if|once|while|after|before) ((?:(?!(?:to|for|in|on|with|from|into|by|when|if|that|which|so"
    r"|and|or|at|as|of|is|are|not|no)\b)[\w-]+ ){1,4}?)"
    r"(?:is|are|was|were|gets?|has been|have been|is being|are being) "
    rf"((?!(?:rais|call|us|ask|need|deriv)ed)\w{{2,}}ed|{_PARTICIPLES})\b",
    re.IGNORECASE,
)
# "which errors can parsing a date raise"
_DOING = compile_late(
    r"\b(?:can|could|may|might|when|while) (\w{2,}ing) "
    r"((?:(?!(?:to|for|in|on|with|from|into|by|when|if|that|which|so|and|or|at|as|of|raise|produce|throw|fail"
    r"|return|cause)\b)[\w-]+ ?){1,4})",
    re.IGNORECASE,
)
# "keeps failing", "makes sure that only one runs", "notices that it is full": what follows is what happens.
_AUXILIARY = compile_late(
    r"\b(?:(?:keeps?|starts?|stops?|begins?|continues?) (?=\w{2,}ing\b)|(?:mak(?:es?|ing)|made) sure\b"
    r"|(?:notices?|reali[sz]es?|finds? out|learns?) (?:that|when|whether|if)\b)",
    re.IGNORECASE,
)
# "how long is it kept": no value of the type `long` is meant.
_DEGREE = compile_late(r"\b(how) (?:long|often|soon|far|big|large|old|fast)\b", re.IGNORECASE)
# "a new kind of rule" is a new rule.
_KIND_OF = compile_late(r"\b(new|own|another|other|custom|different) (?:kind|type|sort)s? of ", re.IGNORECASE)
# "which errors can parsing a date raise": what is asked of what is named in between. In "which error page is
# shown" the word belongs to what is asked about.
_ASKS_ERRORS = compile_late(
    r"\W*(?:what|which) (?:kinds? of )?(?:(?:error|exception|failure|panic)(?:s|"
    r"(?= (?:or|and|can|could|does|do|may|might|will|would|is|are|raised|thrown|returned|caused|produced"
    r"|arises|occurs|happens|come|comes|when|if|for|by|from|in|while)\b)) )"
    r"(?:(?:or|and) (?:errors?|exceptions?|failures?|panics?) )?"
    r"(?:(?:can|could|does|do|may|might|will|would|is|are) )?(?:be )?"
    r"(?:(?:raised?|thrown?|returned|caused|produced?|arises?|occurs?|happens?|comes? up)"
    r" (?:when|if|for|by|from|in|while) )?",
    re.IGNORECASE,
)
_RAISES = compile_late(
    r"\s(?:raise|throw|return|cause|produce|give|yield|report|make|result in|lead to|fail with|end in)s?\W*$",
    re.IGNORECASE,
)
# "the change set of an entity": such a word, which says nothing by itself, begins the name of something.
_BEGINS_NAME = compile_late(
    r"\b(?:an?|the|each|every|which|new|its|another) (change|issue|bug|fix|work|use|question|problem|try"
    r"|actual|expected) (\w{3,})",
    re.IGNORECASE,
)
_PLAIN_NAME = compile_late(r"\b[A-Z][a-z]+\b")
_TOKEN = re.compile(r"[^\W_][\w$]*(?:(?:\.|::|#)\w+)*|_\w+(?:(?:\.|::)\w+)*")
_WORD = re.compile(r"[^\W_]\w*|_\w+")
# No part of a longer number, a date, a version or an address, nor the number of a line or an issue.
_NUMBER = compile_late(
    r"(?<![\w#])(?<!\w[.,:-])(?<!\bline )(?<!\blines )(?<!\bissue )(?<!\bPR )\d{3,}(?!\w|[.,:-]\d)",
    re.IGNORECASE,
)
_get_terms = lru_cache(maxsize=32_768)(get_word_terms)
TEXT_CHARS = 1_000  # from so many on, a text is asked for several words, one after the other
KEPT_STEMS = 100_000  # of the latest texts: some 10 MB
_stems_of_texts: LruCache[str, Sequence[str]] = LruCache(KEPT_STEMS, len)


def find_numbers(text: str) -> frozenset[str]:
    """Return the long numbers of a question that may occur in code, such as a status."""
    return frozenset(_NUMBER.findall(text) if any(map(str.isdecimal, text)) else ())


def list_words(text: str) -> list[str]:
    """Return the words, long numbers and qualified names of a question that may occur in code."""
    kept = _DEGREE.sub(r"\1", _AUXILIARY.sub("", leave_out_light_words(leave_out_kind(text))))
    words = list(dict.fromkeys(word for word in _TOKEN.findall(kept) if len(word) > 1))
    named = {
        first.lower() for first, rest in _BEGINS_NAME.findall(kept) if rest.lower() not in QUESTION_WORDS
    }
    silent = (STOP_WORDS | _QUESTION_WORDS) - named
    telling = [word for word in words if word.lower() not in silent]
    numbers = find_numbers(kept)
    return [word for word in telling if not word.isdigit() or word in numbers] or telling or words


def tells_something(text: str) -> bool:
    """Return True for a text with a word that does more than to form a question."""
    silent = STOP_WORDS | _QUESTION_WORDS | _PRONOUNS
    words = _TOKEN.findall(_DEGREE.sub("", text))
    return any(word.lower() not in silent for word in words if len(word) > 1)


def leave_out_kind(text: str) -> str:
    """Return a text with "a new kind of rule" as "a new rule"."""
    return _KIND_OF.sub(r"\1 ", text)


def leave_out_form(text: str) -> str:
    """Return a question about errors without the words that only ask for them; any other text as it is."""
    asked = _ASKS_ERRORS.match(text)
    return text if asked is None else _RAISES.sub("", text[asked.end() :]) or text


def list_base_forms(words: Sequence[str]) -> list[str]:
    """Return the base forms of irregular words, as code has them: `write` for "written"."""
    forms = dict.fromkeys(find_base_form(word) for word in words)
    return [form for form in forms if form]


def asks_to_extend(text: str) -> bool:
    """Return True for a question that asks where or how to add something new."""
    return _EXTENDS.search(text) is not None


@dataclass(frozen=True, slots=True)
class Action:
    """The verb and the nouns of a question such as "how do I register a custom lookup", in lower case."""

    verb: str
    nouns: tuple[str, ...]  # without "new", "custom" and the like
    is_kind: bool = False  # no function is named after it: the noun does something, or the verb adds it


def find_action(text: str) -> Action | None:
    """Return the action that a question such as "how do I ..." asks for; None for one of another form."""
    found, way = _ACTION.search(leave_out_kind(text)), _WAY.search(text)
    if found is not None and way is not None:  # a way to authenticate is an authenticator
        return Action(found[1].lower(), (f"{way[1].lower().removesuffix('e')}{_find_agent(way[1])}",), True)
    nouns = _list_nouns(found[2]) if found is not None else ()
    if found is None or not nouns:
        return None
    is_own = _OWN.match(found[2]) is not None or _OF_ONES_OWN.match(text, found.end()) is not None
    return Action(found[1].lower(), nouns, is_own and found[1].lower() in _WRITES)


def _find_agent(verb: str) -> str:
    """Return the ending that makes a verb the name of whoever does it: `serializer`, `validator`."""
    return "or" if re.search(r"(?:at|ct|it|ss)e?$", verb, re.IGNORECASE) else "er"


def name_agent(deed: str) -> str | None:
    """Return what does a deed: `versioner` for "versioning"; None for a word that names no deed."""
    verb = deed.removesuffix("ing")
    return None if verb == deed or len(verb) < LEAST_STEM else f"{verb}{_find_agent(verb)}"


def find_described_action(text: str) -> Action | None:
    """Return the action in a question such as "how is a password checked", its verb as a stem.

    What happens, or fails, when it is checked is the same action.

    Return None for a question of another form.
    """
    done, doing = _DONE.search(text) or _WHEN_DONE.search(text), _DOING.search(text)
    if done is None and doing is None:
        return None
    verb, nouns = (doing[1], doing[2]) if doing is not None else (done[2], done[1]) if done else ("", "")
    words = _list_nouns(nouns)
    is_named = verb.lower() not in _QUESTION_WORDS
    return Action(_stem(find_verb(verb)), words) if words and is_named else None


def find_verb(word: str) -> str:
    """Return the verb of which a word is a form, "find" for "found"; the word itself if it is none."""
    return _VERBS.get(word.lower()) or find_base_form(word) or word


def _list_nouns(text: str) -> tuple[str, ...]:
    words = (word.lower() for word in _WORD.findall(text))
    return tuple(word for word in words if word not in STOP_WORDS | _NEW)


def is_named_after(name: str, action: Action) -> bool:
    """Return True if something of this name is named after the subject of a question.

    The name is the last noun, or a constant that `names_kind` accepts, or one that `names_action` accepts.
    """
    if name.lower() == action.nouns[-1] or names_kind(name, action.nouns):
        return True
    return names_action(name, action)


def names_kind(name: str, nouns: Sequence[str]) -> bool:
    """Return True for the name of a constant that consists of all the nouns, or is the plural of the last.

    It may say that these are all of them: `ALL_MODULES`.
    """
    if not name.isupper():
        return False
    whole = _ALL_OF.sub("", name) or name
    return whole.lower() == spell_plural(nouns[-1]) or count_words(whole) == len(nouns) == shares_word(
        whole, nouns
    )


def spell_plural(noun: str) -> str:
    """Return a regular plural: `policies` for "policy", `filters` for "filter"."""
    if _TO_IES.search(noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if _TO_ES.search(noun) else f"{noun}s"


def names_action(name: str, action: Action) -> bool:
    """Return True if a name consists of the verb, the last noun and at most one more word."""
    words = (action.verb, action.nouns[-1])
    return shares_word(name, words) == len(words) and count_words(name) <= len(words) + 1


def count_words(name: str) -> int:
    """Return the number of words in a name."""
    return len(_get_terms(name)[1:]) or 1  # the first term is the whole name


def lower_plain_names(text: str) -> str:
    """Return a text with its plain capitalised words in lower case.

    Such words begin sentences or name products. A class with such a name is still found, as a word.
    """
    return _PLAIN_NAME.sub(lambda match: match[0].lower(), text)


def _stem(word: str) -> str:
    """Return the shortest of the terms of a word, which is its stem, or the first term of a compound word."""
    terms = _get_terms(word)
    # Of equal ones the last: the stem of "policy" is `polici`.
    return min(reversed(terms), key=len, default=word.lower()) if len(terms) <= 2 else terms[0]


def _list_stems(name: str) -> Sequence[str]:
    """Return the stems of the words of a name or a text, sorted."""
    words = dict.fromkeys(_WORD.findall(name))
    return sorted({term for word in words for term in _get_terms(word)})


def _has(stems: Sequence[str], wanted: str) -> bool:
    """Return True if sorted stems have one or one like it: the shorter of two begins the longer."""
    at = bisect_left(stems, wanted)
    if _holds(stems, wanted, at) or len(wanted) < LEAST_STEM:
        return _holds(stems, wanted, at)
    least = max(LEAST_STEM, len(wanted) - MOST_ENDING)
    if any(_holds(stems, short, bisect_left(stems, short)) for short in _iter_begins(wanted, least)):
        return True
    longer = takewhile(lambda one: one.startswith(wanted), islice(stems, at, None))
    return any(len(one) <= len(wanted) + MOST_ENDING for one in longer)


def _holds(stems: Sequence[str], wanted: str, at: int) -> bool:
    return at < len(stems) and stems[at] == wanted


def _iter_begins(word: str, least: int) -> Iterator[str]:
    """Yield the beginnings of a word, of `least` characters and more, without the whole word."""
    return (word[:length] for length in range(least, len(word)))


def shares_word(name: str, words: Sequence[str]) -> int:
    """Return how many of the words occur in a name."""
    return len(list_shared(name, words))


def list_shared(name: str, words: Sequence[str]) -> list[str]:
    """Return those of the words that occur in a name."""
    if len(name) < TEXT_CHARS:
        own = _list_stems(name)
    else:
        own = _stems_of_texts.get(name, partial(_list_stems, name))
    return [word for word in words if _has(own, _stem(word))]


def names_rather(own: str, other: str, asked: Sequence[str], held: Collection[str]) -> bool:
    """Return True if a name has a word of a question that neither another name nor `held`, its terms, has."""
    named = (word for word in asked if shares_word(own, (word,)) and not shares_word(other, (word,)))
    return any(all(term not in held for term in _get_terms(word)) for word in named)
