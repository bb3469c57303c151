"""What questions about four unknown repositories showed: false claims, and what decides left out."""

from __future__ import annotations

import pytest

from repo_mcp.blocks.layouts import read_layout
from repo_mcp.research.findings.locating import lies_in_tests
from repo_mcp.research.findings.records import Form
from repo_mcp.text.question_words import list_words
from tests.repo_mcp.research.asking import Asked, drop_conditions, find_one, list_found

MACHINE = {
    "src/machine.c": """static void refuse(Machine* machine)
{
  machine->error = "refused";
}

static void halt(Machine* machine)
{
  machine->running = false;
}

void stop(Machine* machine)
{
  halt(machine);
}

void run(Machine* machine)
{
  INTERPRET_LOOP
  {
    CASE_CODE(LOAD):
    CASE_CODE(STORE):
      goto completeCall;

    completeCall:
      if (machine->count)
      {
        refuse(machine);
        RUNTIME_ERROR();
      }

      switch (machine->type)
      {
        case 1:
          break;
      }
  }
}
""",
    "src/rules.c": """#define INFIX(prec, fn) { 0, fn, prec }
#define INFIX_OPERATOR(prec, name) { name, infixOp, prec }

void infixOp(Compiler* compiler)
{
  parseTerm(compiler);
}

Rule rules[] =
{
  /* TOKEN_PAREN */ PREFIX(grouping),
  /* TOKEN_STAR  */ INFIX_OPERATOR(PREC_FACTOR, "*"),
  /* TOKEN_SLASH */ INFIX_OPERATOR(PREC_FACTOR, "/"),
  /* TOKEN_PLUS  */ INFIX_OPERATOR(PREC_TERM, "+"),
  /* TOKEN_ELSE  */ UNUSED,
};
""",
}


@pytest.fixture(scope="module")
def machine() -> Asked:
    return Asked(MACHINE)


def test_rows_of_a_table_that_begin_with_a_comment_are_code() -> None:
    layout = read_layout("src/rules.c", MACHINE["src/rules.c"].encode())
    assert not layout.comment_lines
    text = b"/* one */ int x;\n/* two */\n/* three */ // four\nint y; /* five\n six */ int z;\n/* 7 */}\n"
    assert read_layout("a.c", text).comment_lines == {2, 3, 6}


def test_what_a_document_leads_to_is_named_in_its_section() -> None:
    texts = {f"other_{n}.py": f"def other_{n}(value):\n    return value + {n}\n" for n in range(9)}
    texts |= {
        "README.md": '# <img src="x.svg" />\n\nSpooled jobs are run by `flush_all()`.\n',
        "jobs.py": "def flush_all(jobs):\n    for job in jobs:\n        job()\n",
    }
    report = Asked(texts).ask("how are spooled jobs run?")
    assert find_one(report, "jobs.flush_all").why == "named in README.md"


EDITOR = {
    "editor/commands.py": """class LetCommand:
    def execute(self, state):
        if state.locked:
            raise CannotLock(state)
        return state


class PutCommand:
    def execute(self, state):
        raise NothingInRegister(state)
""",
    "editor/commander.py": '''def run_command(command):
    """Run a command, or any other command."""
    if not command:
        raise NoCommand(command)
    return command()
''',
}


@pytest.mark.parametrize("asked", ["the let command", "LetCommand"])
def test_the_errors_of_a_type_named_in_plain_words_are_its_own(asked: str) -> None:
    report = Asked(EDITOR).ask(f"Which errors can {asked} raise?")
    assert drop_conditions(report.claim).startswith(
        "Errors that arise here: CannotLock (editor/commands.py:4)."
    )
    assert "raise CannotLock(state)" in report.findings[0].excerpt


