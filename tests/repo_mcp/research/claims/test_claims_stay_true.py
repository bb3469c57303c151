"""Claims that say no more than is so: who fails, who calls, what sets, and what is not there at all."""

from __future__ import annotations

import pytest

from repo_mcp.blocks.block_factors import DECIDING_BRANCHES
from repo_mcp.blocks.block_worth import rate_work
from repo_mcp.bodies.body import Body
from repo_mcp.bodies.chosen_lines import choose_lines
from repo_mcp.research.errors.lines import find_errors
from repo_mcp.research.findings.first_sentences import read_first_sentence
from repo_mcp.research.settings.line_use import LineUse, classify_use
from repo_mcp.text.idioms import find_idioms
from tests.repo_mcp.research.asking import Asked, drop_conditions

RESPONSE = {
    "src/Response.java": "class Response {\n    static Response error(int code) {\n"
    "        if (code < 400) throw new IllegalArgumentException(code);\n"
    "        return new Response(code);\n    }\n\n"
    "    static Response success(int code) {\n        return new Response(code);\n    }\n}\n",
    "src/Result.java": "class Result {\n    static Result response(Response response) {\n"
    '        if (response == null) throw new NullPointerException("response");\n'
    "        return new Result(response, error);\n    }\n}\n",
}


def test_errors_of_a_named_function_are_not_those_of_others() -> None:
    claim = Asked(RESPONSE).ask("which errors can Response.error raise?").claim
    assert claim == (
        "Errors that arise here: IllegalArgumentException (src/Response.java:3, `if (code < 400)`)."
    )


def test_errors_of_a_named_function_that_no_parser_knows_are_its_own() -> None:
    texts = {
        "lib/base.rb": "class Base\n  def halt(*response)\n    throw :halt, response\n"
        + "    count 1\n" * 60
        + "  end\n\n  def etag(value)\n    raise ArgumentError, value unless value\n    halt 304\n"
        + "    count 1\n" * 60
        + "  end\nend\n"
    }
    claim = Asked(texts).ask("which errors can Base#halt raise?").claim
    assert "ArgumentError" not in claim


def test_a_named_function_that_makes_no_error_is_said_to_make_none() -> None:
    claim = Asked(RESPONSE).ask("which errors can Response.success raise?").claim
    assert claim == (
        "Neither Response.success (src/Response.java:7-9) nor what it calls is known to cause an error."
    )


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('return NewError(400, "Bind error: " + err.Error())', []),
        ("if (options.ThrowOnAnyError) response.ThrowIfError();", []),
        ("ErrorException = read(),", []),
        ("return errors.NotFoundError(key)", ["NotFoundError"]),
        ("var first = exception.GetBaseException();", []),
        ("func (db *DB) AddError(err error) error {", []),
        ('db.Error = fmt.Errorf("%v; %w", db.Error, err)', []),
        ("return NGX_PARSE_INVALID_METHOD;", ["NGX_PARSE_INVALID_METHOD"]),
        ("errno = EINVAL;", ["EINVAL"]),
        ("throw ThrowInvalidCode(code);", []),
        ('throw new ReadException("Error while reading");', ["ReadException"]),
        ("const bool failed = Error();", []),
        ("reject(Error());", ["Error"]),
        ("return Err(Failure())", ["Failure"]),
        ("throw (Error());", ["Error"]),
        ("return ERROR_CODES[kind];", []),
    ],
)
def test_functions_and_fields_are_no_errors(line: str, named: list[str]) -> None:
    assert find_errors(line) == named


def test_what_mentions_a_function_is_not_said_to_call_it() -> None:
    texts = {
        "job.py": "def recover(error):\n    return error\n\n\n"
        "def build():\n    return {'on_error': recover}\n\n\n"
        "def run(error):\n    return recover(error)\n"
    }
    claim = Asked(texts).ask("what calls recover()?").claim
    assert claim == (
        "job.recover (job.py:1-2) is called by job.run (job.py:9-10)."
        " job.build (job.py:5-6) mentions it, and may cause it to be called."
    )


