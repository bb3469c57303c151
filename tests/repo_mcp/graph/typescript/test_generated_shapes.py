"""Generated classes and interfaces: which satisfies which, beside a slow oracle that reads no texts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.graph.vocabulary import EdgeType
from tests.deep.sizes import examples
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph

ANY = ""  # no type is written


@dataclass(frozen=True)
class Member:
    """A member of a class or an interface; without parameters to list, a property that is no function."""

    parameters: tuple[str, ...] | None
    result: str
    is_optional: bool
    is_hidden: bool  # private, in a class
    is_arrow: bool  # a property that is a function


@dataclass(frozen=True)
class Type:
    """A class or an interface, with the numbers of its base and of the interface that it names, if any."""

    members: dict[str, Member]
    base: int
    named: int


TYPES = st.sampled_from((ANY, "string", "number", "string | number", "Date"))
MEMBERS = st.builds(
    Member,
    parameters=st.none() | st.lists(TYPES, max_size=2).map(tuple),
    result=TYPES,
    is_optional=st.sampled_from((False, False, False, True)),
    is_hidden=st.sampled_from((False, False, False, False, True)),
    is_arrow=st.booleans(),
)
NAMES = "abc"


@st.composite
def draw_types(draw: st.DrawFn) -> tuple[list[Type], list[Type]]:
    """Draw classes and interfaces whose members of one name are alike, but for one difference at times."""
    usual = {name: draw(MEMBERS) for name in NAMES}

    def draw_member(name: str) -> Member:
        other = draw(MEMBERS)
        changed = draw(st.sampled_from((*(("",) * 6), *Member.__dataclass_fields__)))
        return replace(usual[name], **({changed: getattr(other, changed)} if changed else {}))

    def draw_type() -> Type:
        names = draw(st.sets(st.sampled_from(NAMES), max_size=3))
        members = {name: draw_member(name) for name in sorted(names)}
        return Type(members, draw(st.integers(-3, 3)), draw(st.integers(-9, 3)))

    return [draw_type() for _ in range(4)], [draw_type() for _ in range(draw(st.integers(1, 3)))]


def write(name: str, member: Member, *, in_class: bool) -> str:
    head = "private " * (in_class and member.is_hidden) + name + "?" * member.is_optional
    result = f": {member.result}" if member.result else ""
    if member.parameters is None:
        return f"{head}{result};"
    given = ", ".join(f"p{at}: {one}" if one else f"p{at}" for at, one in enumerate(member.parameters))
    if member.is_arrow:
        return f"{head}: ({given}) => {member.result or 'any'};"
    return f"{head}({given}){result}" + (" { throw 1; }" if in_class and not member.is_optional else ";")


def write_all(classes: list[Type], interfaces: list[Type]) -> str:
    lines = []
    for prefix, word, types in (("I", "interface", interfaces), ("C", "class", classes)):
        for at, one in enumerate(types):
            base = f" extends {prefix}{one.base}" if 0 <= one.base < at else ""
            named = f" implements I{one.named}" if prefix == "C" and 0 <= one.named < len(interfaces) else ""
            body = " ".join(write(name, each, in_class=prefix == "C") for name, each in one.members.items())
            lines.append(f"export {word} {prefix}{at}{base}{named} {{ {body} }}")
    return "\n".join(lines) + "\n"


def gather(types: list[Type], at: int) -> dict[str, Member]:
    """Return the members of a type and of its bases."""
    base = types[at].base
    return (gather(types, base) if 0 <= base < at else {}) | types[at].members


def list_above(types: list[Type], at: int) -> list[int]:
    base = types[at].base
    return [at, *(list_above(types, base) if 0 <= base < at else ())]


def is_named(classes: list[Type], interfaces: list[Type], at: int, interface: int) -> bool:
    named = [classes[one].named for one in list_above(classes, at)]
    return any(0 <= one < len(interfaces) and interface in list_above(interfaces, one) for one in named)


def fits(own: str, wanted: str) -> bool:
    if ANY in (own, wanted):
        return True
    return set(own.split(" | ")) <= set(wanted.split(" | "))


def stands(own: Member | None, wanted: Member) -> bool:
    if own is None:
        return wanted.is_optional
    if own.is_hidden or (own.is_optional and not wanted.is_optional):
        return False
    if (own.parameters is None) != (wanted.parameters is None):
        plain = own if own.parameters is None else wanted
        return plain.result == ANY
    if own.parameters is None or wanted.parameters is None:
        return fits(own.result, wanted.result)
    each = zip(own.parameters, wanted.parameters, strict=False)
    alike = all(fits(one, other) or fits(other, one) for one, other in each)
    return len(own.parameters) <= len(wanted.parameters) and alike and fits(own.result, wanted.result)


def satisfies(classes: list[Type], interfaces: list[Type], at: int, interface: int) -> bool:
    """Return whether a class has what an interface requires, and does not name it."""
    wanted, own = gather(interfaces, interface), gather(classes, at)
    is_called = any(one.parameters is not None and not one.is_optional for one in wanted.values())
    alike = all(stands(own.get(name), one) for name, one in wanted.items())
    return is_called and alike and not is_named(classes, interfaces, at, interface)


@settings(max_examples=examples(600), deadline=None)
@given(draw_types())
def test_generated_classes_satisfy_what_an_oracle_says(drawn: tuple[list[Type], list[Type]]) -> None:
    classes, interfaces = drawn
    graph = make_graph({"all.ts": write_all(classes, interfaces)})
    for number in range(len(interfaces)):
        all_of_them = [at for at in range(len(classes)) if satisfies(classes, interfaces, at, number)]
        first = [at for at in all_of_them if not set(list_above(classes, at)[1:]) & set(all_of_them)]
        edges = list_incoming(graph, f"I{number}", EdgeType.IMPLEMENTS)
        found = [other for _, confidence, other, _ in edges if confidence == "possible"]
        assert sorted(found) == [f"C{at}" for at in first], write_all(classes, interfaces)
