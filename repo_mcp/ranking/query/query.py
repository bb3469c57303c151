"""Parses free text into a query. Nothing that a client types raises; parts that cannot be used give warnings.

Words rank, and all of them are optional. On top of that:

    "an exact phrase"   the live text must hold it, ignoring case and white space; one quoted word among
                        others is an ordinary word, as in the messages of errors
    +word  -word        must occur, must not occur
    sym:name            must be defined there
    path:part           the path must contain it, ignoring case
    lang:name           the file's language

`symbol:`, `file:`, `filename:` and `language:`, as code hosts have them, mean the same before a plain name;
`repo:` means the one repository that there is.

Text of several lines, or of more than STORY_WORDS words, is taken as pasted: it has no operators, and what
forms ask of everybody is taken out (pasted_text.py). English words that say nothing about code (`how`, `the`)
do not rank when there are others.

Anything else is text: brackets, operators, lone quotes, `std::vector<int>`. A `+` or `-` counts only at the
start of a word that begins with a letter or underscore, so that `--flag` and `->` stay text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from itertools import chain

from repo_mcp.languages.patterns.language_registry import name_language
from repo_mcp.ranking.query.clues import find_title
from repo_mcp.ranking.query.intent import NameKind, understand
from repo_mcp.ranking.query.pasted_text import read_pasted
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import analyse_text, get_word_terms
from repo_mcp.text.base_forms import find_base_form
from repo_mcp.text.lines import unify_line_ends
from repo_mcp.text.stop_words import FUNCTION_WORDS
from repo_mcp.text.word_families import list_stand_ins, list_synonyms

_QUERY_PART = re.compile(
    r'(?P<phrase>"[^"\n]*")'
    r"|(?:(?<=\s)|^)(?P<prefix>path|lang|sym):(?P<value>[^\s\"]+)"
    r"|(?:(?<=\s)|^)(?P<alias>-?(?:symbol|file|filename|language|repo)|-path):(?P<named>[\w.*/-]+)(?=\s|$)"
    r"|(?:(?<=\s)|^)(?P<sign>[+-])(?P<word>[^\W\d]\w*)(?=\s|$)"
    r"|(?P<text>[^\s\"]+|\")"
)
_WORD = re.compile(r"\w+")
MAX_TERMS = 64  # distinct ranking terms; an issue of 500 words has about 250, and the first say most
BASE_WEIGHT = 1.0  # of the stem of `validate` beside that of "validated"
SYNONYM_WEIGHT = 0.3  # of a term that a question was widened by, beside one of its own
BELOW_TITLE_WEIGHT = 0.5  # of a term of pasted text, beside one of its title
CODE_WEIGHT = 0.2  # of one that stands only in its code
MOST_WIDENED_SHARE = 0.05  # of the units; commoner words cost half the time of widening, and give nothing
MOST_WIDENED_UNITS = 40  # at least, for small indexes
MOST_RUN_WORDS = 6  # of a query in which runs of words are looked for within names
_ALIASES = {"symbol": "sym", "file": "path", "filename": "path", "language": "lang"}
LEAST_WORDS = 4  # of a question: fewer are read as names
STORY_WORDS = 40  # a longer query, or one of several lines, has no operators


@dataclass(slots=True)
class Query:
    """A parsed query. Terms are distinct, in the order of the text."""

    terms: list[str] = field(default_factory=list)  # that rank
    text: str = ""  # that ranks, as written; names are looked for in it
    is_pasted: bool = False  # an issue, a traceback, the message of a commit
    code: str = ""  # of pasted text, what stands in fences: the end of `text`
    required: list[tuple[str, ...]] = field(default_factory=list)  # the terms of each word; all must occur
    excluded: list[tuple[str, ...]] = field(default_factory=list)  # words that must not occur
    symbols: list[tuple[str, ...]] = field(default_factory=list)  # terms of words that must be defined
    coded: list[str] = field(default_factory=list)  # terms that must occur outside comments and docstrings
    phrases: list[str] = field(default_factory=list)
    path_parts: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)  # of terms that count less than the others
    title: frozenset[str] = frozenset()  # the terms in the title of pasted text
    names: tuple[str, ...] = ()  # terms behind the query's own: names that its words may stand for
    synonyms: tuple[str, ...] = ()  # the last terms, by which a question was widened
    bases: dict[str, str] = field(default_factory=dict)  # of these, the stems of verbs, and the verbs

    @property
    def own_count(self) -> int:
        """Return the number of the terms that stand in the query itself."""
        return len(self.terms) - len(self.names) - len(self.synonyms)

    @property
    def is_name(self) -> bool:
        """Return whether the query is one name and nothing else: its declaration is wanted."""
        return understand(self.text, self.code).asked is not None

    @property
    def names_units(self) -> bool:
        """Return True when it says what a unit must have."""
        return bool(self.required or self.symbols or self.coded)

    @property
    def has_other_words(self) -> bool:
        """Return True when there are ranking words outside the phrases."""
        return len(self.text.split()) > sum(len(phrase.split()) for phrase in self.phrases)


def parse_query(
    text: str, max_words: int, read_template: Callable[[], Collection[str]] = frozenset[str]
) -> Query:
    """Return the query that a text means. Words beyond `max_words` are cut, with a warning.

    `read_template` is called for pasted text, and returns the words of the repository's
    templates for reports.
    """
    query = Query()
    words: list[str] = []
    text = unify_line_ends(text)
    parts = list(_QUERY_PART.finditer(text))
    query.is_pasted = _is_pasted(text, parts)
    if query.is_pasted:
        read = read_pasted(text, read_template)
        text = read.text
        parts = list(_QUERY_PART.finditer(text))
    if len(parts) > max_words:
        query.warnings.append(f"The query has {len(parts)} words; the first {max_words} were used.")
    if query.is_pasted:
        kept = text[: parts[:max_words][-1].end()]
        query.code = kept[len(read.prose) :].lstrip()
        title = find_title(kept) if kept.removesuffix(query.code).strip() else None
        query.title = frozenset(analyse_text(title or ""))
        words.append(kept)
    else:
        for part in parts[:max_words]:
            _take_part(query, words, part, alone=len(parts) == 1)
    terms = list(dict.fromkeys(analyse_text(" ".join(_list_informative(words)))))
    if len(terms) > MAX_TERMS and not query.is_pasted:  # of pasted text, the first are meant to be enough
        query.warnings.append(f"The query has {len(terms)} distinct terms; the first {MAX_TERMS} were used.")
    query.terms = terms[:MAX_TERMS]
    query.text = " ".join(words)
    if not query.terms:
        query.warnings.append("The query has no word that can be ranked.")
    return query


def widen(
    query: Query,
    count_units: Callable[[str], int],
    unit_count: int,
    list_holding: Callable[[str], Sequence[str]] = lambda _part: (),
) -> Query:
    """Return a query with what else to look for behind its own terms.

    Names, as far as the index has them: those that adjacent words make up (`work queue` -> work_queue), and
    other spellings of words that are shaped like names; and names with a run of words within them, which
    `list_holding` gives (`out of order` -> ErrOutOfOrder). Then, for a question, the stems of words of a
    similar meaning, with less weight: names, short queries and pasted text mean what they say. A word that
    many of the `unit_count` units hold, by `count_units`, brings none, since the code uses it itself; one
    that none holds brings what programs call it. What pasted text says below its title counts less, except
    for names, and what it says only in code least.
    """
    kinds = dict(understand(query.text, query.code).names)
    known = frozenset(query.terms)
    wanted = (name for name, kind in kinds.items() if kind in (NameKind.JOINED, NameKind.SHAPED))
    held = chain.from_iterable(map(list_holding, list_runs(query.text)))
    found = chain(filter(count_units, wanted), held)
    names = tuple(name for name in dict.fromkeys(found) if name not in known)
    prose = query.text.removesuffix(query.code)
    weights: dict[str, float] = {}
    synonyms: tuple[str, ...] = ()
    bases: dict[str, str] = {}
    if query.title or (query.code and prose.strip()):
        in_prose = frozenset(analyse_text(prose))
        in_title = query.title or in_prose
        below = (
            term for term in query.terms if term not in in_title and kinds.get(term) is not NameKind.SHAPED
        )
        weights = {term: BELOW_TITLE_WEIGHT if term in in_prose else CODE_WEIGHT for term in below}
    elif "\n" not in query.text.strip() and LEAST_WORDS <= len(query.text.split()) <= STORY_WORDS:
        weights = dict.fromkeys(_list_similar(query.terms, count_units, unit_count), SYNONYM_WEIGHT)
        bases = _list_base_stems(query.text)
        weights |= dict.fromkeys(bases, BASE_WEIGHT)
        for term in (*query.terms, *names):
            weights.pop(term, None)
        synonyms = tuple(weights)
    return replace(
        query,
        terms=[*query.terms, *names, *synonyms],
        weights=weights,
        names=names,
        synonyms=synonyms,
        bases=bases,
    )


def list_runs(text: str) -> list[str]:
    """Return what three words in a row become in a name if the middle one says nothing alone.

    Of `out of order`, two words do not rank, and the third is common. Only few words are looked at: a longer
    text has such runs everywhere.
    """
    words = [word.lower() for word in _WORD.findall(text)]
    rows = zip(words, words[1:], words[2:], strict=False) if len(words) <= MOST_RUN_WORDS else ()
    return ["".join(row) for row in rows if row[1] in FUNCTION_WORDS and not {row[2]} & FUNCTION_WORDS]


def _list_base_stems(text: str) -> dict[str, str]:
    """Return the stem of each base form to which the stemmer does not lead from a word, and that form."""
    bases = filter(None, map(find_base_form, _WORD.findall(text)))
    return {get_word_terms(base)[-1]: base for base in bases}


def _list_similar(terms: Sequence[str], count_units: Callable[[str], int], unit_count: int) -> Iterator[str]:
    """Return the stems of words of similar meaning to those terms that are not too common."""
    most = max(MOST_WIDENED_UNITS, MOST_WIDENED_SHARE * unit_count)
    rare = [term for term in terms if count_units(term) <= most]
    return chain.from_iterable(
        list_synonyms(term) if count_units(term) else list_stand_ins(term) for term in rare
    )


def _is_pasted(text: str, parts: Sequence[re.Match[str]]) -> bool:
    """Return True for pasted text, such as an issue or a traceback: its quotes and `+`/`-` mean nothing."""
    return len(parts) > STORY_WORDS or (len(parts) > 0 and "\n" in text.strip())


def _list_informative(words: list[str]) -> list[str]:
    """Return the distinct words that carry meaning, or all words when none does."""
    single = dict.fromkeys(chain.from_iterable(map(_WORD.findall, words)))
    return [word for word in single if word.lower() not in FUNCTION_WORDS] or list(single)


def _take_part(query: Query, words: list[str], part: re.Match[str], *, alone: bool) -> None:
    """Add one part of the text to the query; ranking words go to `words`."""
    phrase, prefix, sign = part["phrase"], part["prefix"], part["sign"]
    if phrase is not None:
        inner = " ".join(phrase[1:-1].split())
        words.append(inner)
        if " " in inner or (inner and alone):
            query.phrases.append(inner)
    elif prefix is not None:
        _take_filter(query, words, prefix, part["value"])
    elif part["alias"] is not None:
        _take_alias(query, words, part["alias"], part["named"])
    elif sign == "+":
        query.required.append(tuple(analyse_text(part["word"])))
        words.append(part["word"])
    elif sign == "-":
        query.excluded.append(tuple(analyse_text(part["word"])[:1]))
    else:
        words.append(part["text"])


def _take_alias(query: Query, words: list[str], alias: str, value: str) -> None:
    if alias in _ALIASES:
        _take_filter(query, words, _ALIASES[alias], value)
    elif alias in ("-file", "-filename", "-path"):
        query.warnings.append(f"{alias}: is not an operator; file_glob `!*{value}*` leaves such files out.")
    elif alias != "repo":
        query.warnings.append(f"{alias}: is not an operator, so it was ignored.")


def _take_filter(query: Query, words: list[str], prefix: str, value: str) -> None:
    if prefix == "path":
        query.path_parts += filter(None, value.lower().split("*"))
    elif prefix == "lang":
        language = name_language(value)
        if language is None:
            query.warnings.append(f"lang:{value}: no built-in language is called so.")
        query.languages.append(language or value.lower())
    else:
        query.symbols.append(tuple(analyse_text(value)))
        words.append(value)