def test_a_path_of_calls_is_described_call_by_call() -> None:
    texts = {
        "a.py": "def first():\n    second()\n\n\ndef second():\n    third()\n\n\ndef third():\n    pass\n\n\n"
        "def alone():\n    pass\n"
    }
    assert Asked(texts).ask("how does first reach third?").claim == (
        "a.first calls a.second (a.py:2), which calls a.third (a.py:6)."
    )
    none = Asked(texts).ask("how does first reach alone?").claim
    assert none == "No path of calls is known between a.first (a.py:1-2) and a.alone (a.py:13-14)."


def test_a_difference_from_a_name_that_is_not_declared_is_no_question_about_the_other() -> None:
    texts = {"plugin.py": "def on_pre_build():\n    pass\n"}
    report = Asked(texts).ask("what is the difference between on_pre_build and on_build?")
    assert report.claim.startswith("on_build is not declared in this repository. A similar name is ")


def test_a_setting_that_no_file_has_is_said_to_be_missing() -> None:
    texts = {"config.py": "def set_default_option(config):\n    config.count = 3\n"}
    report = Asked(texts).ask("where is set_retry_limit configured?")
    assert report.claim.startswith("set_retry_limit is not declared in this repository.")
    assert not report.findings


SETTINGS = {
    "site.py": "class File:\n    def __init__(\n"
    "        self,\n        path: str,\n        short_urls: bool,\n"
    "    ) -> None:\n        self.short_urls = short_urls\n\n    def show(self):\n"
    "        return f'File({self.path}, short_urls={self.short_urls!r})'\n\n    def link(self):\n"
    "        short_urls = self.short_urls\n        return short_urls\n\n\n"
    "def make(config):\n    return File(\n        'a',\n        short_urls=config.short_urls,\n    )\n\n\n"
    "DEFAULTS = {\n    'short_urls': True,\n}\n",
    "docs/urls.md": "# Urls\n\nSee [short_urls].\n\n[short_urls]: ./config.md#short_urls\n",
    "dist/site.js.map": '{"sources":"' + "x" * 400 + '","names":["short_urls","b"]}\n',
}


def test_only_what_gives_a_setting_a_value_is_said_to_set_it() -> None:
    report = Asked(SETTINGS).ask("where is short_urls configured?")
    sets = [(one.path, one.lines) for one in report.findings if one.why.startswith("sets")]
    assert sets == [("site.py", (25,))]
    assert not [one for one in report.findings if one.path.endswith((".md", ".map"))]


def test_a_setting_of_ruby_is_given_a_value_by_its_symbol() -> None:
    texts = {
        "lib/base.rb": "class Base\n  set :show_errors, proc { development? }\nend\n",
        "lib/show.rb": "class Shown < Rack::ShowErrors\nend\n",
    }
    report = Asked(texts).ask("where is show_errors configured?")
    assert report.claim == "show_errors is set at lib/base.rb:2."
    assert [one.path for one in report.findings] == ["lib/base.rb"]


def test_an_unnamed_class_of_a_nested_base_is_not_left_out() -> None:
    texts = {
        "Converter.java": "interface Converter {\n    abstract class Factory {\n"
        "        abstract Converter get();\n    }\n}\n",
        "Use.java": "class Use {\n    Object make() {\n        return new Converter.Factory() {\n"
        "            Converter get() { return null; }\n        };\n    }\n}\n",
    }
    report = Asked(texts).ask("all subclasses of Converter.Factory")
    assert "Use.java" in [one.path for one in report.findings]
    assert not report.warnings


def test_lines_of_the_preprocessor_neither_decide_nor_enclose() -> None:
    lines = [
        "int serve(int fd) {",
        "#ifdef SSL",
        "    prepare(fd);",
        "#endif",
        "    if (fd < limit) {",
        "        idle(fd);",
        *(f"        other{at}(fd);" for at in range(30)),
        "    }",
        "}",
    ]
    shown = choose_lines(Body(lines, 1, len(lines), 1, {6: ("idle",)}, set()), {"idle": 1.0}, 120)
    assert {1, 5, 6} <= set(shown)
    assert {2, 4} <= set(shown) if 3 in shown else not {2, 4} & set(shown)


