"""Java: members of what a type of the repository is given for its type parameters."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXT = """
package p;
import java.util.*;
import java.util.function.*;
class Other { int code() { return 1; } }
class Item { int code() { return 2; } }
class Holder<T> {
  T held;
  T take() { return held; }
  List<T> all() { return null; }
  Holder<T> self() { return this; }
  void each(Consumer<? super T> given) {}
  <T> T other(T one) { return one; }
}
class Builder {
  private boolean named;
  Builder named(boolean is) { return this; }
  Item build() { return null; }
}
class Pair<A, B> { A left; Holder<B> right; }
class Outer { static class In<T> { T inner; } }
class Sub<T> extends Holder<Other> {}
class Use {
  Holder<Item> field; Pair<Other, Item> pair; Sub<Item> sub;
  Holder<Item> make() { return null; }
  void run(Pair<Item, Holder<Other>> deep, Holder<? extends Item> wild) {
    field.take().code(); // method
    field.held.code(); // field
    make().self().take().code(); // chain
    field.all().get(0).code(); // list
    pair.left.code(); // first
    pair.right.take().code(); // second
    deep.right.take().take().code(); // nested
    wild.take().code(); // wildcard
    Holder<Item> local = new Holder<>();
    local.take().code(); // local
    Outer.In<Item> nested = null;
    nested.inner.code(); // qualified
    field.each(x -> x.code()); // lambda
    field.other(new Other()).code(); // own parameter
    sub.take().code(); // of a base
    new Builder().named(true).build().code(); // beside a field
  }
}
"""
ITEM, OTHER = ["p/A.java:5 code probable"], ["p/A.java:4 code probable"]
EITHER = ["p/A.java:4 code possible", "p/A.java:5 code possible"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("// method", ITEM),
        ("// field", ITEM),
        ("// chain", ITEM),
        ("// list", ITEM),
        ("// first", OTHER),
        ("// second", ITEM),
        ("// nested", OTHER),
        ("// wildcard", ITEM),
        ("// local", ITEM),
        ("// lambda", ITEM),
        ("// qualified", ITEM),
        ("// own parameter", EITHER),
        ("// of a base", EITHER),
        ("// beside a field", ["p/A.java:5 code exact"]),
    ],
)
def test_members(line: str, expected: list[str]) -> None:
    assert Repository.build({"p/A.java": TEXT}).ask("p/A.java", line, "code") == expected


LENT = """
package p;
import java.util.function.*;
import com.lib.Lazy;
class Item { int code() { return 2; } Item other() { return this; } }
class Other { int code() { return 3; } }
class Use {
  Supplier<Item> field; Lazy<Item> lazy; Function<String, Item> make; Supplier<String> text;
  void run(Supplier<? extends Item> given) {
    field.get().code(); // field
    field.get().other().code(); // chain
    given.get().code(); // wildcard
    make.apply("a").code(); // the last
    var got = field.get();
    got.code(); // variable
    lazy.map(x).code(); // unknown
    text.get().code(); // outside
    field.code(); // of its own
  }
}
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *((f"// {one}", ["p/A.java:4 code probable"]) for one in ("field", "chain", "wildcard", "variable")),
        ("// the last", ["p/A.java:4 code probable"]),
        ("// unknown", ["p/A.java:4 code possible", "p/A.java:5 code possible"]),
        ("// outside", ["-> String.code"]),
        ("// of its own", ["-> java.util.function.Supplier.code"]),
    ],
)
def test_what_a_generic_of_a_library_gives_has_the_type_it_is_given(line: str, expected: list[str]) -> None:
    files = {"p/A.java": LENT.replace("function.*", "function.Supplier")}
    assert Repository.build(files).ask("p/A.java", line, "code") == expected
