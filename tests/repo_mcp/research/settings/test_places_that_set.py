"""A call in a function of defaults or for an option sets a setting; a test or a line that reads does not."""

from __future__ import annotations

import pytest

from repo_mcp.research.settings.line_use import LineUse, classify_use
from tests.repo_mcp.research.asking import Asked

DEFAULTS = """const fill = (obj, key, make) => {
  if (obj[key] === undefined) obj[key] = make();
};

const applyKilnDefaults = (kiln, { fast }) => {
  const { glaze } = kiln;
  if (glaze) {
    fill(glaze, "layers", () => 1);
    fill(glaze, "minHeat", () => (fast ? 900 : 700));
  }
};

module.exports = { applyKilnDefaults };
"""
PLUGIN = """class GlazePlugin {
  constructor(options = {}) {
    const minHeat = toKelvin(options.minHeat, options.scale);
    this.options = { minHeat, heats: [minHeat] };
  }
}

module.exports = GlazePlugin;
"""
KILN = {
    "lib/defaults.js": DEFAULTS,
    "lib/GlazePlugin.js": PLUGIN,
    "lib/types.d.ts": "export interface GlazeOptions {\n  minHeat?: number;\n}\n",
    "schemas/Kiln.json": '{\n  "GlazeOptions": {\n    "minHeat": {\n      "type": "number"\n    }\n  }\n}\n',
    "test/cases/hot/kiln.config.js": "module.exports = {\n  kiln: {\n    glaze: {\n"
    "      minHeat: 1,\n    },\n  },\n};\n",
    "test/cases/cold/kiln.config.js": "module.exports = {\n  kiln: {\n    glaze: {\n"
    "      minHeat: 2,\n    },\n  },\n};\n",
}


@pytest.mark.parametrize("asked", ["the default of kiln.glaze.minHeat", "kiln.glaze.minHeat", "minHeat"])
def test_a_call_in_a_function_of_defaults_sets_what_it_names_and_tests_declare_nothing(asked: str) -> None:
    report = Asked(KILN).ask(f"where is {asked} configured?")
    assert "set at lib/defaults.js:9" in report.claim
    assert "GlazePlugin.js:3" not in report.claim.split(" read at ")[0]
    assert "test/" not in report.claim
    own = [one for one in report.findings if one.path == "lib/defaults.js"]
    assert own[0].lines == (9,)
    assert "fast ? 900 : 700" in own[0].excerpt


FLAGS = """package main

func main() {
	cfg := struct{ kiln kiln.Options }{}
	a.Flag("kiln.pending-pots", "Pots that may wait.").
		Default("12").IntVar(&cfg.kiln.PendingPots)
	kiln.Run(&cfg.kiln)
}
"""
METRICS = """package kiln

func newMetrics() *metrics {
	return &metrics{
		pendingPots: newGauge(GaugeOptions{
			Name: "pending_pots",
		}),
	}
}
"""
RUN = """package kiln

type Options struct {
	PendingPots int
}

func Run(o *Options) []Pot {
	return make([]Pot, 0, o.PendingPots)
}
"""


@pytest.mark.parametrize(
    "query",
    [
        "where is PendingPots configured?",
        "where is it configured how many pots may wait for a Kiln? (PendingPots)",
    ],
)
def test_an_option_sets_what_it_gets_the_address_of_and_a_name_in_another_case_is_another(query: str) -> None:
    files = {"cmd/main.go": FLAGS, "kiln/metrics.go": METRICS, "kiln/run.go": RUN}
    claim = Asked(files).ask(query).claim
    assert claim == (
        "PendingPots is declared at kiln/run.go:4 and set at cmd/main.go:6 (an option)."
        " It is read at kiln/run.go:8."
    )


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ('\t\tDefault("12").IntVar(&cfg.kiln.size)', LineUse.FILLS),
        ('  flags.StringVar(&size, "size", "", "")', LineUse.OPTION),
        ("  scan(&cfg.size)", LineUse.SETS),
    ],
)
def test_only_what_declares_an_option_fills_the_variable_behind_an_address(line: str, use: LineUse) -> None:
    assert classify_use("size", line) is use
