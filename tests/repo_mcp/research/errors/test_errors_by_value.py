"""Claims about errors that are values, about what sets a setting, and about calls that no parser sees."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.lines import find_errors, holds_error
from repo_mcp.research.settings.line_use import LineUse, classify_use
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked, drop_conditions

HOSTS = """\
#include "hosts.h"

static int add(struct hosts *hosts, const char *name)
{
    int rc = HOSTS_ERROR_NONE;
    if(!name)
        return record_err(hosts, HOSTS_ERROR_BAD_USE, "no name");
    if(strlen(name) > MAX_NAME) {
        hosts->error = HOSTS_ERROR_TOO_LONG;
        return -1;
    }
    if(rc == HOSTS_ERROR_AGAIN)
        return rc;
    return HOSTS_ERROR_NONE;
}

int hosts_add(struct hosts *hosts, const char *name)
{
    return add(hosts, name);
}
"""


def test_errors_that_are_recorded_are_named_and_success_is_none() -> None:
    claim = drop_conditions(Asked({"hosts.c": HOSTS}).ask("which errors can hosts_add return?").claim)
    assert claim == (
        'Errors that arise here: HOSTS_ERROR_BAD_USE "no name" (hosts.c:7)'
        " and HOSTS_ERROR_TOO_LONG (hosts.c:9)."
        " hosts_add (hosts.c:17-20) uses add (hosts.c:3-15), where errors arise."
    )


def test_errors_are_distinguished_by_their_texts() -> None:
    texts = {
        "reader.c": "int read_item(struct reader *reader, int at)\n{\n    if (at < 0)\n"
        '        return reader_set_error_context(reader,\n                "no such item", at);\n'
        "    return 0;\n}\n",
        "reader.py": "def read_row(row):\n    if not row:\n        raise ValueError('no row at all')\n"
        '    if len(row) > 9:\n        raise ValueError(\n            f"row {row} has more columns than the'
        ' head of the table would allow"\n        )\n    raise ValueError\n',
    }
    texts["Reader.cs"] = (
        "class Reader {\n    void ReadPart(Type type) {\n"
        '        throw new PartException($@"Type ""{type.Name}"" has no part.");\n    }\n}\n'
    )
    asked = Asked(texts)
    assert drop_conditions(asked.ask("which errors can ReadPart throw?").claim) == (
        'Errors that arise here: PartException "Type ""{type.Name}"" has no part." (Reader.cs:3).'
    )
    assert drop_conditions(asked.ask("which errors can read_item return?").claim) == (
        'Errors that arise here: "no such item" (reader.c:4).'
    )
    assert drop_conditions(asked.ask("which errors can read_row raise?").claim) == (
        'Errors that arise here: ValueError "no row at all" (reader.py:3) and ValueError'
        ' "row {row} has more columns than the head of the table would…" (reader.py:5).'
    )


LOADER = """\
#define SIZE 3
void Loader::SetError( LoadError error, const char* text )
{
    error_ = error;
}

void Loader::ClearError()
{
    error_ = LOAD_SUCCESS;
}

int Loader::LoadTable( const char* name )
{
    const bool failed = Error();
    ClearError();
    if ( !name ) {
        SetError( LOAD_ERROR_NOT_FOUND, 0 );
    }
    return LoadTable( open( name ) );
}

