"""Gather the names and terms of a prompt and the index's hits for them, before any file is opened.

A pasted prompt is read as a search reads it (`repo_mcp/ranking/query/pasted_text.py`). Terms are weighed by
their kind and rarity, and count less if the prompt has them in pasted code alone.

Candidates are the files that a bundle may quote: those that the prompt names, then the others in the order of
the search.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import islice

from repo_mcp.blocks.named_modules import find_leading_folder, is_below, is_of_module
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.weights import Weights
from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.query.clues import Clue, ClueKind, find_title, join_words, parse_prompt, split_symbol
from repo_mcp.ranking.query.mentions import Mention, number_frames, resolve_mentions
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.ranking.query.report_noise import drop_written, read_template, read_words
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.ranking.scoring.searcher import Ranking
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.base_forms import list_other_forms
from repo_mcp.text.idioms import leave_out_light_words, list_plain_terms
from repo_mcp.text.product_name import is_one_sentence, leave_out_product
from repo_mcp.text.roles import FileRole, find_role
from repo_mcp.text.stop_words import ASKING_WORDS, FUNCTION_WORDS, QUESTION_WORDS
from repo_mcp.text.word_families import list_stand_ins, list_synonyms

MAX_WORDS = 1_000  # of the prompt
MAX_NAMES = 12  # of the prompt, whose declaring files are looked up
MAX_NAME_CHARS = 128
MAX_DECLARING = 4  # files or blocks; a name that more of them declare says little about each
MAX_DECLARING_FRAME = 50  # files that declare the method of a frame, of which its type chooses
MAX_DECLARING_COMMON = 300  # files that declare a name, of which a module chooses
SOLE_WORDS = 2  # in a prompt of at most this many words, each is read as a name
SELF_NAMES = frozenset(("self", "this", "cls", "super"))

_MARKED = compile_late(r"`([A-Za-z_$][\w$]*)(?:\(\))?`")
_WORD = re.compile(r"[^\W\d]\w*")

UNKNOWN_SHARE = 10  # a term that is nowhere is taken to be in every tenth unit
MAX_JOINED_NAMES, MAX_JOINED_WORDS = 8, 200
MAX_WIDENED = 40  # to a prompt of at most so many terms synonyms are added; a longer one has words enough
WEIGHT_DECIMALS = 6  # so that weights are equal on every machine
SCORE_DECIMALS = 6

# prompt -> names that it seems to mean, and warnings about adapters that failed
HintFinder = Callable[[str], tuple[tuple[str, ...], tuple[str, ...]]]


def find_no_hints(_prompt: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return no names and no warnings: without an installed adapter, nothing adds names to a prompt."""
    return (), ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may come into the bundle."""

    path: str
    share: float  # its search score as a share of the best one; more if the prompt names it
    hit: int | None  # number of its first hit in the search, from 1; None: it has none
    mentions: tuple[Mention, ...] = ()  # clues of the prompt that name it
    may_declare: bool = False  # a name of the prompt


def list_candidates(
    chunks: Sequence[RankedChunk], mentions: Sequence[Mention], weights: Weights, *, is_shown: bool = True
) -> tuple[Candidate, ...]:
    """Return the files of the ranked chunks and those that the prompt names, best first, ties by path.

    `is_shown` tells whether a search for the prompt would show the chunks in this order.
    """
    best = chunks[0].score if chunks else 0.0
    hits: dict[str, int] = {}
    for number, chunk in enumerate(chunks, 1):
        hits.setdefault(chunk.path, number)
    shares = {path: chunks[hit - 1].score / best if best > 0.0 else 0.0 for path, hit in hits.items()}
    named = _rate_mentions(mentions, weights)
    found = [
        Candidate(
            path,
            round(shares.get(path, 0.0) + named.get(path, 0.0), SCORE_DECIMALS),
            hits.get(path) if is_shown else None,
            tuple(one for one in mentions if one.path == path),
        )
        for path in {**shares, **named}
    ]
    return tuple(sorted(found, key=lambda one: (-one.share, one.path.encode())))


def _rate_mentions(mentions: Sequence[Mention], weights: Weights) -> dict[str, float]:
    """Return the share that each file gets by its best mention, by path."""
    frames = number_frames(mentions)
    shares: dict[str, float] = {}
    for mention in mentions:
        value = weights.mention * weights.next_frame ** frames.get(mention.clue, 0)
        shares[mention.path] = max(shares.get(mention.path, 0.0), value * mention.share)
    return shares


@dataclass(frozen=True, slots=True)
class SearchTried:
    """One search and the size of its result."""

    name: str  # "prompt" or "symbol NAME"
    query: str  # what was searched for
    hits: int  # chunks that matched; of a symbol, files
    files: int  # files that became candidates


@dataclass(frozen=True, slots=True)
class Evidence:
    """The clues of a prompt and of the index, known before any file is opened."""

    prompt: str  # without text that carries no information
    clues: tuple[Clue, ...]
    names: Mapping[str, float]  # names of declarations, qualified by dots -> how surely they are meant
    mentions: tuple[Mention, ...]
    term_weights: Mapping[str, float]
    ranking: Ranking
    candidates: tuple[Candidate, ...]  # best first
    searches: tuple[SearchTried, ...]
    warnings: tuple[str, ...]  # about adapters that gave no hints because they failed
    title: frozenset[str] = frozenset()  # terms of the title of pasted text
    folder: str = ""  # that the prompt begins with, before a colon


def gather_evidence(
    asked: str, source: BlockSource, find_hints: HintFinder, weights: Weights, *, include_tests: bool = True
) -> Evidence:
    """Read what is asked, and search for its text and its names. Raises IndexFormatError, OSError."""
    read_own = partial(read_template, source.find_paths, lambda path: "\n".join(source.read(path).lines))
    if is_one_sentence(asked):
        asked = leave_out_product(asked, lambda path: source.read(path).lines)
    query = parse_query(asked, MAX_WORDS, read_own)
    prompt = query.text if query.is_pasted else asked
    says_plainly = query.is_pasted or not weights.plain
    clues = parse_prompt(prompt if says_plainly else leave_out_light_words(prompt))
    if not query.is_pasted:
        clues += find_light_names(prompt, clues, source.count_units)
    hints, warnings = find_hints(prompt)
    known = {clue.text for clue in clues if clue.kind is ClueKind.SYMBOL}
    clues += tuple(Clue(ClueKind.SYMBOL, name) for name in hints if name not in known)
    prose = drop_written(prompt.removesuffix(query.code)) if query.is_pasted else prompt
    clues += find_joined(prose, source.count_units) if weights.joined_term else ()
    mentions = tuple(_iter_mentions(clues, source, include_tests=include_tests))
    title = (find_title(prompt) or "") if query.is_pasted else None
    mentions = tuple(one for one in mentions if _is_wanted(one, title, include_tests=include_tests))
    prose_words = frozenset(read_words(prose).split())
    pasted = frozenset(clue for clue in clues if not is_in_prose(clue, prose_words))
    plain = () if says_plainly else list_plain_terms(prompt)
    term_weights = weigh_clues(clues, source.count_units, source.unit_count, weights, pasted, plain)
    # A frame leads to its function by its line. Other declarations only happen to have its name.
    followed = {one.clue.name for one in mentions}
    wanted = [clue for clue in clues if clue not in pasted or clue.text not in followed]
    names = list_names(prompt, wanted, weights, pasted)
    ranking = source.rank(query, include_tests)
    # A search for the prompt shows other hits if it is restricted to a phrase.
    found = list_candidates(ranking.chunks, mentions, weights, is_shown=not query.phrases)
    folder = find_leading_folder(prompt, source.find_paths)
    if any(is_below(one.path, folder) for one in found):
        found = _put_others_last(found, folder, weights)
    candidates = {one.path: one for one in found}
    searches = [SearchTried("prompt", " ".join(term_weights), ranking.total, len(candidates))]
    for name, whole in islice({name.rpartition(".")[2]: name for name in names}.items(), MAX_NAMES):
        paths = source.find_declaring(name, MAX_DECLARING, include_tests)
        paths = paths or _find_in_module(source, whole, folder, include_tests=include_tests)
        searches.append(SearchTried(f"symbol {name}", name, len(paths), len(paths)))
        for path in paths:
            one = candidates.get(path, Candidate(path, 0.0, None))
            candidates[path] = replace(one, may_declare=True)
    return Evidence(
        prompt,
        clues,
        names,
        mentions,
        term_weights,
        ranking,
        (*candidates.values(),),
        tuple(searches),
        warnings,
        query.title,
        folder,
    )


def _put_others_last(found: Iterable[Candidate], folder: str, weights: Weights) -> tuple[Candidate, ...]:
    """Return the candidates; those outside of a folder that the prompt does not name count less."""
    rated = [
        one
        if one.mentions or is_below(one.path, folder)
        else replace(one, share=round(one.share * weights.side_file, SCORE_DECIMALS))
        for one in found
    ]
    return tuple(sorted(rated, key=lambda one: -one.share))  # stable


def _find_in_module(source: BlockSource, name: str, folder: str, *, include_tests: bool) -> list[str]:
    """Return the few files of the module or folder that the prompt names which declare a common name."""
    if not folder and "." not in name:
        return []
    paths = source.find_declaring(name.rpartition(".")[2], MAX_DECLARING_COMMON, include_tests)
    own = [path for path in paths if is_of_module(path, name) or (folder and is_below(path, folder))]
    return own if len(own) <= MAX_DECLARING else []


def _iter_mentions(clues: Iterable[Clue], source: BlockSource, *, include_tests: bool) -> Iterator[Mention]:
    """Yield the files that the clues refer to: of a frame that names a type, those that declare both.

    A file named like the type may define the function alone, as in C++. Of a frame that names only a
    function, those that declare it; of one whose function has moved, those beside its file that do.
    """
    for clue in clues:
        found = resolve_mentions((clue,), source.find_paths)
        yield from _find_moved(clue, found, source, include_tests=include_tests) or found
        if not found and clue.arguments is not None and clue.name:
            owner = clue.text.rpartition(".")[2]
            owning = source.find_declaring(owner, MAX_DECLARING, include_tests)
            naming = source.find_declaring(clue.name, MAX_DECLARING_FRAME, include_tests) if owner else ()
            paths = [path for path in naming if path in owning or _is_named_like(path, owner)]
            yield from (Mention(path, clue, 1 / len(paths)) for path in paths)
        elif clue.kind is ClueKind.FRAME and not clue.text and clue.name:
            paths = source.find_declaring(clue.name, MAX_DECLARING, include_tests)
            yield from (Mention(path, clue, 1 / len(paths)) for path in paths)


def _find_moved(
    clue: Clue, found: Sequence[Mention], source: BlockSource, *, include_tests: bool
) -> list[Mention]:
    """Return the files beside those of a frame that declare its function, if those do not even name it.

    They are read only if the index knows such files beside them.
    """
    name = clue.name
    if clue.kind is not ClueKind.FRAME or not name or not found:
        return []
    own = {one.path for one in found}
    folders = {path.rpartition("/")[0] for path in own}
    declaring = source.find_declaring(name, MAX_DECLARING_FRAME, include_tests)
    paths = [path for path in declaring if path.rpartition("/")[0] in folders]
    if not own.isdisjoint(paths) or not paths or any(_names(source, one.path, name) for one in found):
        return []
    return [Mention(path, clue, 1 / len(paths)) for path in paths]


def _names(source: BlockSource, path: str, name: str) -> bool:
    """Return whether a file has a name; True for one that is not readable now."""
    try:
        return any(name in line for line in source.read(path).lines)
    except RepoError:
        return True


def _is_named_like(path: str, name: str) -> bool:
    """Return whether a file has the name of a type: Book.cpp or signal_handler.cc."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return stem.replace("_", "").lower() == name.replace("_", "").lower()


