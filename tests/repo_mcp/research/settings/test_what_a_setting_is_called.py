"""A setting is found by the name of its default, and each of two by its name."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.parts import split_question
from repo_mcp.research.settings.line_use import LineUse, classify_use
from tests.repo_mcp.research.asking import Asked

LOAD = {
    "Sources/Load.swift": "struct Load {\n    let maxPotCount: Int\n    let kiln: Kiln\n\n"
    "    func run() throws {\n"
    "        try kiln.take(self.maxPotCount)\n    }\n}\n",
    "Sources/Shift.swift": "struct Shift {\n    func begin() -> Load {\n        return Load(\n"
    "            maxPotCount: 16 * 4,\n            kiln: kiln\n        )\n    }\n\n"
    "    func show(maxPotCount: Int) {}\n}\n",
    "Sources/Plan.swift": "final class Plan {\n    var defaultMaxPotCount: PotCount\n\n    init() {\n"
    '        self.box = .init(all: [], defaultMaxPotCount: "16 pots")\n    }\n}\n',
    "Sources/Day.swift": "func plan(day: Plan, count: PotCount?) -> PotCount {\n"
    "    return count ?? day.defaultMaxPotCount\n}\n",
}


def test_what_is_named_as_the_default_of_a_setting_is_told_with_it() -> None:
    claim = Asked(LOAD).ask("where is the most that a load takes configured? (maxPotCount)").claim
    assert claim == (
        "maxPotCount is declared at Sources/Load.swift:2 and set at Sources/Shift.swift:4. It is read at"
        " Sources/Load.swift:6. defaultMaxPotCount is declared at Sources/Plan.swift:2, set at"
        " Sources/Plan.swift:5, and read at Sources/Day.swift:2."
    )


def test_a_guess_that_nothing_sets_is_not_told_beside_what_is_named_as_a_default() -> None:
    files = {
        "src/body.rs": "pub fn read_body() {\n    let DEFAULT_LIMIT = 9;\n    wrap(DEFAULT_LIMIT)\n}\n"
        "const DEFAULT_LIMIT: usize = 7;\n",
        "src/layer.rs": "// see BodyLimitLayer\nfn add() {}\n",
    }
    question = "Where is the body limit configured? (BodyLimitLayer, DEFAULT_LIMIT)"
    claim = Asked(files).ask(question).claim
    assert claim.startswith("DEFAULT_LIMIT is 7")


SECRETS = {
    "Sources/run.swift": "func run() async throws {\n"
    '    let secret = try await Environment.secret(path: "KILN_SECRET")\n    show("POT_COLOR")\n'
    "    let potGloss = 3\n}\n"
}


def test_of_two_names_each_is_asked_for_and_one_that_no_file_has_is_said() -> None:
    report = Asked(SECRETS).ask("where is the environment variable KILN_SECRET or KILN_LEVEL read?")
    assert [part.claim for part in report.parts] == [
        "Where is the environment variable KILN_SECRET read? KILN_SECRET is taken from the environment at"
        " Sources/run.swift:2.",
        "Where is the environment variable KILN_LEVEL read? KILN_LEVEL does not occur in this repository."
        " No name here is similar to it.",
    ]


def test_what_nothing_reads_is_said_not_to_be_read() -> None:
    claim = Asked(SECRETS).ask("where is POT_COLOR read?").claim
    assert claim == "Nothing is known to read POT_COLOR."


def test_a_name_that_code_has_in_another_spelling_alone_is_said_not_to_occur() -> None:
    for what in ("POT_GLOSS", "the environment variable POT_GLOSS"):
        claim = Asked(SECRETS).ask(f"where is {what} read?").claim
        assert claim.startswith("POT_GLOSS does not occur in this repository.")


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("Where are MAX_POTS and MIN_HEAT set?", ("Where is MAX_POTS set", "Where is MIN_HEAT set")),
        ("where is glazes or MIN_HEAT read?", ("where is glazes or MIN_HEAT read?",)),
        ("how are maxPots and minHeat related?", ("how are maxPots and minHeat related?",)),
    ],
)
def test_two_names_of_code_with_one_verb_are_two_parts(query: str, parts: tuple[str, ...]) -> None:
    assert split_question(query) == parts


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ('Environment.secret(path: "KILN_SECRET")', LineUse.TAKES),
        ('show(path: "KILN_SECRET")', LineUse.SETS),
    ],
)
def test_a_labelled_argument_takes_a_variable_from_the_environment(line: str, use: LineUse) -> None:
    assert classify_use("KILN_SECRET", line) is use


FLAGS = {
    "kiln/Pool.cpp": '#include "Pool.h"\n\nDEFINE_uint32(\n    kiln_global_stoker_pool_threads,\n    0,\n'
    '    "Threads that stoke");\n\nint count() {\n  return FLAGS_kiln_global_stoker_pool_threads;\n}\n',
}


@pytest.mark.parametrize(
    "asked", ["default number of threads for the global stoker pool", "kiln_global_stoker_pool_threads"]
)
def test_a_flag_is_found_by_its_words_and_by_its_name_without_the_prefix(asked: str) -> None:
    report = Asked(FLAGS).ask(f"where is the {asked} configured?")
    name = "FLAGS_kiln_global_stoker_pool_threads"
    assert [node.symbol.name for node in report.reading.subjects[0].nodes][:1] == [name]
    assert "It is read at kiln/Pool.cpp:9." in report.claim
    assert not report.warnings


def test_a_value_with_few_words_of_a_description_is_not_what_is_described() -> None:
    asked = Asked(FLAGS).ask("where is the number of threads that wait for the pool of helpers configured?")
    assert asked.reading.form is Form.OPEN


def test_a_setting_that_is_asked_for_in_words_is_named_as_the_lines_that_set_it_spell_it() -> None:
    files = {
        "conf.yaml": "depot:\n  max_size: 3\n",
        "load.py": "def load(conf):\n    return conf['max_size']\n",
    }
    claim = Asked(files).ask("where is max size configured?").claim
    assert claim == "max_size is set at conf.yaml:2. It is read at load.py:2."
