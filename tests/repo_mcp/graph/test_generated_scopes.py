"""Generated programs of nested scopes in nine languages: `exact` is never the variable of another scope."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.graph.program import Confidence, Resolver
from repo_mcp.graph.python.resolver import PythonResolver
from repo_mcp.languages.python.symbol_parser import parse as parse_python
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolRecord
from tests.deep.sizes import examples
from tests.repo_mcp.graph.memory_program import MemoryProgram
from tests.repo_mcp.graph.resolved import RESOLVERS, parse
from tests.repo_mcp.graph.scoped_languages import LANGUAGES
from tests.repo_mcp.graph.scoped_programs import NAMES, Language, Spelling, Statement, Written

_NAME, _TYPE, _FORM = st.sampled_from(NAMES), st.sampled_from(("Ant", "Bee", "")), st.integers(0, 59)
_PLAIN = st.one_of(
    st.tuples(st.just("use"), _NAME),
    st.tuples(st.just("use"), _NAME),
    st.tuples(st.just("declare"), _FORM, _NAME, _TYPE),
    st.tuples(st.just("bare"), _NAME),
)
_STATEMENTS: st.SearchStrategy[list[Statement]] = st.recursive(
    st.lists(_PLAIN, min_size=1, max_size=4),
    lambda inner: st.lists(
        st.one_of(
            _PLAIN, st.tuples(st.just("inside"), _FORM, _NAME, _TYPE, st.sampled_from(("x", "y", "")), inner)
        ),
        min_size=1,
        max_size=5,
    ),
    max_leaves=6,
)


def find_wrong(language: Language, written: Written) -> list[str]:
    """Return what is said of the uses in a program although it is wrong."""
    texts = {language.path: written.text, **language.other}
    program = MemoryProgram(texts, {**dict.fromkeys(RESOLVERS, parse), "python": parse_python})
    name = program.find_language(language.path)
    resolver = PythonResolver(program) if name == "python" else RESOLVERS[name](program)
    record = program.find_record(language.path)
    assert record is not None
    wrong, seen = [], set()
    for row in range(record.reference_count):
        reference = record.get_reference(row)
        if reference.role is ReferenceRole.BIND or reference.role is ReferenceRole.TYPE:
            continue
        owners = list_owners(resolver, language.path, record, reference)
        if reference.name in written.members:
            seen.add(reference.name)
            meant = written.members[reference.name]
            sure = [one for one, confidence in owners if confidence is not Confidence.POSSIBLE]
            if sure and sure != [meant]:
                wrong.append(f"line {reference.line}: {reference.name} of {sure}, not of {meant or 'what'}")
        variable, is_outside = written.bare.get(reference.line, ("", True))
        if reference.name == variable and not reference.qualifier and not is_outside:
            wrong += [
                f"line {reference.line}: {variable} is local" for _, one in owners if one is Confidence.EXACT
            ]
    return wrong + [f"{one} is lost" for one in written.members if one not in seen]


def list_owners(
    resolver: Resolver, path: str, record: SymbolRecord, reference: Reference
) -> list[tuple[str, Confidence]]:
    """Return the names of what a use's targets are declared in, with their confidence."""
    found = []
    for target in resolver.resolve(path, record, reference).targets:
        parent = record.get_symbol(record.get_symbol(target.declaration.ordinal).parent)
        found.append((parent.name, target.confidence))
    return found


@pytest.mark.sized
@pytest.mark.parametrize("name", LANGUAGES)
def test_a_name_means_the_variable_of_its_scope(name: str) -> None:
    language = LANGUAGES[name]

    @settings(max_examples=examples(1_500), deadline=None)
    @given(_STATEMENTS, st.integers(0, 1 << 16))
    def check(statements: list[Statement], seed: int) -> None:
        written = Spelling(language, seed).write(statements)
        assert find_wrong(language, written) == [], written.text

    check()


def test_what_a_loop_goes_through_does_not_see_its_variable() -> None:
    """`foreach (Ant y in y.m0)` asks the field y, as generated programs showed once."""
    written = Spelling(LANGUAGES["csharp"], 1).write([("inside", 38, "y", "Ant", "y", [("use", "x")])])
    assert "foreach (Ant y in y." in written.text
    assert find_wrong(LANGUAGES["csharp"], written) == []


def test_a_statement_that_its_line_ends_has_no_semicolon_behind_it() -> None:
    """Nobody writes `take(x)`, a line feed and `;`, and where it is read as an error `m2` is a type."""
    inner = [("use", "x"), ("use", "x"), ("bare", "x"), ("declare", 0, "x", "")]
    written = Spelling(LANGUAGES["go"], 18948).write([("inside", 31, "x", "Ant", "x", inner)])
    assert "\n;" not in written.text
    assert find_wrong(LANGUAGES["go"], written) == []
