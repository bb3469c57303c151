"""Lines that declare a name where line patterns see no declaration, and lines that only look like it."""

from __future__ import annotations

import pytest

from repo_mcp.languages.patterns.declaring_lines import MAX_LINES, _compile, list_declaring_lines

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
PHP = """\
<?php
class Client
{
    private int $timeout = 30;
    public function run($given)
    {
        $local = $this->timeout;
    }
}
"""
DECLARED = [
    ("kotlin", KOTLIN, {"LIMIT": 1, "FAST": 3, "SLOW": 4, "url": 7, "socket": 9}),
    ("ruby", RUBY, {"LIMIT": 2, "url": 4, "socket": 4, "retries": 6}),
    ("php", PHP, {"timeout": 4}),
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
    ("python", PYTHON, ["local", "depth", "passed", "Enum", "TYPE_CHECKING"]),
    ("kotlin", KOTLIN, ["local"]),
    ("ruby", RUBY, ["local"]),
    ("php", PHP, ["local", "given"]),
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
    for language in ("c", "go", "csharp", "rust", "swift", "typescript", "python"):
        list_declaring_lines(language, text, "name")


def test_patterns_are_compiled_once_for_all_names() -> None:
    assert list_declaring_lines("c", C, "bytes")
    compiled = _compile.cache_info().misses
    assert list_declaring_lines("c", C, "chunks")
    assert _compile.cache_info().misses == compiled