def test_a_body_with_several_branches_decides() -> None:
    branches = ["    if (items > limit) evict(items);"] * DECIDING_BRANCHES
    assert rate_work(["void run(void) {", *branches], 1.4, 0.6, DECIDING_BRANCHES) == 1.4


def test_a_prototype_is_not_next_to_its_definition() -> None:
    texts = {
        "conn.h": "void close_connection(int fd);\n",
        "conn.c": '#include "conn.h"\n\n'
        "void close_connection(int fd) {\n    if (fd) {\n        close(fd);\n    }\n}\n",
    }
    report = Asked(texts).ask("how is a connection closed?")
    assert "conn.c" in [one.path for one in report.findings]
    assert "conn.h" not in [one.path for one in report.findings]


def test_what_has_half_of_the_words_is_said_to_lack_the_others() -> None:
    texts = {
        "Rakefile": "task :watch do\n  sh 'list --json databaseId'\nend\n",
        "net.rb": "def connect\nend\n",
    }
    claim = Asked(texts).ask("where is the database connected?").claim
    assert "lacks the word database." in claim


def test_a_comment_for_a_tool_says_nothing_of_a_difference() -> None:
    texts = {
        "quill.ts": "class Quill {\n  // eslint-disable-next-line prefer-const\n  insertText(at) {\n"
        "    this.stop()\n    // Runs.\n    this.run(at)\n  }\n\n"
        "  // Inserts what is no text.\n  insertEmbed(at) {\n    this.run(at)\n  }\n}\n"
    }
    claim = Asked(texts).ask("what is the difference between insertText and insertEmbed?").claim
    assert "eslint" not in claim
    assert "Runs." not in claim
    assert "Inserts what is no text." in claim


def test_lists_of_changes_document_nothing() -> None:
    texts = {
        "core.py": "def did_you_mean(word, words):\n    for one in words:\n        if alike(one, word):\n"
        "            return one\n    return None\n",
        "CHANGELOG.md": "# Change Log\n\n## 3.2\n\n- `did_you_mean` suggests better words\n",
    }
    groups = {one.what: one.places for one in Asked(texts).ask("what calls did_you_mean()?").groups}
    assert "documentation" not in groups


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("what happens when a request times out?", ("timeout",)),
        ("what happens when memory is full?", ("evict", "alloc")),
        ("how does a client come back?", ("restart", "reconnect")),
        ("what happens when a page does not exist?", ("notfound",)),
        ("what happens when a job never ends?", ("timeout",)),
    ],
)
def test_words_of_programs_for_what_people_say(text: str, words: tuple[str, ...]) -> None:
    assert list(find_idioms(text).values()) == [words]


def test_comments_and_unnamed_errors() -> None:
    texts = {
        "slabs.c": "int take(int size) {\n    /* fail unless there is room */\n    return size;\n}\n\n"
        "int grow(int size) {\n    return take(size);\n}\n",
        "send.go": 'package send\n\nfunc File(name string) error {\n\tif name == "" {\n'
        '\t\treturn fmt.Errorf("no name")\n\t}\n\treturn nil\n}\n',
    }
    quiet = drop_conditions(Asked(texts).ask("which errors can grow raise?").claim)
    assert quiet == "Neither grow (slabs.c:6-8) nor what it calls is known to cause an error."
    assert (
        drop_conditions(Asked(texts).ask("which errors can send.File raise?").claim)
        == 'Errors that arise here: "no name" (send.go:5).'
    )


def test_words_that_happen_to_be_names_ask_for_no_path() -> None:
    texts = {
        "room.py": "class Room:\n    def send(self, message):\n        for member in self.members:\n"
        "            member.write(message)\n",
        "store.py": "class Store:\n    messages = []\n",
    }
    report = Asked(texts).ask("how are messages sent to a room?")
    assert report.reading.form.value == "open"
    assert "No path" not in report.claim
    assert Asked(texts).ask("how does messages reach room?").reading.form.value == "flow"