def _is_wanted(mention: Mention, title: str | None, *, include_tests: bool) -> bool:
    """Return False for a test that is not asked for, and for a traceback frame in foreign or built code.

    A document that a report does not name in its `title` was changed besides, as a change log is, or cited.
    """
    role = find_role(mention.path)
    if role is FileRole.TEST:
        return include_tests
    if role is FileRole.DOCS and title is not None:
        return mention.clue.line is not None or mention.clue.text in title
    return role is not FileRole.FOREIGN or mention.clue.kind is not ClueKind.FRAME


def is_in_prose(clue: Clue, prose_words: Set[str]) -> bool:
    """Return True for a word or a name that is among the words of the prose, and for any other clue."""
    if clue.kind is ClueKind.SYMBOL and not clue.is_joined:
        return split_symbol(clue.text)[-1].lower() in prose_words
    return clue.kind is not ClueKind.WORD or clue.text.lower() in prose_words


def list_names(
    prompt: str, clues: Iterable[Clue], weights: Weights, pasted: Set[Clue] = frozenset()
) -> dict[str, float]:
    """Return the names of declarations that the prompt asks for, with how surely they are meant.

    The names of `pasted` clues are less sure.
    """
    words = prompt.split()
    sole = [word for word in words if word.isidentifier()] if len(words) <= SOLE_WORDS else []
    names = dict.fromkeys(sole, 1.0)
    for clue in clues:
        parts = split_symbol(clue.text) if clue.kind is ClueKind.SYMBOL else ()
        if parts:
            name = ".".join(parts[1:] if len(parts) > 1 and parts[0] in SELF_NAMES else parts)
            sure = weights.joined if clue.is_joined else 1.0 if clue.is_strong else weights.unsure
            sure *= weights.pasted if clue in pasted else 1.0
            names[name] = max(sure, names.get(name, 0.0))
    return names


