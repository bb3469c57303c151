"""Answer a question with a report: understand the question, investigate it, and quote live text.

Equal trees and questions give equal reports, because the search is bounded by counts and never by time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.live_graph import LiveGraph
from repo_mcp.model import Hit
from repo_mcp.record_classes import replace
from repo_mcp.research.built_reports import OF_USERS, build_report
from repo_mcp.research.claims.parts_claim import describe_part, leave_out_told
from repo_mcp.research.comparison import pair_subjects
from repo_mcp.research.edges.unparsed import find_unparsed
from repo_mcp.research.findings.citing import join_names, write_count
from repo_mcp.research.findings.excerpts import add_excerpts
from repo_mcp.research.findings.handed_on import Room
from repo_mcp.research.findings.live_searches import LiveSearches
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.records import (
    DEFAULT_DEPTH,
    MAX_DEPTH,
    MIN_DEPTH,
    Form,
    Reading,
    Report,
    ResearchRequest,
    RunControl,
    TakenAs,
)
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines, search_words
from repo_mcp.research.findings.source import Source
from repo_mcp.research.gathered import Gathered
from repo_mcp.research.investigations import investigate
from repo_mcp.research.joined_parts import (
    AnsweredPart,
    choose_guesses,
    drop_repeated,
    find_held,
    follow_part,
    join_reports,
    list_told,
    name_topic,
)
from repo_mcp.research.question.grammar import asks_for_tests
from repo_mcp.research.question.named_folders import split_folder
from repo_mcp.research.question.parts import MOST_PARTS, split_question
from repo_mcp.research.question.phrases import split_test_exception
from repo_mcp.research.question.pronouns import has_pronoun, only_asks_where_set, refer_back
from repo_mcp.research.question.raised_places import find_raised_place
from repo_mcp.research.question.readings import narrow_subjects, read_as_open
from repo_mcp.research.question.understanding import understand
from repo_mcp.research.settled_reading import settle_reading
from repo_mcp.text.guessed_names import split_guesses

TEXT_HITS = 20  # of the search for the words, while there is no symbol index
_MORE_PARTS = f"At most {MOST_PARTS} parts of a question are answered: ask the others by themselves."
# Used if no depth is asked for. Implementations include those of subtypes; paths are searched from both ends.
_USUAL_DEPTHS = {Form.IMPLEMENTATIONS: MAX_DEPTH, Form.FLOW: 4, Form.OPEN: 1, Form.ERRORS: 1}
_NARROWED = OF_USERS | {Form.IMPLEMENTATIONS}  # of which the end of a question may say where
NO_RECORD = (
    "There is no symbol index yet, so this answer comes from a search for the words;"
    " no references were followed."
)
FIRST_OF_PART = 4  # findings of a part of a question, which are shown almost always


class Researcher:
    """Answers research questions. Safe for use from several threads."""

    def __init__(
        self, graph: LiveGraph, searches: LiveSearches, look_once: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """Take what is searched; within `look_once` the tree is looked over for changes only once."""
        self._graph = graph
        self._searches = searches
        self._look_once = look_once

    def answer(self, request: ResearchRequest, control: RunControl) -> Report:
        """Return the report on a question. Raises RepoError: INVALID_ARGUMENT, CANCELLED, INDEX_UNAVAILABLE.

        While no symbols are indexed, the report comes from a search for the words alone, with a warning.
        """
        with ExitStack() as stack:
            stack.enter_context(self._look_once())
            try:
                graph = stack.enter_context(self._graph.open(names=request.query))
            except RepoError as error:
                if error.code is not ErrorCode.INDEX_UNAVAILABLE:
                    raise
                graph = None
            source = Source(
                graph,
                self._searches,
                control.cancelled,
                is_partial=graph is not None and self._graph.is_partial(),
                present=self._graph.list_present_languages(),
            )
            report = answer_question(request, source, control)
        return replace(report, warnings=(*report.warnings, *self._graph.warn()))


def answer_question(request: ResearchRequest, source: Source, control: RunControl) -> Report:
    """Return the report on a question. Raises RepoError: INVALID_ARGUMENT, CANCELLED, or a search error."""
    check_request(request)
    question, guesses = split_guesses(request.query)
    request = replace(request, query=question, guesses=guesses)
    if source.graph is None:
        return _answer_by_text(request, source, control)
    parts = split_question(request.query)
    if parts != (request.query,):
        return _answer_parts(request, parts, source, control)
    state, reading = _begin(request, source, control, Room())
    return build_report(request, state, reading, _investigate(state, reading))


def check_request(request: ResearchRequest) -> None:
    """Raise RepoError with INVALID_ARGUMENT, naming the argument, when a request is not valid."""
    if not request.query.strip():
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "query is empty.",
            "Ask a question, such as: what calls authenticate()?",
            {"argument": "query"},
        )
    if request.depth is not None and not MIN_DEPTH <= request.depth <= MAX_DEPTH:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"depth is {request.depth}.",
            f"Give {MIN_DEPTH} to {MAX_DEPTH}.",
            {"argument": "depth"},
        )


def _begin(
    request: ResearchRequest, source: Source, control: RunControl, room: Room
) -> tuple[ResearchState, Reading]:
    """Return the state of a question and its reading."""
    narrowed = _begin_narrowed(request, source, control, room)
    if narrowed is not None:
        return narrowed
    state = ResearchState(source, request, control, wants_tests=asks_for_tests(request.query))
    state.room = room
    return state, _read(state)


def _begin_narrowed(
    request: ResearchRequest, source: Source, control: RunControl, room: Room
) -> tuple[ResearchState, Reading] | None:
    """Return the state and reading of a question without its end, which narrows what is found; or None.

    The end is a folder, the types in which errors are raised, or "except tests". The question must have one
    of the forms that can be narrowed.
    """
    graph = source.get_graph()
    query, but_tests = split_test_exception(request.query)
    query, types = find_raised_place(graph, query, request.folder)
    folder = request.folder
    if not folder and not types:
        query, folder = split_folder(query, graph.name_uses.list_source_paths())
    if query == request.query:
        return None
    own = replace(request, query=query)
    state = ResearchState(source, own, control, wants_tests=asks_for_tests(query))
    state.room, state.raising_types = room, types
    reading = _read(state)
    if reading.form is Form.TESTS and (inside := narrow_subjects(reading, folder)):
        reading, folder = inside, request.folder  # it tells where they are, not where their tests are
    if reading.form not in _NARROWED:
        return None
    state.folder, state.leaves_out_tests = folder, but_tests
    named = join_names(dict.fromkeys(one.qualified_name for one in types))
    texts = [
        reading.text,
        f"in {named}" if types else "",
        f"in the folder {folder}" if folder != request.folder else "",
        "except tests" if but_tests else "",
    ]
    return state, replace(reading, text=", ".join(filter(None, texts)))


def _read(state: ResearchState) -> Reading:
    """Return the way the question is understood, and set the depth that is usual for it."""
    request = state.request
    state.report_progress(0, "understanding the question")
    reading = settle_reading(state, understand(state.source, request, partial(find_unparsed, state)))
    reading = pair_subjects(state, reading) if reading.form is Form.DIFFERENCE else reading
    if request.depth is None:
        state.depth = _USUAL_DEPTHS.get(reading.form, DEFAULT_DEPTH)
    state.report_progress(0, f"understood as: {reading.form.value}")
    return reading


def _investigate(state: ResearchState, reading: Reading) -> Gathered:
    gathered = investigate(state, reading)
    if state.outside_folder:
        state.limit(
            f"{write_count(len(state.outside_folder), 'symbol')} outside {state.folder}",
            "only what is in the path is shown",
        )
    state.report_progress(state.depth + 1, f"{len(state.findings)} findings")
    return gathered


def _answer_parts(
    request: ResearchRequest, parts: Sequence[str], source: Source, control: RunControl
) -> Report:
    """Return the report on a question of several parts, each investigated by itself.

    A pronoun stands for the declared name in the part before. If nothing declares that, or there is none and
    the part only asks where "it" is set, the part is left out.
    """
    answered: list[AnsweredPart] = []
    quoted: set[tuple[str, int]] = set()
    is_undeclared = False
    for position, part in enumerate(parts):
        if is_undeclared and has_pronoun(part):
            continue
        guesses = (*find_held(answered, part), *choose_guesses(request.guesses, part, answered))
        topic = name_topic(answered[-1]) if answered and not is_undeclared else ("", "")
        if answered and not topic[0] and only_asks_where_set(part):
            continue
        own = replace(request, query=refer_back(part, *topic), guesses=guesses)
        follow = follow_part(control, position, len(parts))
        state, reading = _begin(own, source, follow, Room(len(parts), list_told(answered), quoted))
        gathered = _investigate(state, reading)
        before = answered[-1].state.findings if answered else ()
        claim = describe_part(state, reading, part, gathered.claim, before)
        claim = leave_out_told(claim, [one.claim for one in answered])
        answered.append(AnsweredPart(part, own, state, reading, gathered, claim))
        is_undeclared = any(subject.taken_as is TakenAs.UNDECLARED for subject in reading.subjects)
    if len(parts) == MOST_PARTS and len(split_question(parts[-1])) > 1:
        answered[-1].state.warnings.append(_MORE_PARTS)
    drop_repeated([one.state for one in answered])
    for one in answered:
        quoted.update((own.path, at) for own in one.state.findings[:FIRST_OF_PART] for at in own.shown)
    reports = [build_report(one.request, one.state, one.reading, one.gathered) for one in answered]
    if len(reports) == 1:
        return replace(reports[0], request=request)
    return join_reports(request, answered, reports)


def _answer_by_text(request: ResearchRequest, source: Source, control: RunControl) -> Report:
    """Answer with a search for the words alone, while there is no graph."""
    state = ResearchState(source, request, control, wants_tests=asks_for_tests(request.query))
    state.report_progress(0, "searching for the words")
    for hit in search_words(state, request.full_text, TEXT_HITS):
        _note_hit(state, hit)
    findings, _ = add_excerpts(source, state.findings)
    state.report_progress(state.depth + 1, f"{len(findings)} findings")
    return Report(request, read_as_open(request.query), 0, findings=tuple(findings), warnings=(NO_RECORD,))


def _note_hit(state: ResearchState, hit: Hit) -> None:
    """Note the lines of a snippet, with the one that has most of the matched terms."""
    rows = [row.partition("\t") for row in hit.snippet.removesuffix("\n").split("\n") if hit.snippet]
    lines = {int(number): text.lower() for number, _, text in rows}
    best = max(
        lines, key=lambda at: sum(term in lines[at] for term in hit.matched_terms), default=hit.start_line
    )
    place = TextPlace(hit.path, min(lines, default=best), max(lines, default=best))
    reason = Reason(f"contains the words: {', '.join(hit.matched_terms[:6])}")
    note_lines(state, place, reason, 0, (best,))