def test_the_blocks_of_a_type_do_not_use_it() -> None:
    texts = {
        "src/lib.rs": "pub struct Matches {\n    count: u32,\n}\n\n"
        "impl Matches {\n    fn count(&self) -> u32 {\n        self.count\n    }\n}\n\n"
        "fn show(matches: &Matches) -> u32 {\n    matches.count()\n}\n"
    }
    claim = Asked(texts).ask("what breaks if I change Matches?").claim
    assert claim == "Matches (src/lib.rs:1-3) is used by show (src/lib.rs:11-13)."


def test_words_of_questions_are_not_said_to_be_lacking() -> None:
    texts = {
        "theme.py": "def load_theme(name):\n    for one in THEMES:\n"
        "        if one == name:\n            return one\n"
    }
    claim = Asked(texts).ask("what happens when a theme is found inside?").claim
    assert claim.startswith("theme.load_theme (theme.py:1-4) fits the question best.")


def test_a_test_that_a_program_runs_is_not_a_test_of_it() -> None:
    texts = {
        "lib/runner.js": "class Runner {\n  runTest(test) {\n    if (test.fails) {\n"
        "      this.emit('fail', test)\n    }\n  }\n}\n",
        "test/runner.spec.js": "describe('test', () => {\n  it('fails a test', () => {\n"
        "    test.fails()\n  })\n})\n",
    }
    paths = {one.path for one in Asked(texts).ask("what happens when a test fails?").findings}
    assert paths == {"lib/runner.js"}


def test_a_difference_is_shown_by_the_declarations_with_comments() -> None:
    texts = {
        "action.py": "class Action:\n    def default_value(self):\n"
        "        if self.flag:\n            return 1\n"
        "        if self.count:\n            return 2\n        return 0\n",
        "arg.py": 'class Arg:\n    def default_value(self):\n        """The value when absent."""\n\n'
        '    def missing_value(self):\n        """The value when none is given."""\n',
    }
    claim = Asked(texts).ask("what is the difference between default_value and missing_value?").claim
    assert "The value when absent." in claim
    assert "The value when none is given." in claim


def test_what_registers_one_of_a_kind_belongs_to_the_recipe() -> None:
    texts = {
        "binder.go": "package web\n\ntype Binder interface {\n\tName() string\n}\n\n"
        'type JSONBinder struct{}\n\nfunc (b *JSONBinder) Name() string {\n\treturn "json"\n}\n\n'
        "type App struct {\n\tbinders []Binder\n}\n\n"
        "func (a *App) RegisterBinder(binder Binder) {\n\ta.binders = append(a.binders, binder)\n}\n"
    }
    claim = Asked(texts).ask("where would I add a new binder?").claim
    assert "App.RegisterBinder (binder.go:17-19) registers it." in claim


def test_a_private_function_that_is_named_otherwise_registers_none_of_a_kind() -> None:
    kinds = "".join(
        f"class {name}Pace implements Pace {{ public int next() {{ return 1; }} }}\n" for name in "AB"
    )
    texts = {
        "Pace.java": f"public interface Pace {{\n  int next();\n}}\n{kinds}",
        "Waiter.java": "public class Waiter {\n  private int defineDelay(Pace pace) {\n"
        "    return pace.next();\n  }\n}\n",
    }
    claim = Asked(texts).ask("where would I add a new pace?").claim
    assert claim.startswith("Implement Pace")
    assert "registers it" not in claim


def test_a_way_to_do_something_is_what_does_it() -> None:
    texts = {
        "auth.py": "class Authenticator:\n    def authenticate(self, request):\n"
        "        raise NotImplementedError\n\n\n"
        "class TokenAuthenticator(Authenticator):\n    def authenticate(self, request):\n"
        "        if self.token:\n            request.headers['token'] = self.token\n        return request\n"
    }
    claim = Asked(texts).ask("where would I add a new way to authenticate requests?").claim
    assert claim.startswith("Derive from auth.Authenticator (auth.py:1-3).")


