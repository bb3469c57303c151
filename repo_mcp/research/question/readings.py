"""Make readings, each with words that say how the question was understood."""

from __future__ import annotations

from collections import Counter

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import join_names, shorten
from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.research.question.grammar import DESCRIBED_FORMS

# Forms that ask about symbols: if no symbol has the name, the answer says so first. A setting is often only a
# text.
OF_SYMBOLS = frozenset(
    {Form.CALLERS, Form.CALLEES, Form.TESTS, Form.DEPENDENTS, Form.DEPENDENCIES, Form.IMPLEMENTATIONS,
     Form.DEFINED, Form.DIFFERENCE, Form.FLOW, Form.RAISED}
)  # fmt: skip
_PHRASES = {
    Form.IMPLEMENTATIONS: "what implements, extends or overrides {}",
    Form.CALLERS: "what calls {}, and what calls that",
    Form.TESTS: "which tests use {}, or what uses it",
    Form.CALLEES: "what {} calls, and what that calls",
    Form.DEPENDENCIES: "what {} depends on",
    Form.DEPENDENTS: "what depends on {}",
    Form.CONFIGURED: "where {} is configured",
    Form.FLOW: "how {} leads to {}",
    Form.DEFINED: "what {} is: where it is declared, what uses it, what it uses",
    Form.EXTENSION: 'how to add "{}"',
    Form.ERRORS: 'the errors of "{}"',
    Form.RAISED: "where {} is raised, and under which conditions",
    Form.WRITTEN: "where this text occurs: {}",
    Form.DIFFERENCE: "the difference between {} and {}",
    Form.OPEN: "an open question, answered from its words",
    Form.OVERVIEW: "the structure of {}",
}
_OF_SEVERAL = {
    Form.TESTS: "which tests use {}, or what uses them",
    Form.CALLEES: "what {} call, and what that calls",
    Form.DEPENDENCIES: "what {} depend on",
    Form.CONFIGURED: "where {} are configured",
    Form.FLOW: "how {} lead to {}",
    Form.DEFINED: "what {} are: where they are declared, what uses them, what they use",
}


def build_reading(form: Form, subjects: tuple[Subject, ...]) -> Reading:
    """Return the reading of a form and its subjects, with words that say how they are understood."""
    if form is Form.OVERVIEW:
        name = subjects[0].name
        text = "the structure of " + ("the whole repository" if name == "." else f"the folder {name}")
    elif subjects[0].taken_as in (TakenAs.UNDECLARED, TakenAs.UNPARSED):
        text = f"a question about {' and '.join(map(_describe_subject, subjects))}"
    elif form in (Form.OPEN, Form.WRITTEN, *DESCRIBED_FORMS):
        text = _PHRASES[form].format(subjects[0].asked)
    else:
        phrase = _OF_SEVERAL.get(form, _PHRASES[form]) if _is_several(subjects[0]) else _PHRASES[form]
        described = [*map(_name_setting if form is Form.CONFIGURED else _describe_subject, subjects)]
        if form is Form.DIFFERENCE:  # of two or more
            described = [", ".join(described[:-1]), described[-1]]
        text = phrase.format(*described)
    return Reading(form, text, subjects)


def read_as_open(text: str) -> Reading:
    """Return the reading of an open question, which is answered from the words of a text."""
    return build_reading(Form.OPEN, (Subject(text, TakenAs.WORDS),))


def narrow_subjects(reading: Reading, folder: str) -> Reading | None:
    """Return the reading of the subjects that a folder declares alone, or None if it declares none."""
    inside = [
        replace(one, nodes=tuple(node for node in one.nodes if node.path.startswith(f"{folder}/")))
        for one in reading.subjects
    ]
    return build_reading(reading.form, tuple(inside)) if any(one.nodes for one in inside) else None


def _is_several(subject: Subject) -> bool:
    """Return True for a subject that is described by more than one name."""
    return len({(node.qualified_name, node.kind) for node in subject.nodes}) > 1


def _name_setting(subject: Subject) -> str:
    """Return the brief names of what is declared as a setting: its module and kind tell nothing of it."""
    if subject.taken_as is not TakenAs.DECLARED:
        return _describe_subject(subject)
    return join_names(shorten(node.qualified_name) for node in subject.nodes)


def _describe_subject(subject: Subject) -> str:
    """Describe a subject in words."""
    if subject.taken_as is TakenAs.FOLDER:
        return f"the folder {subject.name}"
    if subject.taken_as is TakenAs.OUTSIDE:
        return f"{subject.name} (declared outside this repository)"
    if subject.taken_as is TakenAs.UNDECLARED:
        return f"{subject.asked} (not declared in this repository)"
    if subject.taken_as is TakenAs.UNPARSED:
        return f"{subject.asked} (declared in a language without a symbol parser)"
    if not subject.nodes:
        return f'"{subject.asked}" (no symbol here)'
    counts = Counter(node.qualified_name for node in subject.nodes)
    names = [
        f"{node.qualified_name} ({node.kind}{f' in {node.path}' if counts[node.qualified_name] > 1 else ''})"
        for node in subject.nodes
    ]
    listed = join_names(names)  # overloads say the same
    if subject.taken_as is TakenAs.DECLARED_OTHERWISE:
        return f'{listed} ("{subject.asked}" itself is not declared)'
    if subject.taken_as is TakenAs.WORDS:
        return f'{listed} (taken for "{subject.asked}", which is not declared)'
    return listed
