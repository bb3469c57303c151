"""Landmarks of real-looking snippets, one per language, and of texts made to hurt."""

from __future__ import annotations

import random

import pytest

from repo_mcp.languages.patterns.landmarks import Landmarks, scan
from repo_mcp.languages.patterns.language_registry import LANGUAGES, find_dialect, find_language
from tests.deep.sizes import IS_DEEP, choose


def names(language: str, text: str) -> list[str]:
    data = text.encode()
    return [data[start:end].decode() for start, end in scan(LANGUAGES[language], data).definitions]


def docs(language: str, text: str) -> list[str]:
    data = text.encode()
    return [data[start:end].decode() for start, end in scan(LANGUAGES[language], data).doc_spans]


SNIPPETS: dict[str, tuple[str, list[str], list[str]]] = {
    "python": (
        '''#!/usr/bin/env python
"""Module law."""
import os
MAX_SIZE: int = 3
Alias = dict[str, int]
class Walker(Base):
    """One
    walk."""
    LIMIT = 4

    async def run(self,
                  x):
        """
        Lone quotes.
        """
        text = """
def not_a_definition():
"""
        return x  # trailing
    # why
    # and how
    def stop(self): pass
''',
        ["MAX_SIZE", "Alias", "Walker", "LIMIT", "run", "stop"],
        [
            '#!/usr/bin/env python\n"""Module law."""',
            '"""One\n    walk."""',
            '"""\n        Lone quotes.\n        """',
            "# why\n    # and how",
        ],
    ),
    "c": (
        """/* Licence
 * struct not_this {
 */
#include <linux/fs.h>
#define MAX_ORDER 11
#  define DEEP(x) (x)
struct file;
extern int prototype(int a);
struct inode {
	int a; /* trailing */
};
typedef struct {
	int b;
} pair_t;
typedef unsigned int u32;
typedef int (*compare_fn)(const void *, const void *);
static const struct file_operations ext4_ops = {
	.open = ext4_open,
};
static DEFINE_MUTEX(skipped);
DEFINE_MUTEX(kept);
// one
// two
static int __init ext4_init(struct super_block *sb,
			    int flags)
{
	/* inside */
	if (x) {
		call(y);
	}
out:
	return 0;
}
EXPORT_SYMBOL(ext4_init);
SYSCALL_DEFINE3(read, unsigned int, fd)
{
}
int *
gnu_style (void)
{
}
""",
        [
            "MAX_ORDER",
            "DEEP",
            "inode",
            "pair_t",
            "u32",
            "compare_fn",
            "ext4_ops",
            "kept",
            "ext4_init",
            "read",
            "gnu_style",
        ],
        ["/* Licence\n * struct not_this {\n */", "// one\n// two", "/* inside */"],
    ),
    "cpp": (
        """#pragma once
namespace json {
template <typename T>
class Parser final : public Base<T> {
 public:
  explicit Parser(int depth) : depth_(depth) {}
  std::vector<int> parse_array(const char* p) const {
    if (p) { return read(p); }
    foo.bar(x);
  }
  void declared(int);
};
}
/// doc
enum class Color { red };
using Map = std::map<int, int>;
static const int kMax = 3;
std::string Parser::to_string(int x)
{
}
Parser::~Parser() {
}
struct Fwd;
""",
        ["json", "Parser", "Parser", "parse_array", "Color", "Map", "kMax", "to_string", "Parser"],
        ["/// doc"],
    ),
    "csharp": (
        """using System;
/// <summary>Doc</summary>
public sealed partial class Walker : IWalker
{
    private const int Max = 3;
    public int Depth { get; set; }
    public string Name => name;
    public Walker(int depth)
    {
        return Foo(depth);
    }
    public async Task<List<int>> RunAsync<T>(T x)
    {
        var y = Call(x);
        await Other(y);
    }
    static (IPath?, string) Split(string path)
    {
        (int a, int b) = Pair(path);
        var found = (path, a) switch {
            (null, 0) or (null, 1) => 1,
            (null, _) when (a > 0) => 2,
        };
        (path, a) switch {
        };
    }
    private async Task<(int Line, string Text)> Read() => default;
    void Helper(int a);
    async Task IFilter<Pair<T, int>>.Send<TKey>(T context, IPipe<T> next)
    {
        return await next.Send(context).Wait();
        await Other.Send(context, text switch {
            string one when Other.IsEmpty(one) => 1,
            Kind.A or Kind.B => 2,
        }, @"
   at System.Text.Encoding.Read(Task task)");
        Wait(x => x.Id,
            _machine.Started, TimeSpan.FromSeconds(8));
    }
    Type IWalker.Kind => typeof(T);
    string App.INamed.Title
    {
        get => Found(value is Other.Kind { Length: 1 });
    }
}
public record struct Point(int X);
public enum Kind { A }
interface IWalker { }
""",
        [
            *("Walker", "Max", "Depth", "Name", "Walker", "RunAsync", "Split", "Read"),
            *("Helper", "Send", "Kind", "Title", "Point", "Kind", "IWalker"),
        ],
        ["/// <summary>Doc</summary>"],
    ),
    "java": (
        """package a.b;
/** Doc. */
public final class Walker<T> extends Base {
    private static final int MAX_DEPTH = 3;
    public Walker(int depth) {
        return;
    }
    @Override
    public Map<String, List<T>> findAll(String q) {
        return other(q);
    }
    <K> void generic(K k) {
        new Thing(k);
        foo(k);
    }
}
interface Visitor { void visit(Node n); }
record Point(int x) {}
@interface Marker {}
enum Kind { A }
""",
        [
            "Walker",
            "MAX_DEPTH",
            "Walker",
            "findAll",
            "generic",
            "Visitor",
            "Point",
            "Marker",
            "Kind",
        ],
        ["/** Doc. */"],
    ),
    "javascript": (
        """// one
export default class Router {
  static create(options) {
    if (options) { this.use(options) }
    items.forEach(function (x) { })
  }
  async #private(a, b) {
  }
}
export const VERSION = '1'
const handler = async (req, res) => {
  const local = 3
  const inner = (x) => x
}
function* walk(tree) {}
Router.prototype.use = function (fn) {}
Router.prototype[Symbol.iterator] = function* () {}
Router.prototype["close"] = () => {}
handlers[kind] = function () {}
module.exports.parse = (text) => {}
const api = {
  get: function (url) {},
  put(url) {
  },
  async send (opts, { retries = 3, ...rest } = {}, mode = 'a') {
    if (opts) {
    }
    switch (mode) {
      case (FIRST): {
      }
      case ('a'): {
      }
    }
  },
}
class Client {
  [kDispatch] (opts, handler) {
  }
  * [Symbol.iterator] () {
  }
  get (key) {
  }
}
describe('x', () => {
})
it ('y (z)', { skip: true }, function () {
})
""",
        [
            "Router",
            "create",
            "private",
            "VERSION",
            "handler",
            "inner",
            "walk",
            "use",
            "iterator",
            "close",
            "parse",
            "api",
            "get",
            "put",
            "send",
            "Client",
            "kDispatch",
            "iterator",
            "get",
        ],
        ["// one"],
    ),
    "typescript": (
        """/** Doc */
export interface Options<T> { a: T }
export type Id = string | number
export abstract class Store {
  private readonly items: Map<string, number> = new Map()
  public get<T>(key: string): T | undefined {
    return call(key)
  }
  private readonly close = async (key: string): Promise<void> => {
    this.items.delete(key)
  }
  #drop = (key: string) => {
  }
  notify = async (
    event: Event,
  ): void => {
  }
  static merge<T>(
    target: T,
    ...sources: (Partial<T> | undefined)[]
  ): T {
    return target
  }
  groupBy(of: (one: Id) => string, more = first()) {
  }
}
declare namespace NodeJS {}
export const enum Kind { A }
export async function load(path: string): Promise<void> {}
""",
        [
            *("Options", "Id", "Store", "get", "close", "drop", "notify", "merge"),
            *("groupBy", "NodeJS", "Kind", "load"),
        ],
        ["/** Doc */"],
    ),
    "go": (
        """// Package walk walks.
package walk

import "os"

const (
	MaxDepth = 3
	ModeRead Mode = iota
)
// Walker walks
// trees.
type Walker struct {
	depth int
}
var ErrStop = errors.New("stop")
func New(depth int) *Walker { return nil }
func (w *Walker) Run(ctx context.Context) error {
	x := Foo(1)
	return nil
}
""",
        ["MaxDepth", "ModeRead", "Walker", "ErrStop", "New", "Run"],
        ["// Package walk walks.", "// Walker walks\n// trees."],
    ),
    "rust": (
        """//! Crate.
use std::io;
#[derive(Debug)]
pub struct Walker<'a> { x: &'a str }
pub(crate) enum Kind { A }
/// Doc
pub const MAX: usize = 3;
static mut COUNT: u32 = 0;
impl<'a> Walker<'a> {
    pub async unsafe fn run(&self) -> io::Result<()> {
        /* block */
        call(x);
    }
}
pub trait Visit { fn visit(&mut self); }
macro_rules! my_vec { () => {} }
pub extern "C" fn ffi() {}
type Alias = u32;
mod tests {}
""",
        ["Walker", "Kind", "MAX", "COUNT", "run", "Visit", "my_vec", "ffi", "Alias", "tests"],
        ["//! Crate.", "/// Doc", "/* block */"],
    ),
    "swift": (
        """/// Doc
@objc public final class Session: NSObject {
    static let shared = Session()
    private(set) var count = 0
    override func request(_ url: URL) -> Request {
        let local = 1
    }
    class func make() {}
}
public protocol Adapter { associatedtype Value }
extension Session {}
extension Session.Cache {
    dynamic func drop() {}
    func `repeat`() {}
    public convenience init?(named name: String) { self.init(name) }
    init<Source>(from source: Source) {
        super.init()
    }
    subscript(key: Int) -> Int { init(key) }
    deinit { drop() }
    let initial = 1
}
let topLevel = 3
enum State { case idle }
""",
        [
            *("Session", "shared", "request", "make", "Adapter", "Session", "Cache", "drop", "repeat"),
            *("init", "init", "subscript", "deinit"),
            *("topLevel", "State"),
        ],
        ["/// Doc"],
    ),
    "kotlin": (
        """/** Doc */
@Serializable
data class Point(val x: Int)
const val MAX = 3
sealed interface Shape
fun <T> List<T>.second(): T = this[1]
class Repo {
    companion object {
        const val KEY = "k"
    }
    override suspend fun load(id: Int) {
        val local = 1
    }
}
typealias Handler = (Int) -> Unit
object Registry
val Shape.isFlat: Boolean get() = true
internal expect val <T> Map<String, List<T>>.firstKey: String
fun <K, V> Map<in K, V>?.lastKey(): K
class `Old one` {
    @Test fun `keeps its name, with spaces`() {}
    fun List<Int>.`is`(other: Int) = true
}
""",
        [
            *("Point", "MAX", "Shape", "second", "Repo", "KEY", "load", "Handler", "Registry"),
            *("isFlat", "firstKey", "lastKey", "Old one", "keeps its name, with spaces", "is"),
        ],
        ["/** Doc */"],
    ),
    "scala": (
        """// one
sealed abstract class Tree[+A]
case class Leaf(x: Int) extends Tree
object Tree {
  private[this] val depth = 3
  implicit def toLeaf(x: Int): Leaf = Leaf(x)
  type Id = Int
  val empty = Leaf(0)
  @tailrec private def walk(x: Int): Int = {
    val next = x - 1
    walk(next)
  }
}
package object trees
trait Visitor
""",
        ["Tree", "Leaf", "Tree", "depth", "toLeaf", "Id", "empty", "walk", "trees", "Visitor"],
        ["// one"],
    ),
    "ruby": (
        """# frozen_string_literal: true
=begin
def hidden
=end
module Rack
  class Request::Env < Base
    MAX_SIZE = 3
    # doc
    def self.parse(x)
    end
    private def fetch!(y)
    end
  end
end
""",
        ["Rack", "Request::Env", "MAX_SIZE", "parse", "fetch!"],
        ["# frozen_string_literal: true", "=begin\ndef hidden\n=end", "# doc"],
    ),
    "php": (
        """<?php
/** Doc */
#[Attribute]
abstract class Model implements ArrayAccess
{
    public const MAX = 3;
    // line
    public static function &find(int $id): ?self
    {
        return call($id);
    }
}
interface Walks {}
trait Counts {}
function helper() {}
define('APP_ROOT', 1);
""",
        ["Model", "MAX", "find", "Walks", "Counts", "helper", "APP_ROOT"],
        ["/** Doc */", "// line"],
    ),
    "lua": (
        """-- one
-- two
local M = {}
--[[ long
function hidden() end
]]
local function helper(x) end
function M.walk(tree) end
function M:stop() end
M.start = function() end
return M
""",
        ["helper", "walk", "stop", "start"],
        ["-- one\n-- two", "--[[ long\nfunction hidden() end\n]]"],
    ),
    "shell": (
        """#!/bin/bash
# doc
export MAX_DEPTH=3
nvm_download() {
  local x=1 # trailing
}
function install-all {
  echo "$x"
}
""",
        ["MAX_DEPTH", "nvm_download", "install-all"],
        ["#!/bin/bash\n# doc"],
    ),
    "perl": (
        """#!/usr/bin/perl
package My::Module;
our $VERSION = '1';
=head1 NAME

sub hidden

=cut
sub new { }
""",
        ["My::Module", "VERSION", "new"],
        ["#!/usr/bin/perl", "=head1 NAME\n\nsub hidden\n\n=cut"],
    ),
    "haskell": (
        """{-# LANGUAGE GADTs #-}
{- | Module
data Hidden
-}
module Data.Walk where
-- | Doc
-- more
data Tree a = Leaf
newtype Walk' = Walk'
class Monad m => MonadWalk m where
  step' :: m ()
walk :: Tree a -> [a]
walk t = []
type Id = Int
""",
        ["Tree", "Walk'", "MonadWalk", "step'", "walk", "Id"],
        ["{- | Module\ndata Hidden\n-}", "-- | Doc\n-- more"],
    ),
    "elixir": (
        '''defmodule Plug.Conn do
  @moduledoc """
  Doc with def hidden
  """
  # note
  @doc "short"
  def send_resp(conn), do: conn
  defp helper(x) do
  end
  defmacro is_ok(x), do: x
end
''',
        ["Plug.Conn", "send_resp", "helper", "is_ok"],
        ['"""\n  Doc with def hidden\n  """', "# note"],
    ),
    "zig": (
        """//! Top
const std = @import("std");
pub const Walker = struct {
    depth: u32,
    const Kind = enum { a };
    /// Doc
    pub fn init(x: u32) Walker {
        const local = 3;
    }
};
export fn entry() void {}
""",
        ["std", "Walker", "Kind", "init", "entry"],
        ["//! Top", "/// Doc"],
    ),
    "dart": (
        """/// Doc
abstract class Shape extends Base {
  static const maxDepth = 3;
  final int x;
  Widget build(BuildContext context) {
    return call(context);
  }
  int get area => 3;
  Future<void> load() async {}
}
mixin Walks {}
enum Kind { a }
typedef Handler = void Function(int);
""",
        ["Shape", "maxDepth", "build", "area", "load", "Walks", "Kind", "Handler"],
        ["/// Doc"],
    ),
    "markdown": (
        "# Title one\ntext\n## Sub *x*\n```sh\n# not a heading\n```\nSetext\n======\n"
        "<!-- hidden\n# no -->\n# Last\n",
        ["Title one", "Sub *x*", "Setext", "Last"],
        ["<!-- hidden\n# no -->"],
    ),
    "rst": (
        "Title\n=====\n\nplain\n\nSub title\n---------\n.. function:: walk(tree)\n\n.. c:type:: node\n",
        ["Title", "Sub title", "walk", "node"],
        [],
    ),
    "sql": (
        "-- doc\nCREATE TABLE IF NOT EXISTS public.users (id int);\ncreate or replace function f()\n",
        ["users", "f"],
        ["-- doc"],
    ),
    "protobuf": ("// doc\nmessage User {\n  oneof kind { }\n}\nservice Api {\n  rpc Get(A) returns (B);\n}\n",
        ["User", "kind", "Api", "Get"],
        ["// doc"],
    ),
    "toml": ("# doc\n[tool.ruff]\n[[package]]\nx = 1 # no\n", ["tool.ruff", "package"], ["# doc"]),
    "kconfig": ("# doc\nconfig EXT4_FS\n\tbool\nmenuconfig NET\n", ["EXT4_FS", "NET"], ["# doc"]),
    "make": ("# doc\nall: build\nx := 1\n.PHONY: all\n\techo hi\n", ["all"], ["# doc"]),
    "julia": ('"""\nDoc\n"""\nfunction walk(x)\nend\nsq(x) = x^2\nstruct Node end\n', ["walk", "sq", "Node"],
              ['"""\nDoc\n"""']),
    "r": ("# doc\nwalk.tree <- function(x) {\n}\n", ["walk.tree"], ["# doc"]),
}  # fmt: skip