def test_lines_of_a_method_are_not_shown_again_with_its_type() -> None:
    body = "".join(f"        self.step_{number} = fork({number})\n" for number in range(8))
    text = f"class Spawner:\n    def fork_horse(self):\n{body}"
    report = Asked({"workers.py": text}).ask("What is the difference between Spawner and fork_horse?")
    shown = [line for one in report.findings for line in one.excerpt.splitlines() if "step_3" in line]
    assert "workers.Spawner.fork_horse" in list_found(report)
    assert len(shown) == 1


def test_to_make_sure_is_no_word_of_code() -> None:
    assert list_words("How does it make sure that one scheduler runs?") == ["one", "scheduler", "runs"]


QUEUE = {
    "docs/index.md": """# Queues

## Options

* `result_ttl` specifies how long (in seconds) successful jobs and their
results are kept. Defaults to 500 seconds.
* `depth` says how many jobs a queue may hold.
""",
    "queues/defaults.py": "DEFAULT_RESULT_TTL = 500\n",
    "queues/job.py": """class Job:
    result_ttl = 500

    def keep(self, results):
        return store(results, self.result_ttl)
""",
    "queues/log.py": """def run(results):
    return [one for one in results if one.kept]
""",
}


@pytest.mark.parametrize(
    "asked",
    ["where do I set how long the colours of a job may run", "where do I set which results the job logs"],
)
def test_a_setting_that_no_document_describes_is_an_open_question(asked: str) -> None:
    report = Asked(QUEUE).ask(asked)
    assert report.reading.form is Form.OPEN
    assert "By docs/index.md" not in report.claim


def test_a_word_for_failing_is_not_said_to_be_lacking_of_an_error() -> None:
    texts = {
        "errors.rb": "class LockError < StandardError\n  attr_reader :lock\nend\n",
        "notes.txt": "The arms were raised.\n",
    }
    claim = Asked(texts).ask("how is a lock raised").claim
    assert claim.startswith("LockError (errors.rb:1-3) fits the question best.")


@pytest.mark.parametrize(
    ("asked", "form"),
    [("callers halt", Form.CALLERS), ("callees stop", Form.CALLEES), ("usages halt", Form.DEPENDENTS)],
)
def test_a_form_and_a_name_alone_are_a_question(machine: Asked, asked: str, form: Form) -> None:
    assert machine.ask(asked).reading.form is form


def test_of_two_types_it_is_said_what_only_one_declares() -> None:
    text = """type streamer struct {
}

func (s *streamer) Evaluate(file string) error {
	return nil
}

func (s *streamer) EvaluateAll(files []string) error {
	return nil
}

func (s *streamer) EvaluateNew(file string) error {
	return nil
}

type collector struct {
}

func (c *collector) Evaluate(file string) error {
	return nil
}
"""
    more = "package eval\n\nfunc (c *collector) EvaluateAll(files []string) error {\n\treturn nil\n}\n"
    asked = Asked({"eval/eval.go": text, "eval/more.go": more})
    claim = asked.ask("difference between streamer and collector").claim
    assert claim.endswith(" Only streamer declares EvaluateNew (eval/eval.go:12-14).")


def test_interfaces_differ_by_what_they_require() -> None:
    text = """package bag

type Puts interface {
	Put(key string, value int) error
	Noting
	Drop()
}

type Noting interface {
	Note(text string)
}

type PutsAll interface {
	Put(all ...Pair) error
	Ends
}

type Ends interface {
	End() error
}

type Pair struct{}
"""
    claim = Asked({"bag/bag.go": text}).ask("difference between Puts and PutsAll").claim
    assert "Only Puts requires Drop (bag/bag.go:6) and Note (:10)." in claim
    assert "Only PutsAll requires End (bag/bag.go:19)." in claim


def test_modules_of_tests_for_one_part_are_tests() -> None:
    assert lies_in_tests("prepare.rs", "prepare.tests_mysql.inject_parameters_3")
    assert lies_in_tests("run.py", "tests.run")
    assert not lies_in_tests("prepare.rs", "prepare.inject_tests")
    assert lies_in_tests("prepare.rs", "test.run")
    assert not lies_in_tests("run.py", "test.run")
