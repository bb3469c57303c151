"""Options of the command line: the call that declares one says what it sets, and its default."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked

GO = {
    "cmd/run/main.go": "package main\n\nvar defaultKeepText = \"15d\"\n\nfunc main() {\n"
    '\tserverFlag(app, "store.keep.time", "How long to keep. Defaults to "+defaultKeepText+".").\n'
    "\t\tSetValue(&cfg.store.KeepTime)\n\n"
    '\tapp.Flag("web.enable-reload", "Reload on request.").\n'
    '\t\tDefault("false").BoolVar(&cfg.web.EnableReload)\n\n'
    '\tport := flag.Int("listen-port", 8080, "Port.")\n\tserve(*port)\n'
    "\tif cfg.store.KeepTime == 0 {\n\t\tfail()\n\t}\n}\n",
    "web/web.go": "package web\n\nfunc route(o Options) {\n\tif o.EnableReload {\n\t\tadd()\n\t}\n}\n",
    "web/examples.go": 'package web\n\nvar shown = map[string]string{\n\t"web.enable-reload": "true",\n}\n',
    "ui/flags.test.ts": "const flags = {\n  'store.keep.time': '0s',\n  'web.enable-reload': 'false',\n};\n",
}  # fmt: skip


def ask(question: str, files: dict[str, str]) -> str:
    report = Asked(files).ask(question)
    assert report.reading.form is Form.CONFIGURED
    return report.claim


def test_a_flag_is_declared_by_the_call_and_not_by_a_test() -> None:
    claim = ask("where is the flag store.keep.time configured and what is the default?", GO)
    assert claim == (
        "The option store.keep.time is declared at cmd/run/main.go:6 (sets cfg.store.KeepTime; it gives no"
        ' default, but names var defaultKeepText = "15d" (cmd/run/main.go:3)). What it sets is used at'
        " cmd/run/main.go:14."
    )


def test_the_name_of_a_field_leads_to_its_users_in_other_files() -> None:
    claim = ask("where is the command line flag --web.enable-reload defined?", GO)
    assert claim == (
        "The option web.enable-reload is declared at cmd/run/main.go:9 (sets cfg.web.EnableReload; default"
        ' "false"). What it sets is used at web/web.go:4.'
    )


def test_the_excerpt_holds_the_whole_call() -> None:
    report = Asked(GO).ask("where is the flag web.enable-reload defined?")
    assert [report.findings[0].start_line, report.findings[0].end_line] == [9, 10]


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("run.py", 'parser.add_argument(\n    "--max-tries", dest="tries", type=int, default=5\n)\n',
         "run.py:2 (sets tries; default 5)"),
        ("run.py", '@click.option("--max-tries", default=5, help="(default: 9)")\ndef run(tries): pass\n',
         "run.py:1 (default 5)"),
        ("run.js", 'program\n  .option("-t, --max-tries <n>", "Tries.", parse)\n  .option("--other", "x")\n',
         "run.js:2 (it gives no default)"),
        ("run.rs", 'fn app() {\n    Arg::new("max-tries")\n        .long("max-tries")\n'
         '        .default_value("5");\n}\n',
         'run.rs:2 (default "5")'),
        ("run.go", 'package p\n\nfunc f() {\n\tfs.IntVarP(&o.tries, "max-tries", "t", 5, "Tries.")\n}\n',
         "run.go:4 (sets o.tries; default 5)"),
        ("run.go", 'package p\n\nvar tries = pflag.Int("max-tries", 5, "Tries.")\n',
         "run.go:3 (sets tries; default 5)"),
        ("Run.java", 'class Run {\n    @Option(names = {"-t", "--max-tries"}, defaultValue = "5")\n'
         '    int tries;\n}\n',
         'Run.java:2 (default "5")'),
    ],
)  # fmt: skip
def test_what_each_library_writes(path: str, text: str, said: str) -> None:
    claim = ask("where is the flag --max-tries declared?", {path: text})
    assert claim.startswith(f"The option max-tries is declared at {said}")


PLAIN = {
    "run.py": 'parser.add_argument("--out", help="the file")\n'
    'parser.add_argument("--sync", default=True, help="sync both")\n'
}


@pytest.mark.parametrize(
    "question", ["where is the flag sync declared?", "where is the sync option declared?"]
)
def test_a_plain_word_beside_the_word_flag_is_an_option(question: str) -> None:
    assert ask(question, PLAIN) == "The option sync is declared at run.py:2 (default True)."


def test_who_asks_where_an_option_is_used_is_told_its_declaration_and_its_uses() -> None:
    claim = ask("where is the flag web.enable-reload used?", GO)
    assert claim.startswith("The option web.enable-reload is declared at cmd/run/main.go:9 ")
    assert claim.endswith(" What it sets is used at web/web.go:4.")


def test_what_reads_an_option_does_not_declare_it() -> None:
    files = {"run.go": 'package p\n\nfunc f() {\n\tn := cmd.Flags().GetInt("max-tries")\n\tuse(n)\n}\n'}
    assert "declared" not in Asked(files).ask("where is the flag max-tries defined?").claim


def test_other_questions_about_an_option_are_not_about_its_declaration() -> None:
    report = Asked(GO).ask("how does the flag web.enable-reload reach the router?")
    assert "The option" not in report.claim


def test_a_dotted_name_is_an_option_without_being_called_so_if_a_call_declares_it() -> None:
    call = 'a.Flag("kiln.keep.time", "Time.").Default("3h").SetValue(&keep)'
    text = f"package p\n\nfunc f(a *App) {{\n\t{call}\n}}\n"
    claim = Asked({"run.go": text}).ask("where is the default of kiln.keep.time configured?").claim
    assert claim == 'The option kiln.keep.time is declared at run.go:4 (sets keep; default "3h").'