@pytest.mark.parametrize("language", SNIPPETS)
def test_snippet_gives_its_definitions(language: str) -> None:
    text, definitions, _ = SNIPPETS[language]
    assert names(language, text) == definitions


@pytest.mark.parametrize("language", SNIPPETS)
def test_snippet_gives_its_comments(language: str) -> None:
    text, _, comments = SNIPPETS[language]
    assert docs(language, text) == comments


def test_vue_reads_script_and_html_comments() -> None:
    text = "<!-- note -->\n<script>\nexport function setup() {}\n</script>\n"
    assert names("vue", text) == ["setup"]
    assert docs("vue", text) == ["<!-- note -->"]


def test_names_beyond_ascii_are_names() -> None:
    assert names("python", "def größe(x):\n    pass\nclass Straße:\n    pass\n") == ["größe", "Straße"]
    assert names("rust", "fn naïve() {}\n") == ["naïve"]


def test_comment_without_end_reaches_to_the_end_of_the_file() -> None:
    assert docs("c", "int a = 1;\n/* never closed\nint f(void)\n{\n}") == [
        "/* never closed\nint f(void)\n{\n}"
    ]
    assert docs("python", 'x = 1\n"""never closed\n') == ['"""never closed\n']


def test_comment_behind_code_is_no_comment_span() -> None:
    assert docs("c", "int x; /* a */\nint y; // b\n") == []
    assert docs("python", "x = 1  # a\n") == []