def test_the_base_from_which_most_of_a_kind_derive_is_shown_with_what_it_leaves_open() -> None:
    helpers = "".join(f"  help{at}(path) {{\n    return this.join(path, {at})\n  }}\n" for at in range(60))
    kinds = "".join(
        f"export class {name}Router extends BaseRouter {{\n  getName(path: string): string {{\n"
        f"    return this.help1(path) + '{name}'\n  }}\n}}\n"
        for name in ("Kind", "Group", "Flat")
    )
    texts = {
        "router.ts": "export interface Router {\n  build(): void;\n}\n\n"
        f"export abstract class BaseRouter implements Router {{\n  build(): void {{}}\n{helpers}"
        f"  protected abstract getName(path: string): string;\n}}\n\n{kinds}",
        "renderer.ts": "import { Router } from './router'\n\nexport class Renderer {\n"
        "  defineRouter(name: string, router: Router) {\n    this.routers.set(name, router)\n  }\n}\n",
    }
    report = Asked(texts).ask("where would I add a new router?")
    assert report.claim.startswith(
        "Implement Router (router.ts:1-3), as most do by way of BaseRouter (router.ts:5-188)."
    )
    assert "Renderer.defineRouter (renderer.ts:4-6) registers it." in report.claim
    (shown,) = [one.excerpt for one in report.findings if one.symbol.endswith("BaseRouter")]
    assert "187\t  protected abstract getName(path: string): string;" in shown


ACTIONS = """pub enum Action {
    Copy,
    Paste,
    Scroll,
    Quit,
}

impl Action {
    pub fn execute(&self, terminal: &mut Terminal) {
        match self {
            Action::Copy => terminal.copy(),
            Action::Paste => terminal.paste(),
            Action::Scroll => terminal.scroll(),
            Action::Quit => terminal.quit(),
        }
    }
}

impl From<Key> for Action {
    fn from(key: Key) -> Self {
        Action::Quit
    }
}
"""


def test_nothing_derives_from_an_enumeration() -> None:
    report = Asked({"action.rs": ACTIONS}).ask("where would I add a new action?")
    assert report.claim.startswith(
        "Add a member to Action (action.rs:1-6). Action.execute (action.rs:9-16) lists existing ones."
    )


SHELL = """pub fn read(path: &str) -> Result<String, Fault> {
    let text = load(path)?;
    Ok(text)
}

fn load(path: &str) -> Result<String, Fault> {
    open(path)
}

mod tests {
    fn reads() {
        super::read("one");
    }
}
"""

BIND = """int open_socket(int kind)
{
    if (kind < 0) {
        errno = EINVAL;
        return -1;
    }
    return 0;
}

int bind_socket(int kind)
{
    return open_socket(kind);
}
"""


def test_what_passes_errors_on_is_not_said_to_make_none() -> None:
    claim = Asked({"src/shell.rs": SHELL}).ask("which errors can read return?").claim
    assert claim == "read (src/shell.rs:1-4) passes on the errors of what it calls at src/shell.rs:2."


def test_a_value_of_errno_is_an_error() -> None:
    claim = drop_conditions(Asked({"src/bind.c": BIND}).ask("which errors can bind_socket return?").claim)
    assert claim == (
        "Errors that arise here: EINVAL (src/bind.c:4). bind_socket (src/bind.c:10-13) uses"
        " open_socket (src/bind.c:1-8), where errors arise."
    )


def test_the_errors_of_an_unknown_function_are_not_those_of_others() -> None:
    claim = Asked({"src/bind.c": BIND}).ask("which errors can bind_sockets() return?").claim
    assert claim.startswith("bind_sockets is not declared in this repository. A similar name")


