"""The official conformance suite over HTTP (npm: @modelcontextprotocol/conformance, Node 22 or newer).

Every scenario that does not pass is named here with its reason; one that passes unexpectedly fails too.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 120.0

PASSING = {
    "dns-rebinding-protection",
    "json-schema-2020-12",
    "ping",
    "resources-list",
    "resources-read-binary",
    "resources-read-text",
    "resources-templates-read",
    "server-initialize",
    "server-sse-multiple-streams",
    "server-sse-polling",  # a warning alone where streams cannot be taken up again, as here
    "tools-call-audio",
    "tools-call-error",
    "tools-call-simple-text",
    "tools-call-with-progress",
    "tools-list",
}
NO_SUBSCRIPTION = "no subscriptions: a file is read anew each time, and nothing is kept"
NO_PROMPTS = "no prompts are offered"
NO_QUESTIONS = "one conversation's: questions to the client go over stdio alone"
FAILING = {
    "completion-complete": "nothing is completed: no prompts, and paths are found with tools",
    "elicitation-sep1034-defaults": "the server never asks the user",
    "elicitation-sep1330-enums": "the server never asks the user",
    "logging-set-level": "nothing is logged to the client: progress and warnings stand in answers",
    "prompts-get-embedded-resource": NO_PROMPTS,
    "prompts-get-simple": NO_PROMPTS,
    "prompts-get-with-args": NO_PROMPTS,
    "prompts-get-with-image": NO_PROMPTS,
    "prompts-list": NO_PROMPTS,
    "resources-subscribe": NO_SUBSCRIPTION,
    "resources-unsubscribe": NO_SUBSCRIPTION,
    "tools-call-elicitation": "the server never asks the user",
    "tools-call-embedded-resource": "no tool embeds resources: links are given",
    "tools-call-image": "no tool returns images: links are given",
    "tools-call-mixed-content": "no tool returns images or embeds resources",
    "tools-call-sampling": NO_QUESTIONS,
    "tools-call-with-logging": "nothing is logged to the client",
}


@pytest.fixture(scope="module")
def suite() -> str:
    found = shutil.which("conformance")
    if found is None:
        pytest.skip("the conformance suite is not installed (npm: @modelcontextprotocol/conformance)")
    return found


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.conformance.fixture_server"],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    yield server.stdout.readline().strip()
    server.terminate()
    server.communicate(timeout=PATIENCE_SECONDS)


def _list_scenarios(suite: str) -> set[str]:
    listed = subprocess.run([suite, "list", "--server"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^\s+- ([\w-]+)", listed, re.MULTILINE))


def _passes(suite: str, url: str, scenario: str, place: Path) -> bool:
    done = subprocess.run(
        [suite, "server", "--url", url, "--scenario", scenario, "--suite", "all"],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return done.returncode == 0


@pytest.mark.clients
def test_every_scenario_is_known(suite: str) -> None:
    assert _list_scenarios(suite) == PASSING | FAILING.keys()


@pytest.mark.clients
@pytest.mark.parametrize("scenario", sorted(PASSING | FAILING.keys()))
def test_scenario(suite: str, url: str, scenario: str, tmp_path: Path) -> None:
    assert _passes(suite, url, scenario, tmp_path) is (scenario in PASSING), FAILING.get(scenario, "")