def test_comment_that_ends_before_code_stops_there() -> None:
    assert docs("c", "\n/* a */ int x;\n") == ["/* a */"]


def test_comment_full_of_stars_ends_where_it_ends() -> None:
    assert docs("c", "/**** a ** b ***/\nint x = 1;\n/**/\n") == ["/**** a ** b ***/", "/**/"]


def test_empty_text_has_no_landmarks() -> None:
    for language in LANGUAGES.values():
        assert scan(language, b"") == Landmarks([], [])


def test_spans_are_ascending_disjoint_and_inside_the_text() -> None:
    for name, (text, _, _) in SNIPPETS.items():
        data = text.encode()
        found = scan(LANGUAGES[name], data)
        for spans in (found.doc_spans, found.definitions):
            edges = [edge for span in spans for edge in span]
            assert edges == sorted(edges)
            assert all(0 <= start < end <= len(data) for start, end in spans)


# Fragments that, repeated, make a careless expression quadratic or worse.
HOSTILE = [
    "a", "\n", " ", "*", "/*", "\n/*", "\n//", "\n#", '\n"""', '"', "\\", "(", "\na(", "\nf(a ", "a ",
    "a::", "\na b[", "\nclass a a a a a", "template<", "\npublic a ", "\nconst a = (b", "--[[", "{-",
    "<!--", "\n=begin", "\n=head1\n", "```", "\n===", "a\n===", '\nx = """', "\nfun <a", "\n  a(b)  ",
    "\ntypedef a(", "[", "\u00e9", "\nclass a((", "\nclass a((b)", "\nstruct [[a", "\nclass a(b ",
    "\na<a", "\na::a<a>::",
]  # fmt: skip


