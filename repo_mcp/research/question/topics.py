"""Find what a part of a question is about, and give it to a later part that has only a pronoun. Pure.

    "How is a session stored", "when is it forgotten"       -> "when is a session forgotten"
    "How does a client keep a token", "when is it renewed"  -> "when is a token renewed"

Nothing here knows which words are verbs: a verb is what stands before an article, a preposition or the end,
behind a word that may be a noun.
"""

from __future__ import annotations

import re

from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import OF_WORDS, parse_question
from repo_mcp.research.question.phrase_names import looks_like_name
from repo_mcp.text.question_words import list_words, shares_word, tells_something

MOST_WORDS = 5  # of a topic
FEW_WORDS = 2  # a part with at most so many words of its own is asked of the topic
_AUXILIARY = (
    "is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must|may|might|gets?|be|been|being"
)
_OPENING = re.compile(
    r".*?\b(?:"
    r"what (?:happens|becomes|changes)(?: (?:when|if|to|of|with|after|before|while|once|in|during))?"
    rf"|(?P<asks>how|when|where|why|what|which|who|whom|whose)\b"
    rf"(?: (?P<between>[\w'-]+(?: [\w'-]+){{0,4}}?))?? (?P<verb>{_AUXILIARY})"
    r"|(?:(?:what|which)(?: [\w-]+)?|who) \w+s"
    r"|(?:how|where|when)(?: to \w+)?"
    r") ",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(rf"(?P<verb>{_AUXILIARY}) ", re.IGNORECASE)
_DEGREE = re.compile(r"(?:often|long|many|much|far|fast|soon|big|large|old|deep|quickly|exactly|else)\b")
_ENDS = frozenset(
    """
    is are was were does do did has have had can could will would should must may might gets get be been being
    in on at to for from with into by as between through over under after before during without within via per
    against about onto off out up down across until when if while once that which whose who so and or but
    because than then not never only ever whether what how where why back away again already first next last
    always still
    """.split()  # noqa: SIM905
)
_ARTICLES = frozenset(
    """
    a an the each every any some all my our your its their his her this that these those no another several
    many few multiple two three both
    """.split()  # noqa: SIM905
)
_NAMES_KIND = frozenset(("what", "which", "whose"))  # "which errors can parsing a date raise"
_PERSONS = frozenset(("i", "we", "you", "one", "someone", "somebody"))
_IRREGULAR = frozenset(
    """
    bound broadcast built chosen cut drawn found frozen given held hidden kept lost made overridden read
    rebuilt run sent set shown split taken thrown undone woken written put done told known left
    """.split()  # noqa: SIM905
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|gets?|be|been|being)\b", re.IGNORECASE)
_TOKEN = re.compile(r"[\w$@](?:[\w$.:#@/'-]*[\w$])?(?:\(\))?|[^\w\s]")
_OWN = r"(?P<own>its|their)"
# A pronoun that stands for the topic. "This" and its kin do only before a verb or the end.
_PRONOUN = re.compile(
    rf"\b(?:{_OWN}|it|they|them|(?:this|that|these|those|each|both|one)"
    rf"(?=\W*$| (?:happens?|works?|runs?|{_AUXILIARY})\b| \w+ed\b(?! \w+(?:s|er)\b)))\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"they|them|their|these|those|both", re.IGNORECASE)
# What is asked of the function that answers the first part, rather than of what that is about.
_OF_FUNCTION = re.compile(
    r"\b(?:calls?|called|invokes?|invoked|uses?|used|runs?|run|executed?|tests?|tested|covers?|covered)\b",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(r"what(?:'s| is| are) an? ", re.IGNORECASE)  # "what is a lease" asks of no other thing
_SYMBOL_FORMS = frozenset({Form.CALLERS, Form.CALLEES, Form.DEPENDENTS, Form.TESTS, Form.IMPLEMENTATIONS})


@dataclass(frozen=True, slots=True)
class Topic:
    """Name what a part of a question is about."""

    subject: str = ""  # "a client" in "how does a client keep a token"
    other: str = ""  # "a token"; "" if there is no verb with an object
    name: str = ""  # of the symbol that answers the part, or that it names
    words: str = ""  # of the part, for want of a subject


def find_topic(part: str) -> Topic:
    """Return what a part of a question is about; a topic of empty texts if that cannot be told."""
    parsed = parse_question(part)[0]
    is_event = parsed.form is Form.CALLERS and not any(looks_like_name(one.text) for one in parsed.phrases)
    if parsed.form not in (Form.OPEN, *OF_WORDS) and parsed.phrases and not is_event:
        named = " and ".join(one.text for one in parsed.phrases if one.text)
        if len(named.split()) <= MOST_WORDS or parsed.form is Form.DIFFERENCE:
            return Topic(named)
    opening = _YES_OR_NO.match(part) or _OPENING.match(f"{part} ")
    if opening is None:
        return Topic()
    topic = _read_clause(opening, _TOKEN.findall(part[opening.end() :]))
    if _PRONOUN.fullmatch(topic.subject):  # what it stands for was said before
        subject, _ = _take_noun(_TOKEN.findall(part[: opening.start(0)] or part), ends_at_verb=True)
        return Topic("" if _PRONOUN.fullmatch(subject) else subject)
    return topic


def _read_clause(opening: re.Match[str], tokens: list[str]) -> Topic:
    """Return the topic of a question, given its opening and what follows that."""
    groups = opening.groupdict()
    between = groups.get("between") or ""
    is_passive = groups["verb"] is not None and _PASSIVE.fullmatch(groups["verb"]) is not None
    if between and not _DEGREE.match(between) and (is_passive or groups["asks"].lower() not in _NAMES_KIND):
        return Topic(between)
    if tokens and _PRONOUN.fullmatch(tokens[0]):
        return Topic(tokens[0])
    if tokens and tokens[0].lower() in _PERSONS:  # "do I add a rule"
        return Topic(_take_noun(tokens[2:], ends_at_verb=False)[0])
    if len(tokens) > 1 and tokens[0].lower().endswith("ing"):  # "can parsing a date raise"
        tokens = tokens[1:]
    subject, rest = _take_noun(tokens, ends_at_verb=not is_passive)
    if groups["verb"] and not is_passive and len(rest) == 1 and _is_plural(rest[0]) and " " in subject:
        return Topic(subject.rpartition(" ")[0], rest[0])  # "does a client keep tokens": no verb ends so
    other = "" if is_passive else _take_noun(_skip_verb(rest), ends_at_verb=False)[0]
    other = "" if other.partition(" ")[0].endswith("ing") else other  # "avoid taking on too much"
    return Topic(subject, other or ("" if _DEGREE.match(between) else between))


def _take_noun(tokens: list[str], *, ends_at_verb: bool) -> tuple[str, list[str]]:
    """Return the words of tokens up to a verb or a preposition, and the other tokens."""
    taken: list[str] = []
    nouns = 0
    for at, token in enumerate(tokens):
        low = token.lower()
        joins = low == "of" and nouns > 0
        if not joins and (not re.match(r"[\w$@]", token) or low in _ENDS):
            break
        if nouns and not joins and taken[-1].lower() != "of":
            is_verb = ends_at_verb and _is_verb(tokens, at)
            is_full = len(taken) > MOST_WORDS or low.endswith("ly")
            if low in _ARTICLES or _is_participle(low) or is_verb or is_full:
                break
        taken.append(token)
        nouns += low not in _ARTICLES and not joins
    return (" ".join(taken) if nouns else ""), tokens[len(taken) :]


def _is_participle(word: str) -> bool:
    return (word.endswith("ed") and len(word) > 4) or word in _IRREGULAR


def _is_verb(tokens: list[str], at: int) -> bool:
    """Return True for a token with an article, a preposition, a participle or the end behind it."""
    following = tokens[at + 1].lower() if at + 1 < len(tokens) else ""
    if following == "of" or re.fullmatch(_AUXILIARY, following):
        return False
    return not re.match(r"[\w$@]", following) or (
        following in _ENDS or following in _ARTICLES or _is_participle(following) or following.endswith("ing")
    )


def _skip_verb(tokens: list[str]) -> list[str]:
    """Return tokens behind a verb; none if a preposition or another clause follows it."""
    return tokens[1:] if tokens and tokens[0].lower() not in _ENDS else []


def has_pronoun(part: str) -> bool:
    """Return True for a part with a pronoun that may stand for what the part before is about."""
    return _PRONOUN.search(part) is not None


def refer_back(part: str, topic: Topic) -> str:
    """Return a part of a question with what it is about, where it has only a pronoun or few words."""
    pronoun = _PRONOUN.search(part)
    if pronoun is None or (pronoun["own"] and tells_something(part[: pronoun.start()])):
        return _name_topic(part, topic)
    parsed = parse_question(part)[0]
    asks_of = parsed.form in _SYMBOL_FORMS and _PRONOUN.fullmatch(parsed.phrases[-1].text or "it")
    if topic.name and asks_of and _OF_FUNCTION.search(part):
        return _put(part, pronoun, topic.name)
    chosen, other = _choose(part, pronoun[0], topic)
    if not chosen:
        return f"{part} ({topic.words})" if topic.words else part
    put = _put(part, pronoun, chosen)
    named = parse_question(put)[0].form is not Form.OPEN
    return put if named or not other else f"{put} ({_leave_out_articles(other)})"


def _name_topic(part: str, topic: Topic) -> str:
    """Return a part without a pronoun; if it has few words of its own, with the topic behind them.

    A part that asks of a setting, code or a thing of its own is asked as it is. So is one that asks where
    something is, if the topic is a name of code: the answer would be where that is declared.
    """
    form = parse_question(part)[0].form
    words = list_words(part)
    is_said = shares_word(topic.subject, words) > 0
    has_own = form in _SYMBOL_FORMS or form is Form.CONFIGURED or _WHAT_IS.match(part) is not None
    asks_where = form is Form.DEFINED and _names_code(topic.subject)
    if has_own or _names_code(part) or asks_where or not topic.subject or is_said or len(words) > FEW_WORDS:
        return part
    return f"{part} for {topic.subject}"


def _names_code(text: str) -> bool:
    return any(map(looks_like_name, _TOKEN.findall(text)))


def _choose(part: str, pronoun: str, topic: Topic) -> tuple[str, str]:
    """Return what a pronoun stands for, and what else the topic names.

    What is done to something is done to the object: a token is forgotten, and a client forgets.
    """
    if not topic.other:
        return topic.subject, ""
    several = _SEVERAL.fullmatch(pronoun) is not None
    subject_fits, other_fits = (_is_plural(one) is several for one in (topic.subject, topic.other))
    takes_other = other_fits and (not subject_fits or _PASSIVE.search(part) is not None)
    return (topic.other, topic.subject) if takes_other else (topic.subject, topic.other)


def _is_plural(text: str) -> bool:
    last = text.partition(" of ")[0].rpartition(" ")[2]
    return last.endswith("s") and not last.endswith("ss")


def _put(part: str, pronoun: re.Match[str], text: str) -> str:
    """Return a part with a text in the place of a pronoun."""
    if pronoun["own"]:
        text = f"{text}'s" if re.match(r"(?:the|an?|every|each) ", text) else f"the {text}'s"
    return f"{part[: pronoun.start()]}{text}{part[pronoun.end() :]}"


def _leave_out_articles(text: str) -> str:
    return " ".join(word for word in text.split() if word.lower() not in _ARTICLES)
