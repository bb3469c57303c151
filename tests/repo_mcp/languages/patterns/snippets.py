"""Real-looking snippets, one for each language: the text, the names that it defines, and its comments."""

from __future__ import annotations

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
