"""The clients: how each is started with a model of ours, and how it changes names and answers.

There is one entry for each way in which a client offers tools to its model; Codex has three, Claude Code
two. To add a client, write a dialect and an entry in `DRIVERS`.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from repo_mcp.protocol.instructions import REPO
from tests.clients.chat_dialect import ChatDialect
from tests.clients.gemini_dialect import GeminiDialect
from tests.clients.messages_dialect import MessagesDialect
from tests.clients.model_backend import Dialect, ModelBackend
from tests.clients.responses_dialect import ResponsesDialect
from tests.clients.script import Request, Script
from tests.clients.stage import Stage, find_client

PROMPT = "Find it."
PATIENCE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Played:
    """A conversation that is over."""

    requests: Sequence[Request]  # what the model was asked, in order
    said: str  # by the client, on either stream

    @property
    def seen(self) -> Mapping[str, str]:
        """Return every answer as the model finally saw it, by the id of its call."""
        return self.requests[-1].seen


@dataclass(frozen=True, slots=True)
class Driver:
    """One client, and the kind of model that it believes it talks to."""

    program: str
    setup: tuple[str, ...]  # its name for `repo-mcp init`, and its scope unless that is the default
    file: str  # that it writes: in the home, or in the repository
    dialect: Callable[[], Dialect]
    build_command: Callable[[str, str], Sequence[str]]  # program, url of the model -> command
    build_variables: Callable[[str], Mapping[str, str]]  # url of the model -> environment
    rename: Callable[[str], tuple[str, str]]  # our name of a tool -> namespace and name that the model says
    unwrap: Callable[[str], str]  # what the model sees of an answer -> our text in it, which must be whole
    whole_chars: int  # of an answer that is never cut
    files: Mapping[str, str] = field(default_factory=dict)  # in its home besides: without an account
    head_first: str = ""  # of the words that the first request has of a server instead of its tools
    words_first: int = 0  # characters of the instructions that stand in for tools; 0: tools are offered
    names_first: bool = False  # those of the tools stand there as well

    def play(self, stage: Stage, script: Script, **variables: str) -> Played:
        """Play a conversation from the first request until the client has ended."""
        with ModelBackend(self.dialect(), script) as backend:
            with self.start(stage, backend, **variables) as client:
                try:
                    said, _ = client.communicate(timeout=PATIENCE_SECONDS)
                finally:
                    client.kill()
            assert client.returncode == 0, said
            return Played(backend.requests, said)

    def start(self, stage: Stage, backend: ModelBackend, **variables: str) -> subprocess.Popen[str]:
        """Start the client, which begins to talk to its model."""
        for path, text in self.files.items():
            stage.home.joinpath(path).parent.mkdir(exist_ok=True)
            stage.home.joinpath(path).write_text(text, encoding="utf-8")
        command = self.build_command(find_client(self.program), backend.url)
        return stage.start(command, **(dict(self.build_variables(backend.url)) | variables))


# Codex

_PLAIN_HEAD = re.compile(r"Wall time: [0-9.]+ seconds\nOutput:\n")
_CODE_HEAD = re.compile(r"Script completed\nWall time [0-9.]+ seconds\nOutput:\n")


def _build_codex(model: str, program: str, url: str) -> Sequence[str]:
    provider = f'{{name="test", base_url="{url}/v1", wire_api="responses", request_max_retries=0}}'
    settings = {"model": f'"{model}"', "model_provider": '"test"', "model_providers.test": provider}
    words = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    return [program, "exec", "--skip-git-repo-check", "--json", *words, PROMPT]


def _rename_for_codex(tool: str) -> tuple[str, str]:
    return "mcp__repo", _replace(tool)


def _unwrap_plain(seen: str) -> str:
    head = _PLAIN_HEAD.match(seen)
    assert head is not None, seen[:200]
    return seen[head.end() :]


def _unwrap_code(seen: str) -> str:
    """Return the text of a result that the model's program printed, and that says the same twice."""
    head = _CODE_HEAD.match(seen)
    assert head is not None, seen[:200]
    result = json.loads(seen[head.end() :])
    (block,) = result["content"]
    assert json.loads(block["text"]) == result["structuredContent"]
    return str(block["text"])


