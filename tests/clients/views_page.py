"""A page of what the models of four clients see: two searches, one outline, one bundle, one error.

    REPO_MCP_CLIENTS=node_modules/.bin python -m tests.clients.views_page > docs/client-views.md

The clients are the real programs, in front of scripted models, as in `tests/clients/test_conversations.py`.
Where one is not installed, nothing is printed. What varies from run to run is shown as `...`.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.architecture.source_tree import ROOT
from tests.clients.drivers import DRIVERS, Driver
from tests.clients.script import Call, Script, Step
from tests.clients.stage import Stage

CLIENTS = {
    "codex, every tool at once": "Codex CLI",
    "claude": "Claude Code",
    "copilot": "Copilot CLI",
    "gemini": "Gemini CLI",
}
CALLS = {
    "One search": Call("repo.search", {"query": "post a transfer", "top_k": 2, "detail": "text"}),
    "One page of exact matches": Call(
        "repo.search", {"query": "amount", "mode": "literal", "file_glob": "accounts.py"}
    ),
    "One outline": Call("repo.outline", {"path": "src/ledger/accounts.py", "detail": "text"}),
    "One bundle": Call(
        "repo.build_context_bundle", {"prompt": "how is a transfer posted", "budget": {"max_total_lines": 20}}
    ),
    "One error": Call("repo.open_file", {"path": ".env"}),
}
ANSWER = "<answer>"
# Otherwise Codex asks its model after a second with the tools that it has by then: none on a busy machine.
CODEX_WAITS = ("[mcp_servers.repo]", "[mcp_servers.repo]\nrequired = true")
# Ids, and what a client's own clock says.
_VARYING = re.compile(r'(?<="request_id":")[^"]+|(?<=Wall time: )[0-9.]+')
_ROOT = r'"This answer is for the repository \"tree\"."'
# What a server says of its first look at the tree, which may last longer than a call waits.
_SAID = r'"(?:The tree is being compared|The tree was last checked|The latest changes may not)[^"]*"'
_OF_THE_MOMENT = re.compile(f",{_SAID}|{_SAID},?")
PAGE = ROOT / "docs" / "client-views.md"
HEAD = f"""# What the models of four clients see

This page shows what a model sees when it makes the same five calls through
{" and ".join(", ".join(CLIENTS.values()).rsplit(", ", 1))}. A scripted model made them on
`tests/corpus/tiny_repo`. `python -m tests.clients.views_page` writes this page with the real programs, whose
versions are in `docs/clients.md`; a test compares the answers with those of the server.

Every client passes on the whole text of an answer, so each text is shown once. The table below it shows what
each client adds around the text, with `{ANSWER}` in its place. Ids and times are shown as `...`. A client
that names its roots, as Gemini CLI does, also gets `This answer is for the repository "tree".` among the
warnings of the first answer.
"""


def mask(text: str) -> str:
    """Return a text without what varies from run to run and from client to client."""
    return _VARYING.sub("...", _OF_THE_MOMENT.sub("", text)).replace(_ROOT, "")


def play(driver: Driver, place: Path) -> Mapping[str, tuple[str, str]]:
    """Return for each of the calls what was sent, and what the model saw with `ANSWER` in place of it."""
    stage = Stage(place)
    stage.set_up(*driver.setup)
    if driver.program == "codex":
        stage.change_setup(driver.file, *CODEX_WAITS)
    stage.index()
    played = driver.play(stage, Script(*map(Step, CALLS.values())))
    shown = {}
    for number, (title, call) in enumerate(CALLS.items()):
        earlier = sum(one.tool == call.tool for one in [*CALLS.values()][:number])
        sent = str(stage.find_answer(call.tool, earlier)["content"][0]["text"])
        seen = played.seen[f"call_{number}"]
        assert driver.unwrap(seen) == sent, (driver.program, title)
        around = seen.replace(json.dumps(sent)[1:-1], ANSWER).replace(sent, ANSWER)
        shown[title] = mask(sent), mask(around)
    return shown


def render(title: str, answer: str, around: Mapping[str, str]) -> str:
    """Return the part of the page about one call."""
    call = CALLS[title]
    part = f"\n## {title}\n\n`{call.tool}` with `{json.dumps(call.arguments)}`: {len(answer):,} characters.\n"
    part += f"\n````json\n{answer}\n````\n\n| client | what its model sees |\n|---|---|\n"
    for client, seen in around.items():
        part += f"| {client} | `{seen.replace('|', '&#124;').replace(chr(10), '` `')}` |\n"
    return part


def main() -> None:
    """Print the page."""
    views: dict[str, Mapping[str, tuple[str, str]]] = {}
    for name, client in CLIENTS.items():
        with tempfile.TemporaryDirectory() as scratch:
            views[client] = play(DRIVERS[name], Path(scratch))
    page = HEAD
    for title in CALLS:
        (answer,) = {view[title][0] for view in views.values()}
        page += render(title, answer, {client: view[title][1] for client, view in views.items()})
    sys.stdout.write(page)


if __name__ == "__main__":
    main()
