"""Settings of one type among keys of others, with what their default stands for and what replaces it."""

from __future__ import annotations

import pytest

from repo_mcp.graph.graph import Graph
from repo_mcp.research.settings.deciding import _trim
from repo_mcp.research.settings.setting_owners import _CONFIGURES_ALL
from tests.counted_calls import count_calls
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked

GATES = {
    "gate.go": (
        'package depot\n\nimport "os"\n\nvar (\n'
        '\t// DefaultGateAddress is used if none is given.\n\tDefaultGateAddress = "localhost:80"\n)\n\n'
        'func init() {\n\tif given, ok := os.LookupEnv("DEPOT_GATE"); ok {\n'
        "\t\tDefaultGateAddress = given\n\t}\n}\n\n"
        "// GateConfig says how parcels come in.\ntype GateConfig struct {\n"
        "\t// The address on which parcels come in.\n"
        '\tListen string `json:"listen,omitempty"`\n}\n\n'
        'func open(gate *GateConfig) {\n\tif gate.Listen == "" {\n'
        "\t\tgate.Listen = DefaultGateAddress\n\t}\n\tstart(gate.Listen)\n}\n"
    ),
    "conf/depot.json": (
        '{\n  "gate": {\n    "listen": "here"\n  },\n  "shelves": {\n    "upper": {\n'
        '      "listen": "there"\n    }\n  }\n}\n'
    ),
}
ASKED = "Where is the address of the gate configured and what is its default? (GateConfig.Listen)"


def test_a_key_of_another_table_is_no_setting_of_a_type() -> None:
    claim = Asked(GATES).ask(ASKED).claim
    assert "conf/depot.json:3" in claim
    assert "conf/depot.json:7" not in claim


def test_the_default_is_told_with_its_value_and_what_replaces_it() -> None:
    report = Asked(GATES).ask(ASKED)
    assert (
        'The default of Listen is DefaultGateAddress (gate.go:24), which is "localhost:80" (gate.go:7).'
        in report.claim
    )
    assert "DefaultGateAddress is declared at gate.go:7 and set at gate.go:12" in report.claim
    assert any("DefaultGateAddress = given" in one.excerpt for one in report.findings)


def test_a_field_that_is_asked_for_is_shown_with_its_comment() -> None:
    excerpt = next(one.excerpt for one in Asked(GATES).ask(ASKED).findings if one.name == "Listen")
    assert "The address on which parcels come in." in excerpt


def test_a_bracket_that_is_opened_in_a_value_is_closed_there() -> None:
    assert _trim("depot.Names{Longest: 64}") == "depot.Names{Longest: 64}"
    assert _trim("3 }") == "3"


def test_the_name_of_what_configures_everything_is_read_in_linear_time() -> None:
    assert _CONFIGURES_ALL.fullmatch("DefaultServerSettings")
    assert_linear(lambda size: "Default" * size + "x", _CONFIGURES_ALL.fullmatch, 3)


KILN = {
    "kiln/kiln.go": (
        "package kiln\n\n// DefaultHeat is the heat that a kiln has if none is given.\n"
        "const DefaultHeat = int64(900)\n\n"
        "func NewKiln(heat int64) *Kiln {\n\tif heat == 0 {\n\t\theat = DefaultHeat\n\t}\n"
        "\treturn &Kiln{heat}\n}\n"
    ),
    "conf/config.go": (
        'package conf\n\nimport "flag"\n\ntype Config struct {\n\tKilnHeat int64 `json:"kiln-heat"`\n}\n\n'
        "func (cfg *Config) AddFlags(fs *flag.FlagSet) {\n"
        '\tfs.Int64Var(&cfg.KilnHeat, "kiln-heat", cfg.KilnHeat, "The heat of the kiln.")\n}\n'
    ),
    "main.go": (
        "package main\n\nfunc main() {\n\tcfg := conf.Config{}\n\tif cfg.KilnHeat != kiln.DefaultHeat {\n"
        "\t\twarn()\n\t}\n\tkiln.NewKiln(cfg.KilnHeat)\n}\n"
    ),
}