# Claude Code


def _build_claude(program: str, url: str) -> Sequence[str]:
    words = ("--mcp-config", ".mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__repo")
    return [program, "-p", PROMPT, "--output-format", "json", *words]


def _set_for_claude(url: str) -> Mapping[str, str]:
    quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY")
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"} | dict.fromkeys(quiet, "1")


def _replace(tool: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", tool)


def _rename_flat(tool: str) -> tuple[str, str]:
    return "", f"mcp__repo__{_replace(tool)}"


# Copilot CLI

_COPILOT_ERROR = "MCP server 'repo': "


def _build_copilot(program: str, url: str) -> Sequence[str]:
    return [program, "-p", PROMPT, "--allow-all-tools", "--no-auto-update"]


def _set_for_copilot(url: str) -> Mapping[str, str]:
    """Return the variables of a provider of the user's own, which needs no account."""
    provider = {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_API_KEY": "none"}
    return provider | {"COPILOT_MODEL": "gpt-5.1", "COPILOT_OFFLINE": "true"}


# Gemini CLI

_GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}
_GEMINI_ERROR = " with response: "
_UNTRUSTED = ("<untrusted_context>\n", "\n</untrusted_context>")


def _build_gemini(program: str, url: str) -> Sequence[str]:
    return [program, "-p", PROMPT, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"]


def _set_for_gemini(url: str) -> Mapping[str, str]:
    return {
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_API_KEY": "none",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _unwrap_gemini(seen: str) -> str:
    """Return the text of a result, or of an error, whose whole result stands behind the call that it was."""
    before, after = _UNTRUSTED
    if seen.startswith("MCP tool "):
        (part,) = json.loads(seen.partition(_GEMINI_ERROR)[2])
        (block,) = part["functionResponse"]["response"]["content"]
        return str(block["text"])
    assert seen.startswith(before), seen[:200]
    assert seen.endswith(after), seen[-200:]
    return seen.removeprefix(before).removesuffix(after)


def _codex(
    model: str,
    rename: Callable[[str], tuple[str, str]],
    unwrap: Callable[[str], str],
    whole_chars: int,
    words_first: int,
) -> Driver:
    build = partial(_build_codex, model)
    return Driver(
        "codex",
        ("codex",),
        ".codex/config.toml",
        ResponsesDialect,
        build,
        lambda _url: {},
        rename,
        unwrap,
        whole_chars,
        head_first="mcp__repo: ",
        words_first=words_first,
    )


def _claude(words_first: int, **variables: str) -> Driver:
    return Driver(
        "claude",
        ("claude", "--scope", "project"),
        ".mcp.json",
        MessagesDialect,
        _build_claude,
        lambda url: dict(_set_for_claude(url)) | variables,
        _rename_flat,
        lambda seen: seen,
        50_000,
        head_first="## repo\n",
        words_first=words_first,
        names_first=True,
    )


DRIVERS: Mapping[str, Driver] = {
    "codex, every tool at once": _codex("no-such-model", _rename_for_codex, _unwrap_plain, 11_900, 0),
    "codex, tools searched for": _codex("gpt-5.5", _rename_for_codex, _unwrap_plain, 47_900, 240),
    "codex, code mode": _codex("gpt-6-sol", _rename_flat, _unwrap_code, 19_000, 240),
    "claude": _claude(len(REPO)),
    "claude, every tool at once": _claude(0, ENABLE_TOOL_SEARCH="false"),
    "copilot": Driver(
        "copilot",
        ("copilot",),
        ".copilot/mcp-config.json",
        ChatDialect,
        _build_copilot,
        _set_for_copilot,
        lambda tool: ("", f"repo-{tool.replace('.', '-')}"),
        lambda seen: seen.removeprefix(_COPILOT_ERROR),
        20_000,
    ),
    "gemini": Driver(
        "gemini",
        ("gemini", "--scope", "project"),
        ".gemini/settings.json",
        GeminiDialect,
        _build_gemini,
        _set_for_gemini,
        lambda tool: ("", f"mcp_repo_{tool}"),
        _unwrap_gemini,
        40_000,
        {".gemini/settings.json": json.dumps(_GEMINI_SETTINGS)},
    ),
}