def find_light_names(
    prompt: str, clues: Sequence[Clue], count_units: Callable[[str], int]
) -> tuple[Clue, ...]:
    """Return clues for names that are words of any text: those in backquotes, as `get` is here.

    If the index has no other word of the prompt, all may be names: "A needs B" is about A and B.
    """
    named = {clue.text for clue in clues if clue.kind is ClueKind.SYMBOL}
    marked = (name for name in dict.fromkeys(_MARKED.findall(prompt)) if name not in named)
    found = tuple(Clue(ClueKind.SYMBOL, name) for name in marked)
    known = (*clues, *found)
    if any(count_units(term) for clue in known for term in analyse_text(clue.text)):
        return found
    said = {clue.text for clue in known} | FUNCTION_WORDS
    words = (word for word in dict.fromkeys(_WORD.findall(prompt)) if word.lower() not in ASKING_WORDS)
    light = islice((word for word in words if word not in said and len(word) <= MAX_NAME_CHARS), MAX_NAMES)
    return (*found, *(Clue(ClueKind.SYMBOL, word, is_strong=not word.islower()) for word in light))


def is_called(span: SymbolSpan, name: str) -> bool:
    """Return True if a declaration has a name, which may be qualified in part: `Reader.read`."""
    return f".{span.qualified_name}".endswith(f".{name}")


