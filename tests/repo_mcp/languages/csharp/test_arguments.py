"""What is known of the arguments of a C# call."""

from __future__ import annotations

import pytest

from repo_mcp.languages.csharp.symbol_parser import parse_csharp
from repo_mcp.languages.csharp.types import MAX_ARGUMENTS_CHARS, WrittenArgument, split_call
from repo_mcp.symbols.record_builder import MAX_TEXT_CHARS
from repo_mcp.symbols.symbol_record import ReferenceRole, decode_symbol_record

HEAD = """class A
{
    int field;
    void M(Foo typed, string text, int? maybe, int[] numbers, List<int> list, var odd)
    {
        var whole = 5; var real = 1.5; Foo made = Make(); var unknown = (1, 2); Span<byte> bytes = Get();
        Call(
"""
TAIL = "\n        );\n    }\n}\n"


def _read(arguments: str) -> str:
    """Return the alias of the call of `Call`."""
    found = decode_symbol_record(parse_csharp("a.cs", f"{HEAD}{arguments}{TAIL}".encode()))
    rows = found.find_references("Call")
    calls = [found.get_reference(row) for row in rows]
    assert [call.role for call in calls] == [ReferenceRole.CALL]
    return calls[0].alias


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("1", "1"), ("0", "0"), ("0x1F", "1"), ("0b0", "0"), ("1_000", "1"), ("-3", "1"),
        ("2u", "=uint"), ("2L", "=long"), ("2UL", "=ulong"), ("3000000000", "=uint"),
        ("9000000000", "=long"), ("10000000000000000000", "=ulong"), ("9" * 30, ""),
        ("1.5", "=double"), ("1.5f", "=float"), ("1e3M", "=decimal"),
        ("'c'", "=char"), ('"s"', "=string"), ('@"s"', "=string"), ('$"{field}"', "=string"),
        ('"""s"""', "=string"), ('"s"u8', ""), ("true", "=bool"), ("null", "=null"),
        ("nameof(field)", "=string"), ("typeof(Foo)", "=System.Type"), ("sizeof(int)", "=int"),
        ("!typed", "=bool"), ("field == 1", "=bool"), ("typed is Bar", "=bool"),
        ('"a" + typed', "=string"), ('typed + 1 + "a"', "=string"), ("field + 1", ""),
        ("text ?? text", "=string"), ("typed ?? other", ""), ("field > 0 ? text : null", "=string"),
        ("field > 0 ? 1 : text", ""),
        ("new Foo<int>(1)", "=Foo<int>"), ("new int[field]", "=int[]"), ("new int[2, 3]", "=int[, 3]"),
        ("new { A = 1 }", "{}"), ("new()", ""), ("new[] { 1 }", ""), ("[1, 2]", ""), ("default", ""),
        ("default(int)", "=int"), ("(Bar)typed", "=Bar"), ("typed as Bar", "=Bar"),
        ("(typed)", "typed"), ("typed!", "typed"), ("typed?.Name", "typed.Name"),
        ("typed", "typed"), ("typed.Make().Name", "typed.Make().Name"),
        ("await typed.Go()", "typed.Go().await"),
        ("this", "this"), ("field", "field"), ("Color.Red", "Color.Red"), ("made", "made"),
        ("text", "=string"), ("maybe", "=int?"), ("maybe.Value", "=int"), ("numbers", "=int[]"),
        ("numbers[0]", "=int"), ("numbers.Length", "?.Length"), ("list", "=List<int>"), ("list[0]", ""),
        ("whole", "=int"), ("real", "=double"), ("bytes", "=Span<byte>"), ("unknown", ""), ("odd", ""),
        ("x => 1", "=>1r"), ("() => 1", "=>0r"), ("(a, b) => a", "=>2r"), ("async x => x", "=>1ar"),
        ("() => Run(1)", "=>0:Run()"), ("x => Run()", "=>1:Run()"),
        ("async () => await A.B<C>()", "=>0a:A.B<C>()"),
        ("() => a = 1", "=>0b"), ("() => new A()", "=>0b"), ("() => i++", "=>0b"), ("() => throw e", "=>0"),
        ("() => { Run(); }", "=>0v"), ("() => { return 1; }", "=>0r"), ("() => { return; }", "=>0v"),
        ("() => { throw e; }", "=>0"), ("() => { Run(() => { return 1; }); }", "=>0v"),
        ("delegate { }", "=>v"), ("delegate (int a) { }", "=>1v;int"),
        ("ref field", "&field"), ("out text", "&=string"), ("out int fresh", "&=int"),
        ("out var fresh", "&?"), ("in field", "field"),
        ("name: 1", "name:1"), ("name: ref field", "name:&field"), ("name: odd", "name:?"),
        ("*typed", ""), ("^1", ""), ("(1, 2)", ""), ("/* one */ 1", "1"),
        ("a" * 90, ""),
    ],
)  # fmt: skip
def test_an_argument_is_a_chain_or_the_type_that_it_shows(argument: str, said: str) -> None:
    assert _read(argument) == (f"({said})" if said else "")


def test_unknown_ones_at_the_end_are_left_out() -> None:
    assert _read("1, odd, text, odd, odd") == "(1,?,=string)"
    assert _read("odd, odd") == ""


def test_what_is_said_of_a_call_is_bounded() -> None:
    said = _read(", ".join(["typed." + "Long" * 15] * 8))
    assert said.startswith("(typed.Long")
    assert len(said) <= MAX_ARGUMENTS_CHARS + 2 < MAX_TEXT_CHARS
    assert len(split_call(said)[1]) == 3


def test_a_sum_of_ten_thousand_texts_is_looked_into_a_little() -> None:
    assert _read(" + ".join(["odd"] * 10_000)) == ""
    assert _read(" + ".join(["odd"] * 10_000 + ['"end"'])) == "(=string)"


@pytest.mark.parametrize(
    ("alias", "arity", "given"),
    [
        ("", 0, []),
        ("`2", 2, []),
        (
            "(a.b(),=Map<A,B>,?)",
            0,
            [WrittenArgument("", "a.b()"), WrittenArgument("", "=Map<A,B>"), WrittenArgument("", "?")],
        ),
        (
            "`1(name:&=int,=>2,1)",
            1,
            [WrittenArgument("name:&", "=int"), WrittenArgument("", "=>2"), WrittenArgument("", "1")],
        ),
    ],
)
def test_what_was_written_is_read(alias: str, arity: int, given: list[WrittenArgument]) -> None:
    assert split_call(alias) == (arity, given)
