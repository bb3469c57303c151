"""Lists as they are written: where they are cut."""

from __future__ import annotations

import pytest

from repo_mcp.languages.treesitter.written_lists import split_list, split_signature


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("  ", []),
        ("a", ["a"]),
        ("a, b", ["a", "b"]),
        ("a,", ["a", ""]),
        (",", ["", ""]),
        ("Map<A, B> m, (int, int) t, int[,] n", ["Map<A, B> m", "(int, int) t", "int[,] n"]),
        ("(a, b) => a, c", ["(a, b) => a", "c"]),
        ("=>2,?,x->y,z", ["=>2", "?", "x->y", "z"]),
        ('string s = ",\\",)", int n', ['string s = ",\\",)"', "int n"]),
        ("char c = ',', char d = '('", ["char c = ','", "char d = '('"]),
        ("a), b", ["a), b"]),
        ('"no end, b', ['"no end', "b"]),
    ],
)
def test_a_list_is_cut_at_its_own_commas(text: str, parts: list[str]) -> None:
    assert split_list(text) == parts


@pytest.mark.parametrize(
    ("text", "type_parameters", "parameters"),
    [
        ("", [], []),
        ("()", [], []),
        ("(int a, int b)", [], ["int a", "int b"]),
        ("<T>()", ["T"], []),
        ("<T, U>(List<T> a, U b)", ["T", "U"], ["List<T> a", "U b"]),
        ("<T>", ["T"], []),
        ("[int at]", [], ["int at"]),
        ("( int a )", [], ["int a"]),
        ("(int a, Func<int, st…", [], ["int a", "Func<int, st…"]),
    ],
)
def test_a_signature_has_type_parameters_and_parameters(
    text: str, type_parameters: list[str], parameters: list[str]
) -> None:
    assert split_signature(text) == (type_parameters, parameters)
