"""The effective configuration: the operator's, narrowed by the repository's own file if there is one."""

from __future__ import annotations

from repo_mcp.config.plain_options import REPOSITORY_FILE
from repo_mcp.config.server_config import MAX_REPOSITORY_FILE_BYTES, Config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, deny_nothing
from repo_mcp.workspace.system_places import is_system_place


def narrow_config(config: Config) -> tuple[Config, tuple[str, ...]]:
    """Return the configuration narrowed by the repository's own file, with warnings about ignored keys.

    Raises RepoError with CONFIG_INVALID for a root that cannot be opened, or that is a system directory
    without `any_root`. Creates nothing.
    """
    if not config.any_root and is_system_place(config.root):
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            "The root is a system directory, not a repository.",
            "Give the directory of one repository as --repo-root, or add --any-root.",
        )
    reader = RepositoryReader(config.hold_root(), deny_nothing)
    try:
        text = reader.read_walked(REPOSITORY_FILE, MAX_REPOSITORY_FILE_BYTES).data
    except RepoError as error:
        if error.code is ErrorCode.NOT_FOUND:
            return config, ()
        return config, (f"{REPOSITORY_FILE} is ignored: {error.message}",)
    finally:
        reader.close()
    from repo_mcp.config.repository_file import apply_repository_file
    from repo_mcp.languages.outline.adapter import BUILT_IN
    from repo_mcp.languages.outline.installed import find_installed
    from repo_mcp.languages.patterns.language_registry import LANGUAGES

    installed, _ = find_installed(config.root)
    adapters = (*BUILT_IN, *(one.name for one in installed))
    languages = {*LANGUAGES, *(language for one in installed for _, language in one.languages)}
    return apply_repository_file(config, text, languages, adapters)