SOME = ["python", "c", "cpp", "java", "javascript", "kotlin", "lua", "haskell", "ruby", "markdown"]


@pytest.mark.sized
@pytest.mark.parametrize("fragment", HOSTILE)
def test_hostile_repetition_costs_no_more_than_the_text_is_long(fragment: str) -> None:
    """Not a timing: an expression that backtracks badly would keep this test from ending at all."""
    size = (300_000 if "\n" in fragment else 2_000_000) // (1 if IS_DEEP else 5)
    data = (fragment * (size // len(fragment))).encode()
    for name in random.sample(SOME, choose(4, len(SOME))):
        found = scan(LANGUAGES[name], data)
        assert all(0 <= start <= end <= len(data) for start, end in found.doc_spans)


@pytest.mark.parametrize("path", ["status.h", "status.cc"])
def test_macros_and_attributes_around_the_name_of_a_type_are_no_names(path: str) -> None:
    """A header of C++ is C by its name."""
    text = b"""
class EXPORT_MACRO Status final {
};
class MACRO(1) Other {
};
struct EXPORT Thing : Base {
  int a;
};
class [[nodiscard]] Kept final : public ns::Base<int> {
};
class __attribute__((visibility("default"))) Seen {};
enum class EXPORT Kind : int { A, B };
struct EXPORT Forward;
struct plain {
};
"""
    found = scan(find_language(path), text)
    names = [text[start:end].decode() for start, end in found.definitions]
    assert names == ["Status", "Other", "Thing", "Kept", "Seen", "Kind", "plain"]


@pytest.mark.parametrize("path", ["sink-inl.h", "sink.cc"])
def test_members_defined_outside_their_class_are_found_by_their_names(path: str) -> None:
    text = b"""
template <typename Mutex>
INLINE void rotating_sink<Mutex>::rotate() {
}
INLINE std::vector<int> Log::Levels::list(const Log &log) {
}
Log::Log(int level) : level_(level) {
}
void Log::flush();
"""
    found = scan(find_language(path), text)
    names = [text[start:end].decode() for start, end in found.definitions]
    assert names == ["rotate", "list", "Log"]


def test_definition_lines_of_great_length_are_bounded() -> None:
    data = b"static int f(" + b"int a, " * 300_000 + b"int z)\n{\n}\n"
    assert scan(LANGUAGES["c"], data).definitions == []


@pytest.mark.parametrize(
    ("path", "language", "kind"),
    [
        ("src/a.py", "python", "code"),
        ("A.PY", "python", "code"),
        ("include/linux/fs.h", "c", "code"),
        ("a/b.tar.gz.cpp", "cpp", "code"),
        ("Makefile", "make", "config"),
        ("drivers/Makefile.am", "make", "config"),
        ("lib/Kconfig.debug", "kconfig", "config"),
        ("Dockerfile.dev", "dockerfile", "config"),
        ("CMakeLists.txt", "cmake", "config"),
        ("docs/notes.txt", "text", "docs"),
        ("README", "text", "docs"),
        ("README.md", "markdown", "docs"),
        ("package.json", "json", "data"),
        ("x/.gitignore", "ini", "config"),
        ("x/y.unheardof", "unknown", "data"),
        ("noextension", "unknown", "data"),
        (".py", "unknown", "data"),
        ("", "unknown", "data"),
    ],
)
def test_language_follows_from_the_path(path: str, language: str, kind: str) -> None:
    found = find_language(path)
    assert (found.name, found.kind) == (language, kind)


def test_there_are_languages_enough_and_each_pattern_finds_something() -> None:
    with_pattern = {name for name, language in LANGUAGES.items() if language.pattern is not None}
    assert set(SNIPPETS) <= with_pattern
    assert len(LANGUAGES) >= 30


GUARDED = """\
#ifndef STORE_TABLE_H_
#define STORE_TABLE_H_
#ifndef likely
#define likely(x) (x)
#endif
#ifndef __iomem
#define __iomem
#endif
int use(void)
{
  if (likely(1)) {
  }
}
#endif
"""
HEADER = """\
// Copyright. class of rows
#pragma once
namespace store {
class Table : public Base {
 public:
  explicit Table(int size)
      : size_(size),
        next_(0),  // of rows
        free_(nullptr, size),
#ifdef CHECKED
        seen_((size)),
#endif
        step_(1),
        base_(size) {
    while (size > 0 &&
           next(size) < 0) {
    }
  }
  int size() const { return size_; }
};
}
"""


def name_definitions(language: str, text: str) -> list[str]:
    data = text.encode()
    dialect = find_dialect(LANGUAGES[language], data)
    return [data[first:last].decode() for first, last in scan(dialect, data).definitions]


def test_an_include_guard_is_no_definition() -> None:
    assert name_definitions("c", GUARDED) == ["likely", "__iomem", "use"]
    assert name_definitions("cpp", GUARDED) == ["likely", "__iomem", "use"]


def test_a_header_of_cpp_is_read_as_such() -> None:
    assert name_definitions("c", HEADER) == ["store", "Table", "Table", "size"]
    assert name_definitions("c", "struct class {\n  int x;\n};\n/* class of rows\n   namespaces */\n") == [
        "class"
    ]


def test_objective_c_is_distinguished_from_cpp_wherever_its_line_is() -> None:
    headers = {
        "\nnamespace a {\n}\n@interface View : NSView\n": "objective-c",
        "\n@class View;\ntemplate <int size>\n": "objective-c",
        "\n  private:\n  int x;\n": "cpp",
        "\n   private:\n   @interface\n": "c",
        "\nint classes;\n@interfaces\n": "c",
    }
    assert {text: find_dialect(LANGUAGES["c"], text.encode()).name for text in headers} == headers


def test_what_a_test_macro_defines_is_its_last_argument() -> None:
    text = "TEST_F(TableTest, Empty) {\n}\nTEST_IMPL(loop_close)\n{\n}\nEXPORT(make);\n"
    assert name_definitions("cpp", text) == ["Empty", "loop_close"]
    assert name_definitions("c", text) == ["Empty", "loop_close"]


def test_functions_of_several_lines_are_found() -> None:
    text = """\
import x from 'x'
const express = require('express')
export const patch = (
  first: Node,
  done = true,
): void => {
  const next: NextFn = node => {
  }
}
export type Unwrapped<
  T,
> = T
module.exports = function render(name, options) {
}
"""
    assert name_definitions("typescript", text) == ["patch", "next", "Unwrapped", "render"]


def test_methods_that_take_an_object_apart_are_found() -> None:
    text = """\
class Persistence {
  async onChange({ context, name }: Payload<Change>) {
    this.call({ context })
    if (known({ name })) {
    }
  }
  render({
    size = "m",
    title,
  }: {
    size?: string;
    title: string;
  }): string {
    return show({ size }, () => {
    })
  }
  get({ id }, next) {
  }
}
"""
    assert name_definitions("typescript", text) == ["Persistence", "onChange", "render", "get"]


def test_arrow_methods_that_take_an_object_with_defaults_apart_are_found() -> None:
    text = """class Page {
  publish = async (
    user: User,
    {
      index = 0,
      silent = false,
    }: {
      index?: number;
      silent?: boolean;
    }
  ): Promise<this> => {
    return this;
  };
  move = (to = "a") => 1;
}
"""
    assert name_definitions("typescript", text) == ["Page", "publish", "move"]


def test_a_default_method_of_an_interface_is_found() -> None:
    assert name_definitions("java", "interface A {\n  default char[] read() {\n  }\n}\n") == ["A", "read"]
    assert name_definitions("java", "switch (a) {\n  default -> run(1);\n  default: run(2);\n}\n") == []
