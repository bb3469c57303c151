"""The roots `docs` and `code`: both sources, their order, and every way in which they cannot be served."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_mcp.config.named_roots import MAX_CONFIG_BYTES, load_named_roots
from repo_mcp.config.server_config import NamedRoot
from repo_mcp.errors import ErrorCode, RepoError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a user without any configuration, and two directories."""
    for variable in ("DOCS_ROOT", "CODE_ROOT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("handbook", "upstream", "other"):
        (tmp_path / name).mkdir()
    return tmp_path


def fault_of(config_file: Path | None = None) -> str:
    with pytest.raises(RepoError) as caught:
        load_named_roots(None if config_file is None else str(config_file))
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert caught.value.hint
    assert "\n" not in caught.value.message
    assert str(Path.cwd().anchor + "tmp") not in caught.value.message  # no absolute path
    return caught.value.message


def write_config(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_both_from_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCS_ROOT", str(home / "handbook"))
    monkeypatch.setenv("CODE_ROOT", str(home / "upstream"))
    assert load_named_roots(None) == (
        NamedRoot("docs", str(home / "handbook"), "environment"),
        NamedRoot("code", str(home / "upstream"), "environment"),
    )


def test_both_from_a_file_relative_to_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_config(home / "etc" / "any.toml", 'docs_root = "../handbook"\ncode_root = "../upstream/"\n')
    monkeypatch.chdir(home / "other")
    wanted = (
        NamedRoot("docs", str(home / "handbook"), "configuration file"),
        NamedRoot("code", str(home / "upstream"), "configuration file"),
    )
    assert load_named_roots(str(file)) == wanted
    assert load_named_roots(os.path.join("..", "etc", "any.toml")) == wanted


def test_the_users_file_is_found_and_the_environment_is_stronger(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f'docs_root = "{home / "handbook"}"\ncode_root = "{home / "upstream"}"\n'
    write_config(home / "config" / "repo-mcp" / "retrieval.toml", text)
    assert [root.path for root in load_named_roots(None)] == [str(home / "handbook"), str(home / "upstream")]
    monkeypatch.setenv("CODE_ROOT", str(home / "other"))
    assert load_named_roots(None) == (
        NamedRoot("docs", str(home / "handbook"), "configuration file"),
        NamedRoot("code", str(home / "other"), "environment"),
    )


def test_a_file_in_the_current_directory_is_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_config(home / "other" / "retrieval.toml", 'docs_root = "."\ncode_root = "."\n')
    write_config(home / "other" / "repo-mcp" / "retrieval.toml", 'docs_root = "."\ncode_root = "."\n')
    monkeypatch.chdir(home / "other")
    assert fault_of() == "CONFIG_MISSING: DOCS_ROOT is not set. CONFIG_MISSING: CODE_ROOT is not set."


def test_every_fault_is_said_at_once_and_names_the_variable(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("x")
    monkeypatch.setenv("DOCS_ROOT", str(home / "none"))
    monkeypatch.setenv("CODE_ROOT", str(home / "file"))
    assert fault_of() == (
        "CONFIG_INVALID: DOCS_ROOT does not exist. CONFIG_INVALID: CODE_ROOT is not a directory."
    )
    monkeypatch.setenv("DOCS_ROOT", str(home / "handbook"))
    assert fault_of() == "CONFIG_INVALID: CODE_ROOT is not a directory."
    monkeypatch.delenv("CODE_ROOT")
    assert fault_of() == "CONFIG_MISSING: CODE_ROOT is not set."
    file = write_config(home / "any.toml", 'code_root = "none"\n')
    assert fault_of(file) == "CONFIG_INVALID: code_root of the configuration file does not exist."


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is unreadable to root")
def test_a_root_that_cannot_be_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCS_ROOT", str(home / "handbook"))
    monkeypatch.setenv("CODE_ROOT", str(home / "upstream"))
    (home / "handbook").chmod(0o000)
    try:
        assert fault_of() == "CONFIG_INVALID: DOCS_ROOT cannot be read."
        (home / "handbook").chmod(0o444)  # its names can be read, nothing in it opened
        assert fault_of() == "CONFIG_INVALID: DOCS_ROOT cannot be read."
    finally:
        (home / "handbook").chmod(0o700)


def test_a_root_that_the_system_refuses(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(reader: object, directory: int) -> list[os.DirEntry[str]]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("DOCS_ROOT", str(home / "handbook"))
    monkeypatch.setenv("CODE_ROOT", str(home / "upstream"))
    monkeypatch.setattr("repo_mcp.config.named_roots.RepositoryReader.scan", refuse)
    assert fault_of() == (
        "CONFIG_INVALID: DOCS_ROOT cannot be read. CONFIG_INVALID: CODE_ROOT cannot be read."
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("docs_root = ", "--config is not valid TOML."),
        ("docs_root = 5", "docs_root of --config must be a directory name."),
        ('docs_root = ""', "docs_root of --config must be a directory name."),
        ('docs_root = "a\\u0000"', "docs_root of --config must be a directory name."),
        ('root = "/srv"', "--config has an unknown key, 'root'; keys: docs_root, code_root."),
        ("#" * MAX_CONFIG_BYTES + "#", f"--config has more than {MAX_CONFIG_BYTES:,} bytes."),
    ],
)
def test_a_file_that_cannot_be_used_is_a_fault_even_beside_the_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch, text: str, what: str
) -> None:
    file = write_config(home / "any.toml", text)
    monkeypatch.setenv("DOCS_ROOT", str(home / "handbook"))
    monkeypatch.setenv("CODE_ROOT", str(home / "upstream"))
    assert fault_of(file) == f"CONFIG_INVALID: {what}"


def test_a_file_that_is_named_must_be_there(home: Path) -> None:
    assert fault_of(home / "none.toml") == "CONFIG_INVALID: --config names a file that does not exist."
    assert fault_of(home / "handbook") == "CONFIG_INVALID: --config cannot be read."