def weigh_clues(
    clues: Iterable[Clue],
    count_units: Callable[[str], int],
    units: int,
    weights: Weights,
    pasted: Set[Clue] = frozenset(),
    plain: Iterable[str] = (),
) -> dict[str, float]:
    """Return the terms of all clues with their weights: rare terms weigh more.

    The terms of `pasted` clues weigh less. If there are few terms, as in a question, words of similar meaning
    are added if the index has them: synonyms of a term that it has, stand-ins for a term that it lacks, and
    `plain` terms, which programs use for idioms of the prompt.
    """
    factors: dict[str, float] = {}
    for clue in clues:
        share = weights.pasted if clue in pasted else 1.0
        for term, factor in _iter_factors(clue, weights):
            factors[term] = max(share * factor, factors.get(term, 0.0))
    if len(factors) <= MAX_WIDENED:
        synonyms = {term: weights.plain for term in plain if term not in factors and count_units(term)}
        for term in factors:
            held = count_units(term)
            factor = weights.synonym if held else weights.stand_in
            for other in list_synonyms(term) if held else list_stand_ins(term):
                if other not in factors and count_units(other):
                    synonyms[other] = max(factor, synonyms.get(other, 0.0))
        factors |= synonyms
    # The power is above 1, because a term of every tenth unit says next to nothing about where to look.
    return {
        term: round(factor * _compute_rarity(count_units(term), units) ** weights.rarity, WEIGHT_DECIMALS)
        for term, factor in factors.items()
    }


def find_joined(prompt: str, count_units: Callable[[str], int]) -> tuple[Clue, ...]:
    """Return clues for names in the index that adjacent words of the prompt form, or form in the singular."""
    joined = join_words(read_words(prompt).split()[:MAX_JOINED_WORDS])
    forms = (name if count_units(name) else name.removesuffix("s") for name in joined)
    known = islice(filter(count_units, dict.fromkeys(forms)), MAX_JOINED_NAMES)
    return tuple(Clue(ClueKind.SYMBOL, name, is_joined=True) for name in known)


def _compute_rarity(count: int, units: int) -> float:
    """Return a rarity: about 1 for a term of one unit, 0 for a term of all, little for an unknown term."""
    count = count or units // UNKNOWN_SHARE
    return math.log((units + 1) / (min(count, units) + 0.5)) / math.log((units + 1) / 0.5) if units else 1.0


def _weigh_symbol(clue: Clue, weights: Weights) -> float:
    if clue.is_joined:
        return weights.joined_term
    return weights.symbol_term if clue.is_strong else 1.0


def _iter_factors(clue: Clue, weights: Weights) -> Iterable[tuple[str, float]]:
    """Yield the terms of one clue, each with its factor."""
    if clue.kind is ClueKind.SYMBOL:
        for name in split_symbol(clue.text):
            whole, *parts = analyse_text(name) or [name.lower()]
            yield whole, _weigh_symbol(clue, weights)
            yield from ((part, weights.part_term) for part in parts)
    elif clue.kind is ClueKind.WORD:
        whole, *parts = analyse_text(clue.text) or [clue.text.lower()]
        # The stem of a plain word stands for the word itself, which is rarer but says no more. The parts of a
        # compound word say less than the whole.
        share = weights.asking if clue.text.lower() in QUESTION_WORDS else 1.0
        yield whole, share * (weights.inflected if len(parts) == 1 else 1.0)
        yield from ((part, share * (1.0 if len(parts) == 1 else weights.part_term)) for part in parts)
        forms = list_other_forms(clue.text) if weights.form else ()
        yield from ((analyse_text(form)[-1], share * weights.form) for form in forms)
