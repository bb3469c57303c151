"""Variables of the environment that are taken by a constant which holds their name."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        (
            "src/port.rs",
            'const ENV_PORT: &str = "HARBOR_PORT";\nfn port() -> u16 {\n'
            "    match std::env::var(ENV_PORT) {\n        Ok(s) => 2,\n        _ => 1,\n    }\n}\n",
            3,
        ),
        (
            "port.go",
            'package harbor\n\nconst envPort = "HARBOR_PORT"\n\nfunc port() string {\n'
            "\treturn os.Getenv(envPort)\n}\n",
            6,
        ),
        (
            "port.py",
            'import os\n\nPORT_NAME = "HARBOR_PORT"\n\n\ndef port():\n    return os.environ[PORT_NAME]\n',
            7,
        ),
    ],
)
def test_a_variable_is_taken_by_the_constant_that_holds_its_name(path: str, text: str, line: int) -> None:
    report = Asked({path: text}).ask("where is HARBOR_PORT configured?")
    assert f"taken from the environment at {path}:{line}" in report.claim


def test_a_constant_that_only_sets_the_variable_takes_nothing() -> None:
    text = 'const ENV_PORT: &str = "HARBOR_PORT";\nfn start() {\n    std::env::set_var(ENV_PORT, "1");\n}\n'
    report = Asked({"src/port.rs": text}).ask("where is HARBOR_PORT configured?")
    assert "taken from the environment" not in report.claim
