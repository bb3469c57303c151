"""Lines that declare a name where line patterns see no declaration, and lines that only look like it."""

from __future__ import annotations

import pytest

from repo_mcp.languages.patterns.declaring_lines import MAX_LINES, _compile, holds_word, list_declaring_lines
from repo_mcp.languages.patterns.declaring_rules import RULES, Around
from tests.growth import assert_linear

C = """\
#define LOOP_FIELDS \\
  struct queue handles; \\
  int backend_fd;

typedef enum {
  RUN_DEFAULT = 0,
  RUN_ONCE,
} run_mode, *run_mode_pointer;

static bool is_disabled __read_mostly;
static int tests = 0, fails = 0, skips = 0;
typedef void (push_callback)(void *, void *);
int open_all(const char *path, int flags);

struct request {
  unsigned int bytes, chunks;
  long (*unlocked_ioctl) (struct file *, unsigned int);
  union {
    char short_name[8];
  } u;
};

struct request *make(struct request *base,
                     int size)
{
  int local = 1;
  if (local)
    run_all(local);
  return base;
}
EXPORT_SYMBOL(make);
"""
CPP = """\
namespace store {
class STORE_EXPORT Table : public Base {
 public:
  enum Kind { kPlain, kHashed };
  uint64_t number_ GUARDED_BY(mutex_);
  using Rows = std::vector<Row>;
 private:
  Status Open(const Options& options);
};
}
"""
GO = """\
package web

const (
\tletterBits = 6
\tforceColor
)

var first, second string

type Engine struct {
\tname, title string
\tin      struct {
\t\tdeep int
\t}
}

func run() {
\tlocal := 1
}
"""
CSHARP = """\
namespace Store
{
    sealed class Sink : ISink
#if ASYNC
        , IAsyncDisposable
#endif
    {
        ILogger _bare = null!, _enriched = null!;
        public event EventHandler? Changed;
        public int Count { get; }

        void Run()
        {
            int local = 1;
        }
    }

    enum Level
    {
        [Obsolete] Verbose = 1,
        Debug,
    }
}
"""
JAVA = """\
public enum Level {
  LOW(1) {
    int weigh() { return 1; }
  },
  HIGH(2);
  private final int weight;
}
"""
RUST = """\
pub(crate) enum Mode {
    Limited(Context),
    Help,
}
pub(crate) struct Core<'s, M: 's> {
    pub(crate) has_sunk: bool,
}
fn run() {
    let core = Core {
        made: true,
    };
}
"""
SWIFT = """\
enum Method: String {
    case get, post
    indirect case other(Method)
}
extension Session {
    @objc private(set) var isActive: Bool { true }
}
"""
TYPESCRIPT = """\
export enum Side {
  Left = 'l',
  Right,
}
interface Options {
  readonly timeout?: number
  close(force: boolean): void
}
export const defaults = {
  retry: {
    limit: 2,
  },
}
class Client {
  @observable accessor state = 1
  constructor() {
    this.socket = null
    const local = { inner: 1 }
    call({ passed: 1 })
  }
}
"""
PYTHON = """\
T_co = TypeVar("T_co")
if TYPE_CHECKING:
    Alias: TypeAlias = int
first, second = 1, 2
ROWS = [
    1,
]
class Color(
    Enum,
):
    RED = 1
    def __init__(self):
        self.shade: int = 3
        self.tint.depth = 4
        local = 1
call(
    passed=1,
)
INI = '''
written =
    1
'''
"""
KOTLIN = """\
private const val LIMIT = 3
enum class Mode(val code: Int) {
    FAST(1),
    SLOW(2);
}
class Client(
    private val url: String,
) {
    lateinit var socket: Socket
    fun run() {
        val local = 1
    }
}
"""
RUBY = """\
module Store
  LIMIT = 3
  class Client
    attr_reader :url, :socket
    def initialize
      @retries ||= 1
      local = 2
    end
  end
end
"""
RUBY_MACROS = """\
module Store
  included do
    class_attribute :limit, :size, default: 1
  end
  singleton_class.attr_reader :clock
  define_method("open?") { true }
  ##
  # :method: before_close
  #
  # Runs first.

  # :singleton-method: rest
  mattr_accessor :rest
  def run
    local = use :none
  end
end
"""
PHP = """\
<?php
class Client
{
    private int $timeout = 30;
    protected ?\\App\\Row|null $row;
    public function run($given)
    {
        $local = $this->timeout;
    }
}
"""
OTHERS = {
    "clojure": "(defprotocol Codec\n  (encode [this x])\n  (decode! [this]))\n",
    "css": ".card-title,\n.card > .is-open {\n  --card-gap: 1px;\n  font-size: 2px;\n}\n",
    "dockerfile": "ARG version=1\nENV HOME=/a PATH=/b\nRUN a=1\n",
    "elixir": "defmodule A do\n  @timeout 5\n  field :email, :string\n  def a, do: @limit\nend\n",
    "graphql": "type User {\n  id: ID!\n  posts(first: Int): [Post]\n}\nenum Role {\n  ADMIN\n}\n",
    "haskell": """\
data Shape
  = Round { radius :: Int
          , unit :: Unit }
  | Square

f x
  | Odd = 1
data Way = Up | Down deriving Eq
""",
    "julia": "struct Row{T}\n    id::Int\n    rest\nend\nfunction f()\n    local_id = 1\nend\n",
    "lua": """\
local limit, other = 1, 2
M.retries = 3
local defaults = {
  timeout = 5,
}
function f()
  local inner = 1
end
""",
    "make": "CFLAGS ?= -O2\nbuild:\n\techo CC=1\n",
    "objective-c": """\
@interface Row : Base
@property (nonatomic, copy) NSString *title;
@property (copy) void (^handler)(int);
@end
typedef NS_OPTIONS(NSUInteger, Mode) {
    ModeFast = 1,
};
""",
    "ocaml": """\
type row = {
  id : int;
  mutable rest : int;
}
type way =
  | Up of int
  | Down
let f x =
  match x with
  | Other -> 1
""",
    "perl": """\
use constant {
    FAST => 1,
};
our $VERSION = 1;
has [qw(host port)] => 1;
sub f {
    my $inner = 1;
}
""",
    "protobuf": """\
message Row {
  repeated string names = 1;
  map<string, int32> marks = 2;
}
enum Way {
  WAY_UP = 0;
}
""",
    "r": "rows <- read()\nf <- function() {\n  inner <- 1\n}\n",
    "ruby": "class A\n  alias_method :size, :count\n  delegate :name, :open?, to: :row\nend\n",
    "sql": """\
CREATE TABLE rows (
  id int,
  title text
);
ALTER TABLE rows ADD COLUMN size int;
SELECT other FROM rows;
""",
    "terraform": 'locals {\n  zone = 1\n}\nresource "a" "b" {\n  size = 1\n}\n',
    "vue": """\
<script setup>
const { info, update: change } = use()
function f() {
  const inner = 1
}
</script>
""",
    "zig": """\
const A = struct {
    limit: u32 = 1,
};
const Way = enum {
    up,
    down,
};
fn f(
    given: u32,
) void {}
""",
}
DECLARED = [
    ("clojure", OTHERS["clojure"], {"encode": 2, "decode!": 3}),
    ("css", OTHERS["css"], {"card-title": 1, "is-open": 2, "card-gap": 3}),
    ("dockerfile", OTHERS["dockerfile"], {"version": 1, "HOME": 2, "PATH": 2}),
    ("elixir", OTHERS["elixir"], {"timeout": 2, "email": 3}),
    ("graphql", OTHERS["graphql"], {"id": 2, "posts": 3, "ADMIN": 6}),
    ("haskell", OTHERS["haskell"], {"Round": 2, "radius": 2, "unit": 3, "Square": 4, "Up": 8, "Down": 8}),
    ("julia", OTHERS["julia"], {"id": 2, "rest": 3}),
    ("lua", OTHERS["lua"], {"limit": 1, "other": 1, "retries": 2, "timeout": 4}),
    ("make", OTHERS["make"], {"CFLAGS": 1}),
    ("objective-c", OTHERS["objective-c"], {"title": 2, "handler": 3, "ModeFast": 6}),
    ("c", OTHERS["objective-c"], {"title": 2, "handler": 3, "ModeFast": 6}),
    ("ocaml", OTHERS["ocaml"], {"id": 2, "rest": 3, "Up": 6, "Down": 7}),
    ("perl", OTHERS["perl"], {"FAST": 2, "VERSION": 4, "host": 5, "port": 5}),
    ("protobuf", OTHERS["protobuf"], {"names": 2, "marks": 3, "WAY_UP": 6}),
    ("r", OTHERS["r"], {"rows": 1}),
    ("ruby", OTHERS["ruby"], {"size": 2, "name": 3, "open?": 3}),
    ("sql", OTHERS["sql"], {"id": 2, "title": 3, "size": 5}),
    ("terraform", OTHERS["terraform"], {"zone": 2}),
    ("vue", OTHERS["vue"], {"info": 2, "change": 2}),
    ("zig", OTHERS["zig"], {"limit": 2, "up": 5, "down": 6}),
    ("kotlin", KOTLIN, {"LIMIT": 1, "FAST": 3, "SLOW": 4, "url": 7, "socket": 9}),
    ("ruby", RUBY_MACROS, {"limit": 3, "size": 3, "clock": 5, "open?": 6, "before_close": 8, "rest": 13}),
    ("ruby", RUBY, {"LIMIT": 2, "url": 4, "socket": 4, "retries": 6}),
    ("php", PHP, {"timeout": 4, "row": 5}),
    ("c", C, {"handles": 2, "backend_fd": 3, "RUN_DEFAULT": 6, "RUN_ONCE": 7, "run_mode_pointer": 8}),
    ("c", C, {"is_disabled": 10, "fails": 11, "skips": 11, "push_callback": 12, "open_all": 13}),
    ("c", C, {"bytes": 16, "chunks": 16, "unlocked_ioctl": 17, "short_name": 19, "u": 20}),
    ("cpp", CPP, {"kPlain": 4, "kHashed": 4, "number_": 5, "Rows": 6, "Open": 8}),
    ("go", GO, {"letterBits": 4, "forceColor": 5, "second": 8, "name": 11, "title": 11, "deep": 13}),
    ("csharp", CSHARP, {"_bare": 8, "_enriched": 8, "Changed": 9, "Count": 10, "Verbose": 20, "Debug": 21}),
    ("java", JAVA, {"LOW": 2, "HIGH": 5, "weight": 6}),
    ("rust", RUST, {"Limited": 2, "Help": 3, "has_sunk": 6}),
    ("swift", SWIFT, {"get": 2, "post": 2, "other": 3, "isActive": 6}),
    ("typescript", TYPESCRIPT, {"Left": 2, "Right": 3, "timeout": 6, "close": 7, "limit": 11}),
    ("typescript", TYPESCRIPT, {"state": 15, "socket": 17}),
    ("python", PYTHON, {"T_co": 1, "Alias": 3, "second": 4, "ROWS": 5, "RED": 11, "shade": 13}),
]
NOT_DECLARED = [
    ("c", C, ["local", "size", "run_all", "base"]),
    ("go", GO, ["local", "web"]),
    ("csharp", CSHARP, ["local"]),
    ("rust", RUST, ["made", "core"]),
    ("typescript", TYPESCRIPT, ["local", "inner", "passed", "call"]),
    ("python", PYTHON, ["local", "depth", "passed", "written", "Enum", "TYPE_CHECKING"]),
    ("kotlin", KOTLIN, ["local"]),
    ("ruby", RUBY, ["local"]),
    ("ruby", RUBY_MACROS, ["local", "none"]),
    ("php", PHP, ["local", "given"]),
    ("css", OTHERS["css"], ["font-size", "card"]),
    ("dockerfile", OTHERS["dockerfile"], ["a"]),
    ("cpp", "class Own final : public Base {\n};\n", ["Base"]),
    ("cpp", "struct Own\n    : Base {\n};\nstruct Other : one::Base, Last {\n};\n", ["Base", "Last"]),
    ("java", "class Own extends Base implements Kind {\n}\n", ["Base", "Kind"]),
    ("elixir", OTHERS["elixir"], ["string"]),
    ("haskell", OTHERS["haskell"], ["Odd", "Unit"]),
    ("julia", OTHERS["julia"], ["local_id"]),
    ("lua", OTHERS["lua"], ["inner"]),
    ("make", OTHERS["make"], ["CC"]),
    ("ocaml", OTHERS["ocaml"], ["Other"]),
    ("perl", OTHERS["perl"], ["inner"]),
    ("protobuf", OTHERS["protobuf"], ["string"]),
    ("r", OTHERS["r"], ["inner"]),
    ("ruby", OTHERS["ruby"], ["count"]),
    ("sql", OTHERS["sql"], ["other"]),
    ("terraform", OTHERS["terraform"], ["size"]),
    ("vue", OTHERS["vue"], ["inner", "use"]),
    ("zig", OTHERS["zig"], ["given"]),
    ("cmake", "set(name 1)\n", ["name"]),
]