def test_a_guessed_field_is_the_setting_and_a_guessed_constant_its_default() -> None:
    asked = "Where is the most heat of the kiln configured and what is its default?"
    report = Asked(KILN).ask(f"{asked} (NewKiln, DefaultHeat, KilnHeat)")
    assert report.reading.text == "where Config.KilnHeat is configured"
    assert report.claim.startswith(
        "KilnHeat is declared at conf/config.go:6 and set at conf/config.go:10 (an option)."
    )
    assert "DefaultHeat is int64(900), declared at kiln/kiln.go:4" in report.claim
    assert "Its default is kiln.DefaultHeat {" not in report.claim
    assert any("fs.Int64Var" in one.excerpt for one in report.findings)


def test_a_guessed_function_is_no_setting() -> None:
    asked = "Where is the most heat of the kiln configured and what is its default? (NewKiln)"
    assert not Asked(KILN).ask(asked).claim.startswith("NewKiln is declared at")


def test_a_guessed_table_of_defaults_is_not_told_as_the_default_of_one_setting() -> None:
    table = 'package kiln\n\nvar DefaultHeats = map[string]int{\n\t"low":  90,\n\t"high": 900,\n}\n'
    asked = "Where is the most heat of the kiln configured and what is its default? (KilnHeat, DefaultHeats)"
    assert "DefaultHeats" not in Asked({**KILN, "kiln/heats.go": table}).ask(asked).claim


def test_a_table_that_a_setting_is_given_is_its_default_even_if_it_is_guessed() -> None:
    table = '= []string{\n\t\t"localhost:80",\n\t\t"localhost:81",\n\t}\n'
    gates = {**GATES, "gate.go": GATES["gate.go"].replace('= "localhost:80"\n', table)}
    claim = Asked(gates).ask(ASKED.replace(")", ", DefaultGateAddress)")).claim
    assert "DefaultGateAddress is declared at gate.go:7" in claim


def test_a_default_is_told_even_if_its_value_happens_to_be_a_part_of_a_line_number() -> None:
    tries = {**GATES, "tries.go": "package depot\n\nconst DefaultGateTries = 2\n"}
    claim = Asked(tries).ask(ASKED.replace(")", ", DefaultGateTries)")).claim
    assert "(gate.go:24)" in claim
    assert "DefaultGateTries is 2, declared at tries.go:3" in claim


def test_what_sets_and_what_reads_a_default_are_told_apart() -> None:
    set_again = "package depot\n\nfunc reset() {\n\tDefaultGateAddress = none\n}\n"
    claim = Asked({**GATES, "reset.go": set_again}).ask(ASKED).claim
    assert "DefaultGateAddress is declared at gate.go:7 and set at gate.go:12 and reset.go:4." in claim
    is_read = set_again.replace("}\n", "\tsay(DefaultGateAddress)\n}\n")
    claim = Asked({**GATES, "reset.go": is_read}).ask(ASKED).claim
    assert "declared at gate.go:7, set at gate.go:12 and reset.go:4, and read at reset.go:5." in claim


def test_the_types_around_lines_are_found_without_reading_a_whole_file_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outlined = count_calls(monkeypatch, Graph, "outline")
    counts = []
    for size in (10, 20):
        kilns = [
            f"class Kiln{one}:\n    heat = {one}\n\n    def reset(self):\n        self.heat = {one}\n\n"
            for one in range(size)
        ]
        report = Asked({"kiln.py": "\n".join(kilns)}).ask("where is Kiln3.heat configured")
        assert report.claim.startswith("Kiln3.heat is declared as 3 at kiln.py:23 and set at kiln.py:26.")
        counts.append(len(outlined))
        outlined.clear()
    assert counts[0] == counts[1]


def test_the_properties_of_a_component_are_settings_and_are_read_near_them_first() -> None:
    files = {
        "app/try.ts": "export function tryIt({ keepMode } = { keepMode: 1 }) {\n  return keepMode\n}\n",
        "src/defaults.ts": "export const defaultOptions = {\n  keepMode: 1,\n}\n",
        "src/props.ts": "export interface FormProps {\n  keepMode: number\n}\n",
        "src/form.ts": "import { FormProps } from './props'\n\n"
        "export function build(props: FormProps) {\n  return props.keepMode > 1\n}\n",
    }
    report = Asked(files).ask("Where is keepMode read?")
    assert report.claim.startswith("keepMode is read at src/form.ts:4")
    assert "It is declared at src/defaults.ts:2 and src/props.ts:2" in report.claim
