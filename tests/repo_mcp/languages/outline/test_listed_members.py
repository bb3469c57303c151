"""Members of types that no line pattern sees, in outlines; texts that are made to hurt."""

from __future__ import annotations

import pytest

from repo_mcp.languages.outline.lexical_adapter import outline_lexically
from repo_mcp.languages.outline.listed_members import add_members
from repo_mcp.languages.outline.symbol_lookup import choose_span
from repo_mcp.languages.patterns.language_registry import find_language
from tests.growth import assert_linear

PHP = """<?php
final class Depot extends Base {
    public static array $types = [
        'a' => 1,
    ];
    private ?Shelf $first;
    public function __construct(private Shelf $shelf, protected readonly array $rest = []) {
        static $cache = [];
    }
    public function other(int $a) {
        static $calls;
        return "
    public $quoted;
";
    }
}
enum State: string {
    case Draft = 'draft';
    case Done;
    public function label() {
        switch ($this) {
            case Draft: return 1;
        }
    }
}
"""
RUBY = """class Parcel
  attr_reader :path, :site,
              :size
  private attr_writer :dir
  def_delegators :@rows, :each, :count
  def_delegator :self, :read, :load
  alias_method :extname, :ext
  alias name path
  delegate :id, to: :site
  delegate :id, to: :owner, prefix: true
  define_method(:open?) { true }
  define_method(name) { true }
  # attr_reader :none

  def weigh
    attr_reader :inner
  end
end
attr_reader :outside
"""


def _list(path: str, text: str) -> list[tuple[str, str, int, int]]:
    found = outline_lexically(path, find_language(path), text).symbols
    return [
        (one.kind, f"{one.parent_symbol or ''}.{one.name}", one.start_line, one.end_line)
        for one in found
        if one.kind in ("property", "enum_member") or one.start_line == one.end_line
    ]


def test_properties_of_php_and_values_of_its_enums() -> None:
    assert _list("a.php", PHP) == [
        ("property", "Depot.types", 3, 5),
        ("property", "Depot.first", 6, 6),
        ("property", "Depot.shelf", 7, 7),
        ("property", "Depot.rest", 7, 7),
        ("enum_member", "State.Draft", 18, 18),
        ("enum_member", "State.Done", 19, 19),
    ]


def test_what_a_class_of_ruby_calls_to_declare_members() -> None:
    assert _list("a.rb", RUBY) == [
        ("property", "Parcel.path", 2, 2),
        ("property", "Parcel.site", 2, 2),
        ("property", "Parcel.size", 3, 3),
        ("property", "Parcel.dir", 4, 4),
        ("method", "Parcel.each", 5, 5),
        ("method", "Parcel.count", 5, 5),
        ("method", "Parcel.load", 6, 6),
        ("method", "Parcel.extname", 7, 7),
        ("method", "Parcel.name", 8, 8),
        ("method", "Parcel.id", 9, 9),
        ("method", "Parcel.open?", 11, 11),
    ]


def test_methods_of_ruby_that_comments_describe() -> None:
    text = """module Hooks
  included do
    singleton_class.attr_accessor :clock
  end
  ##
  # :method: before_close
  #
  # Runs first.

  # :singleton-method: limit
  mattr_accessor :limit
  # :method: after_close
  # :attr_reader: rest
end
"""
    found = outline_lexically("a.rb", find_language("a.rb"), text).symbols
    assert [(one.kind, one.name, one.start_line, one.end_line) for one in found] == [
        ("module", "Hooks", 1, 14),
        ("property", "clock", 3, 3),
        ("method", "before_close", 6, 8),
        ("property", "limit", 11, 11),
        ("method", "after_close", 12, 12),
        ("property", "rest", 13, 13),
    ]


def test_a_line_of_a_property_means_its_class() -> None:
    outline = outline_lexically("a.php", find_language("a.php"), PHP)
    assert choose_span(outline, PHP.encode(), None, 6).symbol == "Depot"
    assert choose_span(outline, PHP.encode(), "Depot.first", None).start_line == 6


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("php", "  public $a = [\n"),
        ("php", " public static private readonly"),
        ("php", "\n case A"),
        ("ruby", "\n attr_reader :a, :b,"),
        ("ruby", " :a,"),
        ("ruby", "\n a_a_a_attr_a"),
        ("ruby", "attr_"),
        ("ruby", "\n# :method: a"),
    ],
)
def test_they_are_found_in_linear_time(language: str, text: str) -> None:
    assert_linear(
        lambda size: b"\n attr_reader" + (text * size).encode(),
        lambda data: add_members(language, data, ()),
        200,
    )


KOTLIN = """enum class Color(val rgb: Int) : Named {
    RED(1),
    @Deprecated("x") GREEN(2) {
        val deep = 3
    },
    BLUE(3), BLACK;

    val hex: String get() = "x"
}
class Foo(
    val a: Int,
    private val b: String,
) {
    private val c by lazy {
        val inner = 3
        inner
    }
    lateinit var d: String
    init {
        val local = 1
    }
    fun f() {
        val own = 3
    }
}
interface Named {
    val <T> List<T>.name: String
}
val top = 1
"""


def test_kotlin_has_entries_and_properties_but_no_variables_of_blocks() -> None:
    found = outline_lexically("a.kt", find_language("a.kt"), KOTLIN).symbols
    named = [one for one in found if one.kind in ("property", "enum_member")]
    assert [f"{one.parent_symbol}.{one.name}" for one in named] == [
        *("Color.RED", "Color.GREEN", "Color.BLUE", "Color.BLACK", "Color.hex"),
        *("Foo.a", "Foo.b", "Foo.c", "Foo.d", "Named.name"),
    ]
    assert [one.kind for one in named] == ["enum_member"] * 4 + ["property"] * 6
    assert (
        choose_span(outline_lexically("a.kt", find_language("a.kt"), KOTLIN), b"", "d", None).start_line == 18
    )


COMPANION = """class Cipher(val name: String) {
    private companion object {
        val FAST = Cipher("fast")
        private val names = buildList {
            val inner = 3
        }

        fun of(name: String): Cipher {
            val found = names
        }
    }

    val size: Int = 3
}
"""


def test_properties_of_a_companion_are_members_of_its_class() -> None:
    found = outline_lexically("a.kt", find_language("a.kt"), COMPANION).symbols
    named = [f"{one.parent_symbol}.{one.name}" for one in found if one.kind == "property"]
    assert named == ["Cipher.FAST", "Cipher.names", "Cipher.size"]
