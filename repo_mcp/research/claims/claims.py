"""Answer in a few sentences, each with its citation, from what an investigation has noted.

The sentences state only findings and the edges between them: what a subject is, its callees, its users, where
it is set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.bundler.best_blocks import WINDOW_LINES
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.research.claims.differences import (
    describe_calls,
    describe_compared,
    describe_documented,
    describe_members,
    describe_passing,
)
from repo_mcp.research.claims.outcomes import describe_handling, describe_outcome
from repo_mcp.research.claims.settings_sentence import describe_settings
from repo_mcp.research.claims.unparsed_names import describe_unparsed
from repo_mcp.research.edges.tested import describe_tests
from repo_mcp.research.edges.written_names import describe_written_name
from repo_mcp.research.findings.citing import (
    cite,
    cite_line,
    join_names,
    name_briefly,
    name_findings,
    shorten,
    shorten_symbol,
)
from repo_mcp.research.findings.locating import is_test, is_test_node, is_test_place, may_answer
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import (
    IMPLEMENTERS,
    Chain,
    Finding,
    Form,
    Group,
    Reading,
    Subject,
    TakenAs,
)
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.errors_made import describe_errors, describe_function, list_named
from repo_mcp.research.words.rated_seeds import MAX_WORD_CHARS
from repo_mcp.research.words.rivals import list_rivals
from repo_mcp.symbols.symbol_record import TYPE_KINDS
from repo_mcp.text.question_words import list_words, shares_word
from repo_mcp.text.roles import is_side_file

_RELATIONS = {
    Form.CALLERS: ("is called by", "Nothing in the repository is known to call"),
    Form.DEPENDENTS: ("is used by", "Nothing in the repository is known to use"),
    Form.IMPLEMENTATIONS: (
        "is implemented, extended or overridden by",
        "Nothing in the repository is known to implement or extend",
    ),
    Form.CALLEES: ("calls", "Nothing that the repository declares is known to be called by"),
    Form.DEPENDENCIES: ("uses", "Nothing that the repository declares is known to be used by"),
}

_ENDS_LIKE_ADVERBS = """
ally anomaly apply assembly belly bully butterfly comply daily early family hourly imply jelly misapply
monopoly monthly multiply nightly quarterly rally readonly reapply rely reply resupply supply tally weekly
writeonly yearly
"""
_QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:\.|::|#)\w+")
_NO_ADVERBS = frozenset(_ENDS_LIKE_ADVERBS.split())


def build_claim(
    state: ResearchState, reading: Reading, groups: Sequence[Group], chains: Sequence[Chain]
) -> str:
    """Return the answer in a few sentences; "" if there is none for its form.

    `groups` lie around the findings; `chains` lead from one subject to another.
    """
    undeclared = [one for one in reading.subjects if one.taken_as is TakenAs.UNDECLARED]
    unparsed = [one for one in reading.subjects if one.taken_as is TakenAs.UNPARSED]
    if undeclared or unparsed:
        unknown = [_describe_unknown(state, one) for one in undeclared]
        return " ".join([*unknown, *describe_unparsed(state, unparsed)])
    if reading.form in _RELATIONS:
        calling = [one for one in state.findings if one.hop == 1] if reading.form is Form.CALLERS else []
        handling = describe_handling(state, calling)
        related = f"{_describe_relation(state, reading)}{_describe_overriding(state, reading, groups)}"
        related = " ".join([*handling, related])
        return f"{_describe_undeclared(reading)}{related}"
    if reading.form is Form.TESTS:
        return describe_tests(state, [node for subject in reading.subjects for node in subject.nodes])
    if reading.form is Form.FLOW:
        return _describe_path(reading, chains)
    if reading.form is Form.CONFIGURED:
        return describe_settings(state, reading.subjects[0])
    if reading.form is Form.DEFINED:
        return " ".join(describe_compared(state, [one for one in reading.subjects if one.nodes]))
    if reading.form is Form.DIFFERENCE and all(subject.nodes for subject in reading.subjects):
        compared = describe_compared(state, reading.subjects)
        first = [subject.nodes[0] for subject in reading.subjects]
        passing = describe_passing(state, reading.subjects)
        documented = describe_documented(state, (node.symbol.name for node in first))
        alone = describe_members(state, first) or ([] if passing else describe_calls(state, first))
        return " ".join([*compared, *passing, *alone, *documented])
    own = [node for node in state.nodes.values() if is_test_node(node) is state.wants_tests]
    if state.lacks_most:
        return f"This repository may have no answer: no file has the {_name_words(state.absent)}."
    if reading.form is Form.ERRORS and (named := list_named(state)):
        return describe_function(state, named)
    errors = describe_errors(state, reading.subjects[0].asked) if reading.form is Form.ERRORS else None
    if reading.form is Form.EXTENSION and (recipe := _describe_recipe(state)):
        return recipe
    if reading.form is not Form.DIFFERENCE and _leads_unparsed(state):
        own = []
    if reading.form in (Form.OPEN, Form.EXTENSION, Form.ERRORS, Form.DIFFERENCE) and own:
        return _describe_best(state, own, errors, _doubt(own[0]) if reading.form is Form.OPEN else "")
    if reading.form in (Form.OPEN, Form.EXTENSION, Form.ERRORS):
        none = "No test is among the best matches. " if state.wants_tests else ""
        return f"{none}{errors or ''}{_describe_places(state)}"
    return ""


def _name_subjects(nodes: Sequence[Node]) -> str:
    """Return the names of subjects with their citations; subjects of one name share an entry."""
    places: dict[str, list[str]] = {}
    for node in nodes:
        places.setdefault(shorten(node.qualified_name), []).append(cite(node))
    return join_names(f"{name} ({', '.join(dict.fromkeys(own))})" for name, own in places.items())


def _describe_undeclared(reading: Reading) -> str:
    """Return a sentence that says that a member is meant by a name which nothing else has; "" for none."""
    otherwise = [
        one.asked
        for one in reading.subjects
        if one.taken_as is TakenAs.DECLARED_OTHERWISE and _QUALIFIED.fullmatch(one.asked)
    ]
    is_not = "itself is not" if len(set(otherwise)) == 1 else "themselves are not"
    return f"{join_names(otherwise)} {is_not} declared here. " if otherwise else ""


def _describe_unknown(state: ResearchState, subject: Subject) -> str:
    near = join_names(map(name_briefly, subject.near), len(subject.near))
    are = "A similar name is" if len(subject.near) == 1 else "Similar names are"
    similar = f" {are} {near}." if near else " No name here is similar to it."
    return f"{describe_written_name(state, subject)}{similar}"


def _describe_path(reading: Reading, chains: Sequence[Chain]) -> str:
    """Return the surest and shortest path of calls between two subjects, each call with its citation."""
    nodes = [node for subject in reading.subjects for node in subject.nodes]
    if not nodes:
        return ""
    if not chains:
        return f"No path of calls is known between {_name_subjects([nodes[0], nodes[-1]])}."
    first = chains[0]
    steps = [
        f"{shorten(name)} ({citation})"
        for name, citation in zip(first.symbols[1:], first.citations, strict=False)
    ]
    sure = "" if first.confidence == Confidence.EXACT.value else f", which is only {first.confidence}"
    return f"{shorten(first.symbols[0])} calls {', which calls '.join(steps)}{sure}."


def _describe_relation(state: ResearchState, reading: Reading) -> str:
    relation, none = _RELATIONS[reading.form]
    subjects = [node for subject in reading.subjects for node in subject.nodes]
    if len({shorten(node.qualified_name) for node in subjects}) > 1:
        relation = relation.replace("calls", "call").replace("uses", "use").replace("is ", "are ", 1)
    named = _name_subjects(subjects) or reading.subjects[0].name or reading.subjects[0].asked
    first_hop = [one for one in state.findings if one.hop == 1]
    aside = (Role.READS_FIELD, Role.READS_FIELD_BELOW, Role.FILLS)
    found = [one for one in first_hop if one.role not in aside]
    if state.source.is_partial:
        none = f"So far {none[0].lower()}{none[1:]}"  # files that are not parsed yet may do so
    more = _describe_readers([one for one in first_hop if one.role is Role.READS_FIELD])
    if reading.form is Form.DEPENDENTS:  # the methods of a type may be in blocks of its own name, as in Rust
        own = {node.qualified_name for node in subjects}
        found = [one for one in found if one.kind != "extension" or one.symbol not in own]
    written = [one for one in found if one.role is Role.WRITTEN_CALL]
    more += _describe_written(written)
    found = [one for one in found if one not in written]
    directly = ""
    if reading.form is Form.CALLERS:
        mentions = [one for one in found if one.role is Role.MENTIONS]
        directly = " directly" if mentions else ""
        more += _describe_mentions(mentions, len(subjects) > 1)
        more += _describe_callees(state)
        no_callers = (Role.MENTIONS, Role.HOLDS, Role.SAME_KEY)
        found = [one for one in found if one.role not in no_callers]
    if state.is_unimplemented:
        more += f" It is used by {_name_users(found)}." if found else ""
        found = []
    if reading.form is Form.IMPLEMENTATIONS:
        found = _count_types_once(found)
        more += _describe_below(state) if found else ""
    others = _name_users(found) if relation.endswith("by") else name_findings(found)
    return f"{named} {relation} {others}.{more}" if found else f"{none} {named}{directly}.{more}"


def _name_users(found: Sequence[Finding]) -> str:
    """Return the names of findings with their citations; those in tests are only counted."""
    own = name_findings(one for one in found if not is_test(one.path, one.symbol))
    tests = sum(is_test(one.path, one.symbol) for one in found)
    also = f"{tests} {'place' if tests == 1 else 'places'} in tests" if tests else ""
    return " and by ".join(filter(None, (own, also)))


def _describe_readers(readers: Sequence[Finding]) -> str:
    return f" What it sets is read by {name_findings(readers)}." if readers else ""


def _describe_mentions(found: Sequence[Finding], several: bool) -> str:
    """Return a sentence on what mentions a function as a value, which may call it or not; "" for nothing."""
    own = [one for one in found if not is_test(one.path, one.symbol)] or found
    verb, they = "mentions" if len(own) == 1 else "mention", "them" if several else "it"
    return f" {name_findings(own)} {verb} {they}, and may cause {they} to be called." if own else ""


def _describe_callees(state: ResearchState) -> str:
    """Return what each subject calls, where the question names that too; "" for nothing."""
    called: dict[str, list[Finding]] = {}  # overloads are one
    for one in state.findings:
        if one.role is Role.ASKED_CALLEE:
            called.setdefault(shorten(one.reason.about), []).append(one)
    return "".join(f" {own} calls {name_findings(found)}." for own, found in called.items())


def _describe_written(found: Sequence[Finding]) -> str:
    """Return a sentence on lines that are written as calls, where no parser sees one; "" for nothing."""
    read = "reads" if len(found) == 1 else "read"
    return f" By its text, {join_names(map(cite_line, found))} {read} like a call of it." if found else ""


def _describe_below(state: ResearchState) -> str:
    """Return a sentence on what derives from the types that implement a subject; "" for nothing."""
    below = [one for one in state.findings if one.hop > 1 and not is_test(one.path, one.symbol)]
    return f" Derived from these: {name_findings(_count_types_once(below))}." if below else ""


def _describe_overriding(state: ResearchState, reading: Reading, groups: Sequence[Group]) -> str:
    """Return a sentence on what overrides or implements the subject; "" unless dependents are asked for.

    What calls the method that it overrides is named as a user, too.
    """
    subjects = {node.declaration: node for subject in reading.subjects for node in subject.nodes}
    links = [one for one in state.links.values() if one.kind == "overrides" and one.target in subjects]
    filling = {state.nodes[one.source].node_id for one in links if one.source in state.nodes}
    found = [one for one in state.findings if one.role is Role.FILLS or one.node_id in filling]
    found.sort(key=lambda one: one.role is not Role.FILLS)  # stable
    places = [f"{shorten(one.symbol)} ({one.citation})" for one in found]
    places += [place for one in groups if one.what == IMPLEMENTERS for place in one.places]
    if reading.form is not Form.DEPENDENTS or not places:
        return ""
    more = re.fullmatch(r"and (\d+) more", places[-1])
    listed = [*dict.fromkeys(places[:-1] if more is not None else places)]
    count = len(listed) + (int(more[1]) if more is not None else 0)
    best = next((one for one in listed if not is_side_file(one.rpartition("(")[2])), places[0])
    named = best if count == 1 else f"{count} declarations, such as {best}"
    are = "They are" if len({shorten(node.qualified_name) for node in subjects.values()}) > 1 else "It is"
    return f" {are} overridden or implemented by {named}."


def _count_types_once(found: Sequence[Finding]) -> list[Finding]:
    """Return the findings without extensions if the type that conforms by one is itself among them."""
    types = {one.symbol for one in found if one.role is Role.BY_EXTENSION}
    return [one for one in found if one.kind != "extension" or one.symbol not in types]


def _doubt(best: Node) -> str:
    """Return why the best declaration may only seem to be so: it is a type or long; "" for no reason.

    Of 102 answers four began with a function of more than WINDOW_LINES, all wrong, and none with a type.
    """
    lines = best.symbol.end_line - best.symbol.start_line + 1
    if best.symbol.kind in TYPE_KINDS:
        return "it is a type, not a function"
    return f"in its {lines} lines the words may be far apart" if lines > WINDOW_LINES else ""


def _describe_best(state: ResearchState, own: Sequence[Node], errors: str | None, doubt: str) -> str:
    """Return what fits best, what it calls, and what is next to it.

    `errors` is None unless they are asked for. They come first, unless the best lacks words of the question:
    then these come before them. `doubt` says why it may not be what is asked for, if there is a reason.
    """
    best = own[0]
    rivals = [described for described, _ in list_rivals(state, best)]
    sentences = _judge_best(state, name_briefly(best), rivals, doubt, makes_none=errors == "")
    if errors:
        sentences.insert(len(sentences) if state.lacking else 0, errors.rstrip())
    outcome = describe_outcome(state)  # maybe in another declaration
    sentences += [outcome] if outcome else []
    callees = list(_list_called(state, best.declaration))
    if callees:
        who = shorten(best.qualified_name) if rivals or outcome else "It"
        sentences.append(f"{who} calls {join_names(map(name_briefly, callees))}.")
    held = [one for one in state.findings if one.role is Role.RARE_WORD]
    sentences += [f"The word {one.reason.about} is in {name_findings([one])}." for one in held]
    deciding = [one for one in state.findings if one.role is Role.DECIDES]  # not close by themselves
    told = {node.node_id for node in callees} | {one.node_id for one in (*held, *deciding)}
    named = {shorten(node.qualified_name): node for node in reversed(own) if node.node_id not in told}
    others = [node for node in own[1:] if named.get(shorten(node.qualified_name)) is node]  # no overloads
    if others and not rivals:
        sentences.append(f"Also close {_list_next(map(name_briefly, others[:2]))}.")
    return " ".join([*sentences, *_describe_section(state)])


def _judge_best(
    state: ResearchState,
    best: str,
    rivals: Sequence[str] = (),
    doubt: str = "",
    *,
    makes_none: bool = False,
) -> list[str]:
    """Return sentences that say which words no file has, what fits best, and which words that lacks.

    `makes_none` means that errors are asked for, and that the best makes none.
    """
    sentences = []
    absent = [word for word in state.absent if not _is_adverb(word)]
    if absent:
        words = _name_words(absent)
        sentences.append(f"No file here has the {words}: the code may use another, or lack this.")
    lacking = [word for word in state.lacking if word not in state.absent]
    by = "By the guessed names, " if state.is_guessed else ""
    fits = "" if by else " the other words" if absent else " the question"
    failings = [f"lacks the {_name_words(lacking)}"] if lacking else []
    failings += ["has none of the others in its name or path"] if lacking and state.is_unnamed else []
    failings += ["is not known to cause an error"] if makes_none else []
    if failings:  # then it may be about something else
        sentences.append(f"{by}{best} comes closest, but {' and '.join(failings)}.")
    elif rivals:
        sentences.append(f"{by}{join_names([best, *rivals])} fit{fits} about equally well.")
    elif doubt or state.is_unnamed:
        reason = doubt or "neither its name nor its path has a word of the question"
        sentences.append(f"{by}{best} comes closest; {reason}.")
    else:
        sentences.append(f"{by}{best} fits{fits} best.")
    return sentences


def _is_adverb(word: str) -> bool:
    """Return True for a word that only says how: a program may do without it."""
    folded = word.lower()
    return folded.isalpha() and folded.endswith("ly") and len(folded) > 4 and folded not in _NO_ADVERBS


def _list_next(names: Iterable[str]) -> str:
    """Return up to two names with their verb."""
    listed = list(dict.fromkeys(names))
    return f"{'are' if len(listed) > 1 else 'is'} {join_names(listed)}"


def _leads_unparsed(state: ResearchState) -> bool:
    """Return True if the best finding is declared in a language that no parser reads."""
    first = next(iter(state.findings), None)
    if first is None or state.wants_tests or first.hop or first.kind != "text":
        return False
    return first.symbol != first.path and may_answer(first.path)


def _describe_places(state: ResearchState) -> str:
    """Return what fits best where no parser knows any symbol; "" if nothing was found by its words."""
    near = [one for one in state.findings if not one.hop and one.kind != "section"]
    if not near:
        return ""
    places = [f"{shorten_symbol(one)} ({one.citation})" for one in near[:3]]
    sentences = [*_judge_best(state, places[0]), *filter(None, [describe_outcome(state)])]
    if len(near) > 1:
        sentences.append(f"Also close {_list_next(places[1:])}.")
    return " ".join([*sentences, *_describe_section(state)])


def _describe_recipe(state: ResearchState) -> str:
    """Return where one of a kind belongs, what lists it and what to copy; "" if nothing is known."""
    found = {one.role: f"{shorten_symbol(one)} ({one.citation})" for one in state.findings}
    if Role.ENUMERATION in found:
        sentences = [f"Others of the kind are members of {found[Role.ENUMERATION]}."]
    elif Role.BASE in found:
        inner = f", most of them from {found[Role.INNER_BASE]}" if Role.INNER_BASE in found else ""
        sentences = [f"Others of the kind derive from {found[Role.BASE]}{inner}."]
    elif Role.TABLE in found:
        sentences = [f"Others of the kind are listed in {found[Role.TABLE]}."]
    else:
        return ""
    if Role.REGISTERS in found:
        sentences.append(f"{found[Role.REGISTERS]} registers one.")
    twins = [one for one in state.findings if one.role is Role.TWIN]
    if twins:
        are = "Of the same name is" if len(twins) == 1 else "Of the same names are"
        sentences.append(f"{are} {name_findings(twins)}.")
    if Role.TAKES_ONE in found:
        sentences.append(f"{found[Role.TAKES_ONE]} takes one.")
    if Role.LISTS in found:
        sentences.append(f"{found[Role.LISTS]} names some of them.")
    if Role.MODEL in found:
        sentences.append(f"One to copy is {found[Role.MODEL]}.")
    named = [one for one in state.findings if one.role is Role.NAMED_SO]
    if named:
        their = "its name" if len(named) == 1 else "their names"
        sentences.append(f"By {their}, {name_findings(named)} may do what is asked.")
    return " ".join([*sentences, *_describe_section(state)])


def _name_words(words: Sequence[str]) -> str:
    """Return words with "word" or "words" before them; several that belong together are in quotes."""
    brief = [one if len(one) <= MAX_WORD_CHARS else f"{one[:MAX_WORD_CHARS]}…" for one in words]
    quoted = [f'"{one}"' if " " in one else one for one in brief]
    return f"word{'s' if len(' '.join(words).split()) > 1 else ''} {join_names(quoted)}"


def _describe_section(state: ResearchState) -> list[str]:
    """Return a sentence on the first section of a document among the findings, if there is one.

    Its heading, or the one above, must have a word of the question.
    """
    words = list_words(state.request.query)
    sections = [
        one
        for one in state.findings
        if one.kind == "section" and shares_word(" ".join(one.symbol.split(" > ")[-2:]), words)
    ]
    return [
        f"The closest section of the documentation is {one.symbol} ({one.citation})." for one in sections[:1]
    ]


def _list_called(state: ResearchState, caller: Declaration) -> Iterable[Node]:
    """Return what a symbol calls, except itself, in the order of the findings.

    If some callees fit the question's words, the others, such as a conversion of text, are left out.
    """
    called = {
        link.target for link in state.links.values() if link.source == caller and link.kind == "calls"
    } - {caller}
    nodes = [node for declaration, node in state.nodes.items() if declaration in called]
    nodes = [node for node in nodes if not is_test_node(node) or is_test_place(caller.path)]
    words, near = list_words(state.request.query), {one.node_id for one in state.findings if not one.hop}
    return [node for node in nodes if node.node_id in near or shares_word(node.symbol.name, words)] or nodes
