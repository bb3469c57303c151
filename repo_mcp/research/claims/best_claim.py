"""Say what fits the words of a question best, how sure that is, and what lies next to it.

It is not said to fit if it lacks words of the question, and which words no file has is said first. What
only guessed names lead to is said to be the closest, with what it does, and the next ones: it may be any of
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.model import ExactRequest
from repo_mcp.research.claims.decisions import describe_decisions, describe_own_decisions
from repo_mcp.research.claims.near_ones import is_guessed, list_near
from repo_mcp.research.claims.outcomes import describe_outcome
from repo_mcp.research.edges.filled_functions import list_standing_in
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.citing import (
    MAX_NAMED,
    join_names,
    join_places,
    name_briefly,
    shorten,
    shorten_symbol,
)
from repo_mcp.research.findings.first_sentences import read_description
from repo_mcp.research.findings.locating import is_test_node, is_test_place, is_unread, may_answer
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.order.lacking_words import weigh_words
from repo_mcp.research.order.rivals import Rival, list_rivals
from repo_mcp.research.seeds.rated_seeds import LONG_LINES, MAX_WORD_CHARS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.citations import write_citation
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import asks_to_extend, list_words, shares_word

NEAREST = 2  # declarations that are named where none fits
NEAREST_GUESSED = 3  # the same where only guessed names lead to them
RAREST, FEW_LINES = 2, 30  # words of the question whose lines are named, if these are no more
LEAST_WORDS = 2  # of the question, in the name of a function that calls the best one
FEW_CALLED = 3  # functions of which a call may run one
_ENDS_LIKE_ADVERBS = """
anomaly apply assembly belly bully butterfly comply daily early family hourly imply jelly misapply
monopoly monthly multiply nightly quarterly rally readonly reapply reply resupply supply tally weekly
writeonly yearly
"""
_WORD = re.compile(r"\w+")
_NO_ADVERBS = frozenset(_ENDS_LIKE_ADVERBS.split())


def is_doubtful(best: Node) -> bool:
    """Return True for a type, which does nothing by itself, and for a long function.

    Of 102 answers the four that began with a function of more than LONG_LINES were wrong. None began with a
    type.
    """
    lines = best.symbol.end_line - best.symbol.start_line + 1
    return best.symbol.kind in TYPE_KINDS or lines > LONG_LINES


def describe_best(state: ResearchState, own: Sequence[Node], errors: str | None, *, is_doubted: bool) -> str:
    """Return what fits best, what it does, and what is next to it.

    `errors` is None unless they are asked for. They come first, unless the best lacks words of the question:
    then these come before them.
    """
    best = own[0]
    if state.word_match.is_thin and not errors:
        return " ".join([_name_nearest(state, own), *describe_section(state)])
    outcome, place = describe_outcome(state)  # maybe in another declaration
    rivals = _list_rivals(state, best)
    if told := [node for _, node in rivals if node is not None and node == place]:
        own = [*told, *(node for node in own if node not in told)]
        rivals = [(name_briefly(best), best), *(one for one in rivals if one[1] not in told)]
        best = own[0]
    callees = [*_list_called(state, best)]
    callers = _list_callers(state, best)
    others = _list_others(state, own, (*callees, *callers))
    beside = _list_beside(state, best)
    judged = _judge_best(
        state, name_briefly(best), bool(rivals) or is_doubted, beside, makes_none=errors == ""
    )
    sentences = [*judged, *_quote_comment(state, best)]
    if errors and state.word_match.lacking:
        sentences.insert(len(judged), errors.rstrip())
    elif errors:  # a function whose errors are told needs no further word
        is_told = _is_named(name_briefly(best), errors)
        sentences = [errors.rstrip(), *(judged[:-1] if is_told else sentences)]
    is_there = place == best and not errors  # then the best is what was named last
    sentences += [f"There, {outcome.partition(', ')[2]}" if is_there else outcome] if outcome else []
    is_clear = is_there or not outcome
    if not errors:
        named = _WORD.findall(outcome)
        told = [one for one in callees if is_guessed(state, one) or one.symbol.name in named]
        sentences += _describe_called(best, told, is_clear=is_clear)
        calling = [one for one in _choose_callers(state, best, callers) if one not in callees]
        sentences += _describe_callers(best, calling, is_clear=is_clear)
        if not (outcome or state.word_match.lacking):
            connected = (*callees, *callers, *(node for _, node in rivals if node is not None), *others)
            near = [one for one in connected if one.symbol.name != best.symbol.name or one in callees]
            near = list_near(state, best, _choose_guessed(state, near))
            sentences += filter(None, [describe_decisions(state, best, near)])
    beside_it = _list_near(state, best, rivals, [] if errors else others, " ".join(sentences))
    sentences += [_see_also(beside_it)] if beside_it else []
    return " ".join([*sentences, *describe_section(state)])


def _list_rivals(state: ResearchState, best: Node) -> list[Rival]:
    """Return what may fit as well as the best one, without what only a word or a guess has led to."""
    rivals = list_rivals(state, best)
    nodes = [node for _, node in rivals if node is not None]
    near = list_near(state, best, nodes)
    return [(name, node) for name, node in rivals if node is None or node in near]


def _list_others(state: ResearchState, own: Sequence[Node], callees: Sequence[Node]) -> list[Node]:
    """Return the symbols beside the best one that are close by themselves: what it does not call."""
    aside = [one for one in state.findings if one.role in (Role.BESIDE, Role.TABLE)]
    told = {*callees, *(one.node for one in aside)}
    named = {shorten(node.qualified_name): node for node in reversed(own) if node not in told}
    return [node for node in own[1:] if named.get(shorten(node.qualified_name)) is node]


def _list_callers(state: ResearchState, best: Node) -> list[Node]:
    """Return the noted symbols that call the best one."""
    calls = (one for one in state.links.values() if one.kind == EdgeType.CALLS)  # others may only reach it
    callers = {link.source for link in calls if link.target == best.declaration} - {best.declaration}
    return [node for declaration, node in state.nodes.items() if declaration in callers]


def _choose_callers(state: ResearchState, best: Node, callers: Sequence[Node]) -> list[Node]:
    """Return the first functions that call the best one, by whose names the question asks for them.

    These are guessed, or have LEAST_WORDS of the question where it guesses none. A field with an instance of
    a type only makes it, and a function of the same name only hands on.
    """
    words = list_words(state.request.full_text)

    def is_asked(node: Node) -> bool:
        name = node.symbol.name
        least = min(LEAST_WORDS, len(get_word_terms(name.strip("_"))[1:]) or 1)
        return is_guessed(state, node) and shares_word(name, words) >= least

    others = (one for one in callers if one.symbol.name != best.symbol.name)
    return [one for one in others if one.symbol.kind in CALLABLE_KINDS and is_asked(one)][:NEAREST]


def _choose_guessed(state: ResearchState, nodes: Sequence[Node]) -> list[Node]:
    """Return the symbols that guesses name, with their owners if a guess has one; none of several alike."""
    named = [
        [node for node in dict.fromkeys(nodes) if f".{node.qualified_name}".endswith(f".{guess}")]
        for guess in state.request.guesses
    ]
    return [own[0] for own in named if len(own) == 1]


def _describe_callers(best: Node, calling: Sequence[Node], *, is_clear: bool) -> list[str]:
    """Return a sentence on what calls the best declaration; if `is_clear`, "it" stands for its name."""
    whom = "it" if is_clear else shorten(best.qualified_name)
    verb = "calls" if len(calling) == 1 else "call"
    return [f"{join_places(map(name_briefly, calling))} {verb} {whom}."] if calling else []


def _describe_called(best: Node, callees: Sequence[Node], *, is_clear: bool) -> list[str]:
    """Return a sentence on what the best declaration calls; if `is_clear`, "It" stands for its name.

    It makes a type, which may be an error that it raises.
    """
    who = "It" if is_clear else shorten(best.qualified_name)
    made = [name_briefly(node) for node in callees if node.symbol.kind in TYPE_KINDS]
    called = [name_briefly(node) for node in callees if node.symbol.kind not in TYPE_KINDS]
    if not (made and called):
        named = join_places((called or made)[:MAX_NAMED])
        return [f"{who} {'makes' if made else 'calls'} {named}."] if named else []
    return [f"{who} calls {join_places(called[: MAX_NAMED - 1])}, and makes {made[0]}."]


def _name_nearest(state: ResearchState, own: Sequence[Node]) -> str:
    """Return a sentence that says that nothing fits, what is nearest, and which words are missing there."""
    named = dict.fromkeys(map(name_briefly, own))
    nearest, best = [*named][:NEAREST], shorten(own[0].qualified_name)
    words = [word for word in (*state.word_match.absent, *state.word_match.lacking) if not _is_adverb(word)]
    lacked = f"; {best} lacks the {name_words([*dict.fromkeys(words)])}" if words else ""
    are = "is" if len(nearest) == 1 else "are"
    said = f"Nothing here fits the question well. Nearest {are} {join_names(nearest)}{lacked}."
    return " ".join(filter(None, (said, _place_rarest(state))))


def _place_rarest(state: ResearchState) -> str:
    """Return sentences on the lines with the most telling words that the best lacks, unless they are many."""
    weighed = weigh_words([one for one in state.word_match.lacking if " " not in one], state.weights)
    sentences: list[str] = []
    for word in sorted(weighed, key=lambda one: -weighed[one]):  # stable
        if len(sentences) == RAREST:
            break
        request = ExactRequest(word, case_sensitive=False, whole_word=True, limit=FEW_LINES + 1, by_role=True)
        found = [one for one in state.source.search_exact(request).matches if state.admits(one.path)]
        if 0 < len(found) <= FEW_LINES:
            first = {one.path: one for one in reversed(found)}  # of each file
            places = [write_citation(one.path, one.start_line, one.start_line) for one in first.values()]
            told = join_names(reversed(places), beyond=len(found) - len(first))
            sentences.append(f'The word "{word}" occurs at {told}.')
    return " ".join(sentences)


def _judge_best(
    state: ResearchState,
    best: str,
    is_doubted: bool = False,
    beside: Sequence[str] = (),
    *,
    makes_none: bool = False,
) -> list[str]:
    """Return sentences that say which words no file has, what fits best, and which words that lacks.

    It is not said to lack those that stand `beside` it. `makes_none` means that errors are asked for, and
    that the best makes none.
    """
    sentences = []
    absent = [word for word in state.word_match.absent if not _is_adverb(word)]
    if absent:
        words = name_words(absent)
        sentences.append(f"No file here has the {words}: the code may use another, or lack this.")
    lacking = [word for word in state.word_match.lacking if word not in state.word_match.absent]
    fits = " the other words" if absent else " the question"
    lacked = [word for word in lacking if word not in beside]
    failings = [f"lacks the {name_words(lacked)}"] if lacked else []
    failings += ["is not named for the others"] if lacked and state.word_match.is_unnamed else []
    failings += ["is not known to cause an error"] if makes_none else []
    if failings:  # then it may be about something else
        sentences.append(f"{best} comes closest, but {' and '.join(failings)}.")
    elif beside:
        are = "is" if len(beside) == 1 else "are"
        sentences.append(f"{best} comes closest; the {name_words(beside)} {are} elsewhere in its file.")
    elif state.word_match.is_guessed or is_doubted:
        sentences.append(f"{best} comes closest.")
    elif state.word_match.is_unnamed:
        sentences.append(f"{best} comes closest; neither its name nor its path has a word of the question.")
    else:
        sentences.append(f"{best} fits{fits} best.")
    return sentences


def _quote_comment(state: ResearchState, best: Node) -> list[str]:
    """Return a sentence that quotes the first sentence of the comment on a symbol, if that says anything."""
    text = read_description(state, best)
    return [f'Its comment says: "{text}"'] if text else []


def _list_beside(state: ResearchState, best: Node) -> list[str]:
    """Return the words lacking in the best declaration that others of its file have in their names."""
    names = (
        " ".join(one.symbol.name for one in state.graph.outline(best.path))
        if state.word_match.lacking
        else ""
    )
    return [word for word in state.word_match.lacking if shares_word(names, (word,))]


def _is_adverb(word: str) -> bool:
    """Return True for a word that only says how: a program may do without it."""
    folded = word.lower()
    return folded.isalpha() and folded.endswith("ly") and len(folded) > 4 and folded not in _NO_ADVERBS


def _list_near(
    state: ResearchState, best: Node, rivals: Sequence[Rival], others: Sequence[Node], said: str
) -> list[str]:
    """Return the names of what fits about as well as the best one, and of what is near to it.

    What is in `said` is named already.
    """
    most = NEAREST_GUESSED if state.word_match.is_guessed else NEAREST
    near = list_near(state, best, others[:most])
    plain = [node for node in near if node.symbol.kind is not SymbolKind.CONSTRUCTOR]  # its type says as much
    names = dict.fromkeys([*(name for name, _ in rivals), *map(name_briefly, plain)])
    unsaid = (one for one in names if not _is_named(one, said))
    return [one for one in unsaid if f"{one.partition(' (')[0]} decides" not in said][:NEAREST]


def _is_named(name: str, said: str) -> bool:
    """Return True if a text has a name with its citation, to which more places may be added."""
    return any(f"{name.removesuffix(')')}{end}" in said for end in "),")


def _see_also(names: Iterable[str]) -> str:
    return f"See also {join_places(names)}."


def leads_unparsed(state: ResearchState) -> bool:
    """Return True if no parser knows the best finding, or it lies in a file without declarations."""
    first = next(iter(state.findings), None)
    if first is None or state.wants_tests or first.hop or first.kind != "text":
        return False
    return (first.symbol != first.path or is_unread(first.path)) and may_answer(first.path)


def describe_places(state: ResearchState) -> str:
    """Return what fits best where no parser knows any symbol; "" if nothing was found by its words."""
    near = [one for one in state.findings if not one.hop and one.kind != "section"]
    if not near:
        return ""
    places = [_name_place(one) for one in near[:3]]
    does = describe_outcome(state)[0] or describe_own_decisions(state, near[0])
    sentences = [*_judge_best(state, places[0]), *filter(None, [does])]
    if len(near) > 1:
        sentences.append(_see_also(places[1:]))
    return " ".join([*sentences, *describe_section(state)])


def _name_place(one: Finding) -> str:
    """Return the name of a finding with its citation, which alone names lines outside all declarations."""
    return one.citation if one.symbol == one.path else f"{shorten_symbol(one)} ({one.citation})"


def name_words(words: Sequence[str]) -> str:
    """Return words with "word" or "words" before them; several that belong together are in quotes."""
    brief = [one if len(one) <= MAX_WORD_CHARS else f"{one[:MAX_WORD_CHARS]}…" for one in words]
    quoted = [f'"{one}"' if " " in one else one for one in brief]
    return f"word{'s' if len(' '.join(words).split()) > 1 else ''} {join_names(quoted)}"


def describe_section(state: ResearchState) -> list[str]:
    """Return a sentence on the first section of a document among the findings, if there is one.

    Its heading, or the one above, must have a word of the question. One that tells how something is added is
    named before. Where it is asked how to add something by guessed names, a section that is only found by its
    words is not said to be close.
    """
    if state.request.guesses and asks_to_extend(state.request.query):
        return []
    words = list_words(state.request.query)
    sections = [
        one
        for one in state.findings
        if one.kind == "section"
        and one.role is not Role.TELLS_HOW
        and shares_word(" ".join(one.symbol.split(" > ")[-2:]), words)
    ]
    return [
        f"The closest section of the documentation is {one.symbol} ({one.citation})." for one in sections[:1]
    ]


def _list_called(state: ResearchState, caller: Node) -> Iterable[Node]:
    """Return what a symbol calls, except itself: guessed names first, then those of its file, each in the
    order of the findings.

    What a call of an interface's method runs is called, too, unless it may be one of more than FEW_CALLED. If
    some callees fit the question's words, the others, such as a conversion of text, are left out.
    """
    links = [one for one in state.links.values() if one.source == caller.declaration and one.kind == "calls"]
    called = {link.target for link in links} - {caller.declaration}
    for edge in list_uses(state, caller, NARROW):
        run = list_standing_in(state, state.get_node(edge.other))
        called |= {one.declaration for one in run if len(run) <= FEW_CALLED} - {caller.declaration}
    nodes = [node for declaration, node in state.nodes.items() if declaration in called]
    nodes = [node for node in nodes if not is_test_node(node) or is_test_place(caller.path)]
    words = list_words(state.request.query)
    near = {one.node for one in state.findings if not one.hop and one.role is not Role.BESIDE}
    fitting = [node for node in nodes if node in near or shares_word(node.symbol.name, words)]
    guesses = list_own_names(state.request.guesses)
    return sorted(fitting, key=lambda node: (node.symbol.name not in guesses, node.path != caller.path))
