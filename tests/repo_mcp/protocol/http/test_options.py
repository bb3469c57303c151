"""The options of the HTTP transport: what is refused at the start, and where a token comes from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_mcp.errors import RepoError
from repo_mcp.protocol.http.options import HttpOptions, read_http_options
from repo_mcp.serving.server_options import build_parser

TOKEN = "0123456789abcdef-token"


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REPO_MCP_HTTP_TOKEN", raising=False)


def _read(*words: str) -> HttpOptions | None:
    return read_http_options(build_parser("test").parse_args(words))


def _fault(*words: str) -> str:
    with pytest.raises(RepoError) as caught:
        _read(*words)
    return caught.value.message


def test_stdio_is_the_default_and_takes_none_of_them() -> None:
    assert _read() is None
    assert "--port needs --transport http" in _fault("--port", "80")
    assert "--allow-origin" in _fault("--allow-origin", "http://a")


def test_without_a_token_one_is_made() -> None:
    one, other = _read("--transport", "http"), _read("--transport", "http")
    assert one is not None
    assert other is not None
    assert one.is_made
    assert len(one.token) > 40
    assert one.token != other.token
    assert (one.host, one.port) == ("127.0.0.1", 0)


def test_the_environment_gives_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPO_MCP_HTTP_TOKEN", TOKEN)
    found = _read("--transport", "http")
    assert found is not None
    assert (found.token, found.is_made) == (TOKEN, False)
    monkeypatch.setenv("REPO_MCP_HTTP_TOKEN", "short")
    fault = _fault("--transport", "http")
    assert "REPO_MCP_HTTP_TOKEN" in fault
    assert "short" not in fault


def test_a_file_gives_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPO_MCP_HTTP_TOKEN", "another-one-0123456789")
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o600)
    found = _read("--transport", "http", "--token-file", str(file))
    assert found is not None
    assert (found.token, found.is_made) == (TOKEN, False)


@pytest.mark.skipif(os.name == "nt", reason="permissions of Windows are others")
def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o640)
    assert "can be read by others" in _fault("--transport", "http", "--token-file", str(file))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert "cannot be read" in _fault("--transport", "http", "--token-file", str(tmp_path / "none"))
    assert "--token-file" in _fault("--transport", "http", "--token-file", str(tmp_path))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    assert "is not a regular file" in _fault("--transport", "http", "--token-file", str(pipe))


def test_leaving_the_loopback_needs_names() -> None:
    assert "--host" in _fault("--transport", "http", "--host", "0.0.0.0")
    found = _read("--transport", "http", "--host", "0.0.0.0", "--allow-host", "search.example")
    assert found is not None
    assert found.hosts == ("search.example",)


@pytest.mark.parametrize("name", ["http://a", "a:80", "a/b", ""])
def test_a_name_is_a_name(name: str) -> None:
    assert "--allow-host" in _fault("--transport", "http", "--allow-host", name)


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_a_port_is_a_port(port: str) -> None:
    assert "--port" in _fault("--transport", "http", f"--port={port}")
