"""Variables that closures, `let` and `for` bind inside the arguments of macros."""

from __future__ import annotations

from functools import partial

import pytest

from repo_mcp.languages.capture_parsers import parse_rust
from tests.growth import assert_linear
from tests.repo_mcp.graph.resolved import Repository

OUTSIDE = "lib.rs:2 is_good exact"
TEXT = """
    pub struct Item;
    impl Item { pub fn is_good(&self) -> bool { true } }
    pub struct Other;
    impl Other { pub fn is_good(&self) -> bool { false } }
    pub fn run(one: &Item, two: u8, others: Vec<Other>) {
        assert!(others.iter().all(|one| one.is_good()), "closure");
        assert!(others.iter().all(|&(a, one)| one.is_good()), "tuple");
        assert!(others.iter().any(move |one: &Other| { one.is_good() }), "typed");
        trace!("let {}", { let one = others.first(); one.is_good() });
        trace!("for {}", { for one in others.iter() { one.is_good(); } });
        assert!(others.iter().all(|one| true) && one.is_good(), "behind");
        assert!(two | 1 > 2 || one.is_good() | true, "bars");
        println!("| {} |", one.is_good()); /* text */
    }
    """


@pytest.mark.parametrize("line", ["closure", "tuple", "typed", "let", "for"])
def test_a_variable_of_a_macro_hides_the_one_outside(line: str) -> None:
    found = Repository.build({"lib.rs": TEXT}).ask("lib.rs", line, "is_good")
    assert OUTSIDE not in found
    assert len(found) == 2


@pytest.mark.parametrize("line", ["behind", "bars", "/* text"])
def test_the_variable_outside_is_meant_elsewhere_in_a_macro(line: str) -> None:
    assert Repository.build({"lib.rs": TEXT}).ask("lib.rs", line, "is_good") == [OUTSIDE]


@pytest.mark.parametrize("piece", [b"let one = two; ", b"|one| two(one), "])
def test_a_macro_with_thousands_of_variables_is_read_once(piece: bytes) -> None:
    assert_linear(lambda size: b"fn run() { trace!(%s); }" % (piece * size), partial(parse_rust, "a.rs"), 400)
