"""`repo_mcp.toml` narrows and nothing else; whatever it may not say is named and ignored."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.config.repository_file import apply_repository_file
from repo_mcp.config.server_config import Config, Limits, load_config

BASE = load_config("/srv/repo")
LANGUAGES = ("python", "c", "markdown")
ADAPTERS = ("python", "lexical")


def narrowed(text: str | bytes, base: Config = BASE) -> tuple[Config, tuple[str, ...]]:
    data = text.encode() if isinstance(text, str) else text
    return apply_repository_file(base, data, LANGUAGES, ADAPTERS)


def test_a_repository_may_narrow() -> None:
    config, warnings = narrowed(
        'exclude_globs = ["gen/", "*.min.js"]\n'
        'include_extensions = [".PY", "c"]\n'
        "[limits]\nmax_open_lines = 50\n"
        '[extensions]\n".FOO" = "python"\nbar = "c"\n'
        "[adapters.python]\nenabled = false\n[adapters.lexical]\nenabled = true\n"
        "[embeddings]\nenabled = false\n"
    )
    assert warnings == ()
    assert config.exclude_globs == ("gen/", "*.min.js")
    assert config.include_extensions == ("c", "py")
    assert (config.limits.max_open_lines, config.limits.default_open_lines) == (50, 50)
    assert config.extensions == (("bar", "c"), ("foo", "python"))
    assert config.disabled_adapters == ("python",)
    changed = {"exclude_globs", "include_extensions", "max_open_lines", "extensions", "adapters"}
    assert config.narrowed == changed
    assert config.given == BASE.given


def test_the_specification_calls_them_ignore_globs() -> None:
    config, warnings = narrowed('ignore_globs = ["gen/"]\nexclude_globs = ["*.tmp"]')
    assert (config.exclude_globs, warnings) == (("gen/", "*.tmp"), ())


def test_a_repository_adds_to_what_the_operator_excludes() -> None:
    base = load_config("/srv/repo", exclude_globs=["a"], include_extensions=["py", "md"])
    config, warnings = narrowed('exclude_globs = ["b"]\ninclude_extensions = ["py", "pem"]', base)
    assert config.exclude_globs == ("a", "b")
    assert config.include_extensions == ("py",)
    assert warnings == ()


def test_extensions_without_one_of_the_operator_s_would_include_everything_and_are_refused() -> None:
    base = load_config("/srv/repo", include_extensions=["md"])
    config, warnings = narrowed('include_extensions = ["py"]', base)
    assert config == base
    assert [one for one in warnings if "include_extensions" in one] == list(warnings) != []


def test_what_the_operator_gave_stands_whatever_the_repository_says() -> None:
    base = load_config("/srv/repo", limits={"max_search_hits": 20})
    config, warnings = narrowed("[limits]\nmax_search_hits = 3\nmax_open_lines = 9", base)
    assert (config.limits.max_search_hits, config.limits.max_open_lines) == (20, 9)
    assert warnings == (
        "repo_mcp.toml: limits.max_search_hits is set on the command line, so it is ignored.",
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('data_dir = "/etc"', "data_dir"),
        ('repo_root = "/"', "repo_root"),
        ("deny = []", "deny"),
        ('allow = [".env"]', "allow"),
        ("audit_queries = true", "audit_queries"),
        ("watch = true", "watch"),
        ("workers = 64", "workers"),
        ('toolsets = ["graph"]', "toolsets"),
        ('adapters = ["os"]', "adapters"),
        ('[adapters.os]\nmodule = "os"', "adapters.os"),
        ('[adapters.python]\nmodule = "os"', "adapters.python.module"),
        ("[adapters.python]\nenabled = 0", "adapters.python.enabled"),
        ("[adapters]\npython = false", "adapters.python"),
        ('[extensions]\n".foo" = "klingon"', "extensions.'.foo'"),
        ("[extensions]\nfoo = 3", "extensions.foo"),
        ('[extensions]\n"a/b" = "python"', "extensions.'a/b'"),
        ('[extensions]\n".a.b" = "python"', "extensions.'.a.b'"),
        ('extensions = "python"', "extensions"),
        ("[embeddings]\nenabled = true", "embeddings.enabled"),
        ('[embeddings]\nmodel = "x"', "embeddings.model"),
        ("embeddings = true", "embeddings"),
        ("[limits]\nmax_file_bytes = 2_000_001", "limits.max_file_bytes"),
        ("[limits]\nmax_file_bytes = -1", "limits.max_file_bytes"),
        ("[limits]\nmax_file_bytes = true", "limits.max_file_bytes"),
        ("[limits]\nmax_file_bytes = nan", "limits.max_file_bytes"),
        ("[limits]\nmax_file_bytes = inf", "limits.max_file_bytes"),
        ('[limits]\nmax_file_bytes = "1"', "limits.max_file_bytes"),
        ("[limits]\nno_such = 1", "limits.no_such"),
        ("limits = 3", "limits"),
        ('exclude_globs = "x"', "exclude_globs"),
        ("exclude_globs = [1]", "exclude_globs"),
        ('exclude_globs = ["a\\nb"]', "exclude_globs"),
        ('ignore_globs = [""]', "ignore_globs"),
        ("include_extensions = {}", "include_extensions"),
        ('include_extensions = ["a/b"]', "include_extensions"),
        ('"\\u001b[31m" = 1', "'\\x1b[31m'"),
        ("not toml at all", "not valid TOML"),
        (b"\xff\xfe", "not valid TOML"),
        (b"x" * 70_000, "65536 bytes"),
        ("a = " + "[" * 5000, "not valid TOML"),
        (".".join(["a"] * 8000) + " = 1", "200 dots"),
        (f"a = {'9' * 5000}", "not valid TOML"),
    ],
)
def test_a_repository_can_widen_nothing_and_the_key_is_named(text: str | bytes, named: str) -> None:
    config, warnings = narrowed(text)
    assert config == BASE
    assert config.narrowed == frozenset()
    assert len(warnings) == 1
    assert warnings[0].startswith("repo_mcp.toml")
    assert named in warnings[0]
    assert warnings[0].isascii()
    assert len(warnings[0]) < 200


def test_thousands_of_unknown_keys_make_few_warnings() -> None:
    config, warnings = narrowed("\n".join(f"key{number} = 1" for number in range(4000)))
    assert config == BASE
    assert len(warnings) == 21
    assert "3980 more" in warnings[-1]


@given(st.binary(max_size=100))
def test_any_bytes_leave_a_usable_configuration(text: bytes) -> None:
    config, _ = narrowed(text)
    assert config.limits == BASE.limits
    assert config.root == BASE.root


@given(st.dictionaries(st.sampled_from([f.name for f in dataclasses.fields(Limits)]), st.integers(-5, 10**9)))
def test_no_limit_is_ever_raised(limits: dict[str, int]) -> None:
    text = "[limits]\n" + "\n".join(f"{name} = {value}" for name, value in limits.items())
    config, _ = narrowed(text)
    for field in dataclasses.fields(Limits):
        assert 1 <= getattr(config.limits, field.name) <= getattr(BASE.limits, field.name)