@pytest.mark.parametrize(
    ("language", "text", "name", "line"),
    [(language, text, name, line) for language, text, lines in DECLARED for name, line in lines.items()],
)
def test_a_line_that_declares_a_name_is_found(language: str, text: str, name: str, line: int) -> None:
    assert [first for first, _ in list_declaring_lines(language, text, name)] == [line]


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [(language, text, name) for language, text, names in NOT_DECLARED for name in names],
)
def test_a_line_that_uses_a_name_is_none(language: str, text: str, name: str) -> None:
    assert list_declaring_lines(language, text, name) == []


def test_a_value_of_several_lines_is_taken_whole() -> None:
    assert list_declaring_lines("python", PYTHON, "ROWS") == [(5, 7)]


def test_a_name_is_found_as_a_whole_word_alone() -> None:
    assert list_declaring_lines("c", "int size_of;\nint resize;\nint size;\n", "size") == [(3, 3)]


def test_so_many_lines_with_a_name_are_looked_at() -> None:
    text = "x = size\n" * MAX_LINES + "int size;\n"
    assert list_declaring_lines("c", text, "size") == []
    assert list_declaring_lines("c", text[len("x = size\n") :], "size") == [(MAX_LINES, MAX_LINES)]


@pytest.mark.parametrize(
    "text", ["", "}\n", "    name", "{\n  name = 1\n", "\t\tname;\n\t}\nname", "(" * 900 + "name"]
)
def test_text_of_any_layout_is_no_error(text: str) -> None:
    for language in RULES:
        list_declaring_lines(language, text, "name")


