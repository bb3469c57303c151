"""Keys of configuration files, such as features of a manifest, that questions name."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

TEXTS = {
    ".ci/run.toml": "enable = true\n",
    "Cargo.toml": '[features]\ndefault = []\nfull = [\n  "sea-wind",\n]\nsea-wind = ["sea"]\nsea = []\n',
    "src/lib.rs": '#[cfg(feature = "sea-wind")]\npub fn blow() {}\n',
    "src/sail.rs": "mod sea_wind;\n",
}


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        (
            "where is the feature sea-wind set and what does it turn on?",
            "sea-wind is set at Cargo.toml:6.",
        ),
        ("what does the sea-wind feature enable?", "sea-wind is set at Cargo.toml:6."),
        ("what does the full feature enable?", "full is set at Cargo.toml:3."),
        ("where is sea-wind configured?", "sea-wind is set at Cargo.toml:6."),
        ("where is the feature full defined?", "full is set at Cargo.toml:3."),
    ],
)
def test_a_feature_is_found_in_the_manifest_and_where_it_is_asked_for(question: str, claim: str) -> None:
    report = Asked(TEXTS).ask(question)
    assert report.claim == claim
    assert report.findings[0].path == "Cargo.toml"


def test_the_lines_that_name_a_feature_are_shown_before_other_spellings() -> None:
    report = Asked(TEXTS).ask("what does the feature sea-wind turn on?")
    assert [one.path for one in report.findings] == ["Cargo.toml", "Cargo.toml", "src/lib.rs", "src/sail.rs"]


def test_a_word_that_no_configuration_file_has_is_no_key() -> None:
    report = Asked(TEXTS).ask("where is the feature storm defined?")
    assert report.reading.form != "configured"
