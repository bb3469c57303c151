"""Tells which names that begin with a dot are hidden, and which are part of a project like any other.

Dot-names are left out by default, as other search tools do: most are caches and private settings. But a
project's pipelines, checks and editor settings have such names because their tools want it so, and people ask
about them. These are served: folders by their whole name, files by its first word (`.eslintrc` and
`.eslintrc.cjs`). Names are judged by the deny policy before, so that nothing here can serve `.npmrc`.

Left out on purpose: folders that also hold caches, copies or private data (`.cargo`, `.config`, `.idea`,
`.yarn`, the folders of assistants); files in which tokens are usual (`.yarnrc.yml`, `.coveralls.yml`); lists
of people (`.mailmap`); `.gitignore`, of which Linux has 306 and which would be found for any name.
"""

from __future__ import annotations

_FOLDERS = frozenset(
    {
        *(".github", ".gitlab", ".gitea", ".forgejo", ".circleci", ".buildkite", ".woodpecker", ".teamcity"),
        *(".azure-pipelines", ".azuredevops", ".semaphore", ".tekton", ".ci", ".vscode", ".devcontainer"),
        *(".husky", ".changeset", ".storybook", ".mvn"),
    }
)
_FILES = frozenset(
    {
        # Git, editors, packages of files
        *(".gitattributes", ".gitmodules", ".editorconfig", ".ignore", ".rgignore"),
        *(".dockerignore", ".npmignore", ".eslintignore", ".prettierignore", ".stylelintignore"),
        *(".gcloudignore", ".helmignore", ".vscodeignore", ".bazelignore", ".dir-locals", ".ycm_extra_conf"),
        # pipelines and services
        *(".gitlab-ci", ".travis", ".appveyor", ".cirrus", ".drone", ".woodpecker", ".codecov", ".mergify"),
        *(".readthedocs", ".pre-commit-config", ".pre-commit-hooks", ".goreleaser", ".releaserc"),
        *(".renovaterc", ".lgtm", ".sonarcloud", ".trivyignore", ".gitleaks", ".terraform-docs", ".tflint"),
        # versions of tools
        *(".tool-versions", ".python-version", ".node-version", ".ruby-version", ".java-version"),
        *(".swift-version", ".go-version", ".nvmrc", ".sdkmanrc", ".bazelversion"),
        # C and C++, build tools
        *(".clang-format", ".clang-tidy", ".clangd", ".cmake-format", ".cmakelintrc", ".bazelrc", ".gn"),
        *(".buckconfig", ".watchmanconfig", ".flowconfig", ".kunitconfig", ".cocciconfig"),
        # JavaScript and TypeScript
        *(".eslintrc", ".prettierrc", ".stylelintrc", ".babelrc", ".swcrc", ".nycrc", ".c8rc", ".mocharc"),
        *(".lintstagedrc", ".commitlintrc", ".huskyrc", ".jshintrc", ".jscsrc", ".postcssrc", ".jscpd"),
        *(".browserslistrc", ".remarkrc", ".depcheckrc", ".graphqlrc", ".oxlintrc", ".solhint", ".solcover"),
        # Python, Ruby, PHP, Perl, Lua, Shell
        *(".flake8", ".pylintrc", ".isort", ".coveragerc", ".style", ".bandit", ".rubocop", ".rubocop_todo"),
        *(".rspec", ".php-cs-fixer", ".php_cs", ".phpcs", ".perltidyrc", ".perlcriticrc", ".luacheckrc"),
        *(".luarc", ".shellcheckrc", ".busted"),
        # Go, Rust, JVM, Swift, Haskell, OCaml, Elixir
        *(".golangci", ".rustfmt", ".clippy", ".scalafmt", ".scalafix", ".swiftlint", ".swiftformat"),
        *(".hlint", ".stylish-haskell", ".ocamlformat", ".credo", ".formatter", ".dialyzer_ignore"),
        # text
        *(".markdownlint", ".markdownlint-cli2", ".markdownlintignore", ".mdlrc", ".yamllint", ".yamlfmt"),
        *(".hadolint", ".ansible-lint", ".cspell", ".codespellrc", ".typos", ".vale"),
    }
)
_TEMPLATES = ".env."  # `.env.example`: what is not a template is denied


def is_hidden(name: str) -> bool:
    """Return True for a name with a dot in front that is not one of a project's own."""
    if name[0] != ".":
        return False
    end = name.find(".", 1)
    first = name if end < 0 else name[:end]
    return not (first in _FILES or name in _FOLDERS or name.startswith(_TEMPLATES))


def is_path_hidden(path: str) -> bool:
    """Return True when a component of the path is hidden."""
    return any(map(is_hidden, path.split("/")))


def list_shown() -> tuple[object, ...]:
    """Return all rules as values whose `repr` is the same in every process."""
    return sorted(_FOLDERS), sorted(_FILES), _TEMPLATES