def test_patterns_are_compiled_once_for_all_names() -> None:
    assert list_declaring_lines("c", C, "bytes")
    compiled = _compile.cache_info().misses
    assert list_declaring_lines("c", C, "chunks")
    assert _compile.cache_info().misses == compiled


def test_no_name_is_declared_nowhere() -> None:
    assert list_declaring_lines("c", "int size;\n", "") == []


@pytest.mark.parametrize(
    ("text", "is_held"),
    [
        ("int size;", True),
        ("size", True),
        ("resize(sizes, size_t)", False),
        ("sizes, size", True),
        ("sizesize", False),
        ("$size", True),
        ("\u00e4size", True),  # is no word: what is no ASCII counts as nothing, and the line is looked at
        ("Size", False),
        ("", False),
    ],
)
def test_a_text_holds_a_name_as_a_word(text: str, is_held: bool) -> None:
    assert holds_word(text.encode(), b"size") == is_held


def test_a_comment_that_declares_a_method_is_shown_whole() -> None:
    assert list_declaring_lines("ruby", RUBY_MACROS, "before_close") == [(8, 10)]


@pytest.mark.parametrize("piece", ["class a : ", "class extends "])
def test_a_long_line_takes_time_in_proportion(piece: str) -> None:
    pattern = _compile(RULES["cpp"].lines[Around.TYPE])
    assert_linear(lambda size: "name\0" + piece * size + "name", pattern.match, 30)