int Loader::LoadTable( int file )
{
    if ( !file ) {
        SetError( LOAD_ERROR_READ, 0 );
    }
    return file;
}
"""


def test_what_sets_clears_and_asks_for_an_error_is_none_and_overloads_make_theirs() -> None:
    claim = drop_conditions(Asked({"loader.cpp": LOADER}).ask("which errors can LoadTable give?").claim)
    assert claim.startswith(
        "Errors that arise here: LOAD_ERROR_NOT_FOUND (loader.cpp:17) and LOAD_ERROR_READ (loader.cpp:25). "
    )


def test_the_end_of_a_long_text_opens_no_other() -> None:
    line = f'raise ValueError("{"x" * 400}" + name + other, "must be positive")'
    claim = (
        Asked({"reader.py": f"def read_row(row):\n    {line}\n"})
        .ask("which errors can read_row raise?")
        .claim
    )
    assert claim == 'Errors that arise here: ValueError "must be positive" (reader.py:2).'


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('raise ValueError("id", x.name + y.name, "must be positive")', 'ValueError "must be positive"'),
        ('raise ValueError("id", x.name + y.name, "")', "ValueError"),
        ("raise KeyError(x)  # don't pass it, it's gone", "KeyError"),
        ("raise KeyError(rb'no such key')", 'KeyError "no such key"'),
        ("raise KeyError(f'', `no such key`)", 'KeyError "no such key"'),
        ("raise RowError::new::<'a>(x, &'a str, &'a str)", "RowError"),
        ('raise RowError(@"", x + y, @"no such key")', 'RowError "no such key"'),
    ],
)
def test_what_stands_between_two_texts_is_none(line: str, expected: str) -> None:
    texts = {"reader.py": f"def read_row(row):\n    {line}\n"}
    claim = Asked(texts).ask("which errors can read_row raise?").claim
    assert claim == f"Errors that arise here: {expected} (reader.py:2)."


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (("NotFound('no row')", "Errors.NotFound('no row')"), 'NotFound "no row" (reader.py:2)'),
        (("Errors.NotFound('no row')", "NotFound('no row')"), 'Errors.NotFound "no row" (reader.py:2)'),
        (("Errors.NotFound", "NotFound('no row')"), 'NotFound "no row" (reader.py:3)'),
        (("NotFound('no row')", "Errors.NotFound"), 'NotFound "no row" (reader.py:2)'),
        (("NotFound", "Errors.NotFound"), "NotFound (reader.py:2)"),
        (("errors.new('no row')", "NotFound('no row')"), 'NotFound "no row" (reader.py:3)'),
        (("NotFound('no row')", "errors.new('no row')"), 'NotFound "no row" (reader.py:2)'),
        (("Row.Unknown", "Cell.Unknown"), "Row.Unknown (reader.py:2) and Cell.Unknown (reader.py:3)"),
    ],
)
def test_an_error_is_stated_once(raised: tuple[str, str], expected: str) -> None:
    texts = {"reader.py": f"def read_row(row):\n    raise {raised[0]}\n    raise {raised[1]}\n"}
    assert (
        Asked(texts).ask("which errors can read_row raise?").claim == f"Errors that arise here: {expected}."
    )


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("rc = fail(s->peer, NET_ERR_IO,", ["NET_ERR_IO"]),
        ("return -EINVAL;", ["EINVAL"]),
        ("req->status = UV_EIO;", ["UV_EIO"]),
        ("if (!s) return NET_ERR_IO;", ["NET_ERR_IO"]),
        ("\treturn nil, queue.ErrFull", ["ErrFull"]),
        ("\treturn ErrMaxDepth", ["ErrMaxDepth"]),
        ("    .map_err(move |err| Error::Read {", ["Error::Read"]),
        ('cmd_error(item, "no target");', []),
        (".ok_or(store::Error::Missing)?", ["store::Error::Missing"]),
        ("__setError(c, REDIS_ERR_OOM, text);", ["REDIS_ERR_OOM"]),
        ('return Status::Corruption("no checksum");', ["Status::Corruption"]),
    ],
)
def test_errors_that_are_values(line: str, named: list[str]) -> None:
    assert holds_error(line)
    assert find_errors(line) == named


@pytest.mark.parametrize(
    "line",
    [
        "if (is_error(s, NET_ERR_IO)) {",
        "if (net_error(s, NET_ERR_IO))",
        "log_error(LOG_ERR, text);",
        "return Status::OK();",
        ".map_err(|err| err.into())?;",
        "return NET_ERR_NONE;",
        "s->error = NET_OK;",
        "set_err(s, code, NET_ERR_FLAG_COPY);",
        "\treturn errors.Is(err, ErrClosed)",
        "case NET_ERR_IO:",
        'log_error("lost");',
    ],
)
def test_lines_that_make_no_error(line: str) -> None:
    assert not holds_error(line)


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("window = data[-self.size:]", LineUse.READS),
        ("rows = rows[start : size :]", LineUse.READS),
        ("var width = isWide ? settings.size : 0;", LineUse.READS),
        ('text.append(", size=");', LineUse.READS),
        ('text += "size: " + size', LineUse.READS),
        ("sizes = [{'size': 3}]", LineUse.SETS),
        ('<option key="a" size="3"/>', LineUse.SETS),
        ("size: number = 3;", LineUse.SETS),
    ],
)
def test_a_slice_and_a_choice_set_nothing(line: str, use: LineUse) -> None:
    assert classify_use("size", line) is use


def test_what_gives_the_errors_of_another_system_makes_none() -> None:
    files = {
        "bind.c": "int translate_sys_error(int code) {\n    if (code == 1) return NET_EACCES;\n"
        "    return NET_EIO;\n}\n\n"
        "int net_bind(struct net *net) {\n    if (!net) return NET_EINVAL;\n"
        "    return translate_sys_error(errno);\n}\n"
    }
    claim = Asked(files).ask("which errors can net_bind return?").claim
    assert claim == "Errors that arise here: NET_EINVAL (bind.c:7, `if (!net)`)."


def test_a_docstring_below_a_blank_line_is_what_is_said_of_a_function() -> None:
    files = {
        "child.py": "def wait_exact(child,\n               text):\n\n"
        "    '''Wait for a plain text. Be patient.'''\n    return child.read(text)\n\n\n"
        "def wait_list(child, texts):\n    for text in texts:\n\n        # Wait for each.\n"
        "        child.read(text)\n"
    }
    claim = Asked(files).ask("what is the difference between wait_exact and wait_list?").claim
    assert claim == (
        "child.wait_exact (child.py:1-5): Wait for a plain text."
        " child.wait_list is declared at child.py:8-12."
    )


def test_errors_below_many_overloads_are_found() -> None:
    overloads = "".join(
        f"    public static object Find(Scope scope{', int x' * count})\n    {{\n"
        f"        return FindService(scope);\n    }}\n"
        for count in range(6)
    )
    failing = (
        "    static object FindService(Scope scope)\n    {\n        throw new NotFoundException();\n    }\n"
    )
    files = {"Finder.cs": f"static class Finder\n{{\n{overloads}{failing}}}\n"}
    claim = Asked(files).ask("Which errors can Find throw?").claim
    assert claim.startswith("Errors that arise here: NotFoundException (Finder.cs:29).")


def test_errors_of_one_of_many_types_of_a_name() -> None:
    text = "class Plan:\n    def draw(self):\n        raise PlanError(self)\n"
    files = {f"part{number}/plan.py": text for number in range(9)}
    claim = Asked(files).ask("Which errors can Plan raise?").claim
    assert "PlanError" in claim


def test_a_variable_of_the_name_and_a_part_that_is_handed_on_set_nothing() -> None:
    files = {
        "logger.h": "bool should_flush(int level) {\n    auto flush_level = flush_level_.load(relaxed);\n"
        "    return level >= flush_level;\n}\n",
        "stdio.js": "const wait = ({flush_level}) => read({\n\tflush_level: flush_level[0],\n});\n",
        "options.js": "const DEFAULTS = {flush_level: 3};\n",
    }
    claim = Asked(files).ask("where is flush_level configured?").claim
    assert claim.startswith(
        "flush_level is declared at options.js:1. It is read at logger.h:2 and stdio.js:1"
    )
    assert "stdio.js:2" not in claim


def test_what_overrides_a_method_and_calls_it_is_counted_among_what_overrides_it() -> None:
    files = {
        "base.py": "class Base:\n    def read(self):\n        return ''\n",
        "plain.py": "from base import Base\n\n\nclass Plain(Base):\n    def read(self):\n"
        "        return 'a'\n",
        "timed.py": "from base import Base\n\n\nclass Timed(Base):\n    def read(self):\n"
        "        return super().read()\n",
    }
    claim = Asked(files).ask("What breaks if I change Base.read?").claim
    assert claim.startswith(
        "Base.read (base.py:2-3) is overridden or implemented by Plain.read (plain.py:5-6)"
    )
    assert claim.endswith(" and Timed.read (timed.py:5-6). It is used by Timed.read (timed.py:5-6).")


def test_declarations_of_one_name_are_one_subject_and_the_program_gives_the_example() -> None:
    derived = "from base import Base\n\n\nclass {0}(Base):\n    def read(self):\n        return '{0}'\n"
    files = {
        "base.py": "class Base:\n    def read(self):\n        return ''\n",
        "base_again.py": "class Base:\n    def read(self):\n        return ' '\n",
        "demo/loud.py": derived.format("Loud"),
        "plain.py": derived.format("Plain"),
        "use.py": "from base import Base\n\n\ndef run():\n    return Base().read()\n",
    }
    claim = Asked(files).ask("What breaks if I change Base.read?").claim
    assert claim.startswith(
        "Base.read (base.py:2-3, base_again.py:2-3) is overridden or implemented by Plain.read"
    )
    assert claim.endswith(" and Loud.read (demo/loud.py:5-6). It is used by use.run (use.py:4-5).")


def test_a_variable_of_the_environment_is_stated_with_the_default_that_a_long_file_gives() -> None:
    setters = "".join(f"func set{n}(c *Config) {{\n\tc.MaxBodySize = {n}\n}}\n\n" for n in range(4))
    files = {
        "config.go": "package config\n\n"
        'var env = map[string]func(*Config){\n\t"MAX_BODY_SIZE": set0,\n}\n\n' + setters,
        "config_test.go": "package config\n\nvar tested = func(c *Config) {\n\tc.MaxBodySize = 9\n}\n",
    }
    claim = Asked(files).ask("where is MAX_BODY_SIZE configured?").claim
    assert claim == "MAX_BODY_SIZE is set at config.go:4."


def test_a_phrase_whose_other_words_the_best_lacks_is_lacking() -> None:
    files = {
        "command.py": "def run_command(command):\n    if command.known:\n        return command()\n",
        "suggest.py": "def suggest(name, names):\n    return [one for one in names if one[0] == name[0]]\n",
    }
    claim = Asked(files).ask("what happens when a command to run is mistyped?").claim
    assert claim == ("command.run_command (command.py:1-3) comes closest, but lacks the word mistyped.")


@pytest.mark.parametrize("line", ["err" * 60_000, "return " + "a, " * 50_000, "rc = (" * 30_000])
def test_a_long_line_holds_no_error(line: str) -> None:
    assert not holds_error(line)  # if each word were read again and again, this would take a minute


def test_a_key_of_a_table_is_set_and_a_constant_is_no_parameter() -> None:
    files = {
        "config.rb": "DEFAULTS = {\n  'separator' => ',',\n}\n",
        "Config.java": "class Config {\n    static final int MAX_AGE = 3;\n    int maxAge;\n"
        "    Config() {\n        maxAge = MAX_AGE;\n    }\n}\n",
    }
    assert "separator is set at config.rb:2" in Asked(files).ask("where is separator configured?").claim
    assert "set at Config.java:5" in Asked(files).ask("where is maxAge configured?").claim


def test_a_line_full_of_errors_is_read_in_linear_time() -> None:
    assert_linear(lambda size: "new LineError(" * size, find_errors, 500)
    assert find_errors("new LineError(" * 100_000)[:2] == ["LineError", "LineError"]


PUT = (
    "func (d *{0}) Put(p Parcel) error {{\n\tif p.Weight > d.most {{\n\t\treturn depot.ErrTooHeavy\n\t}}\n"
    "\tif p.At < d.last {{\n\t\treturn depot.ErrTooLate\n\t}}\n\tif p.Twice {{\n"
    "\t\treturn depot.NewTwiceErr(p)\n\t}}\n\treturn nil\n}}\n"
)
DEPOTS = {
    "go.mod": "module example.org/post\n",
    "depot/errors.go": 'package depot\n\nimport "errors"\n\nvar (\n'
    "\t// ErrTooHeavy is when a parcel weighs too much.\n"
    '\tErrTooHeavy = errors.New("too heavy")\n\tErrTooLate = errors.New("too late")\n)\n',
    "store/store.go": 'package store\n\nimport "example.org/post/depot"\n\ntype Store struct{}\n\n'
    + PUT.format("Store"),
    "agent/agent.go": 'package agent\n\nimport "example.org/post/depot"\n\ntype Agent struct{}\n\n'
    + PUT.format("Agent"),
    "web/put.go": 'package web\n\nimport (\n\t"errors"\n\n\t"example.org/post/depot"\n)\n\n'
    "func putParcel(d Depot, p Parcel) error {\n\terr := d.Put(p)\n\tif errors.Is(err, depot.ErrTooHeavy) {\n"
    "\t\treturn nil\n\t}\n\treturn err\n}\n",
}


def test_named_errors_arise_where_they_are_returned_and_not_where_they_are_tested() -> None:
    question = "which errors are returned when a parcel is put, and where? (ErrTooHeavy, ErrTooLate)"
    claim = Asked(DEPOTS).ask(question).claim
    assert claim.startswith(
        "ErrTooHeavy is when a parcel weighs too much (depot/errors.go:7). It arises at agent/agent.go:9;"
        " store/store.go:9. ErrTooLate (depot/errors.go:8) arises at agent/agent.go:12; store/store.go:12."
        " There, these arise too in Agent.Put (agent/agent.go:7-18): NewTwiceErr (:15); in Store.Put"
        " (store/store.go:7-18): NewTwiceErr (:15)."
    )
    assert "putParcel fits" not in claim


def test_what_raises_an_error_that_is_a_value_is_what_returns_it() -> None:
    claim = Asked(DEPOTS).ask("who raises ErrTooHeavy?").claim
    assert claim == (
        "depot.ErrTooHeavy (depot/errors.go:7) is raised by Agent.Put (agent/agent.go:9,"
        " `if p.Weight > d.most`) and Store.Put (store/store.go:9, `if p.Weight > d.most`)."
    )


def test_a_qualified_guess_tells_which_of_two_functions_is_meant() -> None:
    files = {
        f"{name}/save.go": f'package {name}\n\nimport "errors"\n\nfunc Save(n int) error {{\n'
        f'\tif n < 0 {{\n\t\treturn errors.New("{name} is full")\n\t}}\n\treturn nil\n}}\n'
        for name in ("agent", "store")
    }
    report = Asked(files).ask("which errors does Save return and when? (store.Save)")
    assert report.claim.startswith('Errors that arise here: "store is full" (store/save.go:7, `if n < 0`).')
    assert "agent" not in report.claim


def test_all_errors_of_the_function_itself_are_listed() -> None:
    lines = "".join(
        f'\tif n == {at} {{\n\t\treturn errors.New("step {at} failed")\n\t}}\n' for at in range(20)
    )
    files = {
        "run.go": f'package run\n\nimport "errors"\n\nfunc Run(n int) error {{\n{lines}\treturn nil\n}}\n'
    }
    claim = Asked(files).ask("which errors does Run return?").claim
    assert '"step 19 failed"' in claim