@pytest.mark.parametrize("module", ["tests", "test"])
def test_a_test_beside_the_program_is_counted_as_a_test(module: str) -> None:
    claim = Asked({"src/shell.rs": SHELL.replace("mod tests", f"mod {module}")}).ask("who calls read?").claim
    assert claim == "read (src/shell.rs:1-4) is called at 1 place in tests."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/** @internal */\nfunction one() {}", ""),
        ("/**\n * @author Ada Lovelace\n */\nfunction one() {}", ""),
        ("/**\n * @internal\n * Reads a text.\n */\nfunction one() {}", "Reads a text."),
        ("/** @param {Depot | Shed=} shed to look in */\nfunction one() {}", ""),
        ("/**\n * Reads {@link Depot}\n * @param {Text} a\n */\nfunction one() {}", "Reads Depot."),
        ("/** @brief Reads a text. */\nfunction one() {}", "Reads a text."),
        ("/** Reads `{ a: {} }` of it. */\nfunction one() {}", "Reads `{ a: {} }` of it."),
        ("function one(a) {\n  if (a) {\n    // to keep it so\n    a()\n  }\n}", ""),
        ("function one(a) {\n  // Reads a text.\n  a()\n}", ""),
        ("// NOTE: see two()\nfunction one(a) {\n  a()\n}", ""),
        ("// Blocked by https://example.org/issues/7.\nfunction one(a) {\n  a()\n}", ""),
    ],
)
def test_the_comment_of_a_declaration_is_about_it(text: str, expected: str) -> None:
    lines = text.split("\n")
    comments = {at for at, line in enumerate(lines, 1) if line.lstrip().startswith(("/*", "*", "//"))}
    start = next(at for at, line in enumerate(lines, 1) if line.startswith("function"))
    assert read_first_sentence(lines, comments, start) == expected


def test_a_type_that_a_comment_declares_is_described_in_it() -> None:
    lines = ["/**", " * What a depot holds.", " * @typedef {object} Parcels", " */"]
    assert read_first_sentence(lines, {1, 2, 3, 4}, 1) == "What a depot holds."


def test_a_comment_that_repeats_the_name_and_the_kind_is_not_quoted() -> None:
    text = """
    class Depot {
      /** Creates an instance of Depot. */
      constructor(parcels) { this.parcels = parcels; }
      watch() { return this.parcels; }
    }
    """
    question = "what is the difference between Depot.constructor and Depot.watch?"
    assert "instance" not in Asked({"depot.js": text}).ask(question).claim


ELEMENT = """class Element:
    def text(self, new):
        \"\"\"Set the text.\"\"\"
        self.held = new

    def read_text(self):
        \"\"\"Get all text.\"\"\"
        return self.held
"""

NODE = """class Node:
    def text(self):
        \"\"\"Get the text of a node.\"\"\"
        return self.held
"""


def test_of_many_declarations_those_beside_the_other_are_compared() -> None:
    asked = Asked({"dom/a_node.py": NODE, "dom/element.py": ELEMENT})
    claim = asked.ask("what is the difference between text and read_text?").claim
    assert claim == (
        "Element.text (dom/element.py:2-4): Set the text."
        " Element.read_text (dom/element.py:6-8): Get all text."
        " Only Element.text runs `self.held = new` (dom/element.py:4)."
    )


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ('name: "patience",', LineUse.OPTION),
        ('os.getenv("patience")', LineUse.TAKES),
        ('self.patience = float(getattr(options, "patience", 0.0))', LineUse.SETS),
    ],
)
def test_an_option_has_a_name_and_a_field_is_no_environment(line: str, use: LineUse) -> None:
    assert classify_use("patience", line) is use


def test_a_pasted_word_is_cut_where_no_file_has_it() -> None:
    report = Asked({"a.py": "def run():\n    return 1\n"}).ask(f"difference between {'A' * 5000} and run")
    assert f"the word {'A' * 60}…:" in report.claim
    assert len(report.claim) < 300


def test_a_name_in_a_tag_is_a_word_of_its_sentence() -> None:
    lines = [
        "/// <summary>",
        '/// A plain <see cref="T:Depot" /> of parcels.',
        "/// </summary>",
        "class Yard {}",
    ]
    assert read_first_sentence(lines, {1, 2, 3}, 4) == "A plain Depot of parcels."


def test_what_fits_best_is_told_in_the_words_of_its_comment() -> None:
    said = '"""Weigh a parcel, and round up. Twice."""'
    text = f"def weigh_parcel(parcel):\n    {said}\n    return parcel.weigh()\n"
    claim = Asked({"depot.py": text}).ask("how is a parcel weighed?").claim
    assert claim == (
        "depot.weigh_parcel (depot.py:1-3) fits the question best."
        ' Its comment says: "Weigh a parcel, and round up."'
    )
