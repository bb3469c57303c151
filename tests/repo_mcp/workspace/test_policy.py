"""What is denied by name, in every spelling, and that the fast way agrees with the rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.workspace import policy
from repo_mcp.workspace.policy import OWN_DIRECTORY_RULE, DenyPolicy, fold_name

DENIED = [
    ".env",
    ".env.local",
    ".envrc",
    ".env/config",
    "a/b/.env",
    "server.pem",
    "tls/server.key",
    "x.pfx",
    "x.p12",
    "x.pkcs12",
    "x.ppk",
    "x.jks",
    "x.keystore",
    "x.kdbx",
    "private-key.asc",
    "my.secret.asc",
    "id_rsa",
    "id_rsa.pub",
    "id_dsa_old",
    "id_ecdsa",
    "id_ed25519",
    "secrets.yaml",
    "deploy/secrets.json",
    "secrets.d/readme",
    ".git",
    ".git/config",
    "sub/.git",
    ".hg/store",
    ".svn/entries",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    ".aws/credentials",
    "home/.aws/credentials",
    ".ssh/known_hosts",
    ".gnupg/x",
    ".repo_mcp/manifest",
    "nested/.repo_mcp",
]

DISGUISED = [
    ".ENV",
    "Id_Rsa",
    "secrets.YAML",
    "SERVER.PEM",
    ".GIT/config",
    ".env.",
    ".env ",
    "id_rsa. .",
    ".env:stream",
    ".git::$INDEX_ALLOCATION",
    ".env .:x",
    "git~1",
    "GIT~2/config",
    "gi7eba~1",
    "ENV~1",
    "SECRET~1.YAM",
    "ID_RSA~1",
    "STORE~1.KDB",
    "\uff0eenv",  # full-width full stop
    "id_r\u017fa",  # long s
    "secrets.\u212aey",  # Kelvin sign
    ".gi\u200ct/config",  # zero-width non-joiner
    ".e\u2060nv",
    ".en\ufe0fv",  # variation selector
    ".env\uff1ax",  # full-width colon
    "\u202eid_rsa",
]

ALLOWED = [
    "",
    "README.md",
    "src/env.py",
    ".env.example",
    ".env.sample",
    "a/.env.template",
    ".env.dist",
    ".ENV.EXAMPLE",
    "environment",
    "my_id_rsa_notes.md",
    "mysecrets.py",
    "secrets",
    "secrets/vault.py",
    "keyboard.py",
    "monkey",
    "ccs-regs.asc",
    ".gitignore",
    ".github/workflows/ci.yml",
    ".aws/config",
    "credentials",
    "docs/credentials",
    "git~",
    "digit~1",
    ".\u0435nv",  # a Cyrillic letter: another name
    "repo_mcp/workspace/policy.py",
]


@pytest.mark.parametrize("path", DENIED + DISGUISED)
def test_denied(path: str) -> None:
    denial = DenyPolicy().find_denial(path)
    assert denial is not None
    assert denial.rule
    assert denial.hint


@pytest.mark.parametrize("path", ALLOWED)
def test_allowed(path: str) -> None:
    assert DenyPolicy().find_denial(path) is None


def test_the_rule_is_named() -> None:
    find = DenyPolicy().find_denial
    rules = [denial and denial.rule for denial in map(find, ("a.PEM", "x/.env", "id_rsa.bak", ".git/HEAD"))]
    assert rules == ["*.pem", ".env", "id_rsa*", ".git"]


def test_what_lies_below_a_denied_directory_is_denied_whatever_was_asked_before() -> None:
    deny = DenyPolicy()
    assert deny.find_denial("a/b/c.py") is None
    assert deny.find_denial("a/b/.git/c.py") is not None
    assert deny.find_denial("a/b/.git/d.py") is not None
    assert deny.find_denial("a/b/d.py") is None


def test_extra_globs_deny_and_fold() -> None:
    deny = DenyPolicy(["*.sql", "config/prod/**", "Private"])
    assert deny.find_denial("db/dump.SQL") is not None
    assert deny.find_denial("config/prod/a/b") is not None
    assert deny.find_denial("x/private/readme.md") is not None
    assert deny.find_denial("config/dev/a") is None
    assert deny.find_denial("config/prod") is None


def test_the_data_directory_is_denied_wherever_it_lies() -> None:
    deny = DenyPolicy(data_dir_parts=("build", "Index"))
    denial = deny.find_denial("build/index/segment")
    assert denial is not None
    assert denial.rule == OWN_DIRECTORY_RULE
    assert deny.find_denial("build/index") is not None
    assert deny.find_denial("build/other") is None
    assert deny.find_denial("src/build/index/x") is None


def test_the_fingerprint_follows_the_rules() -> None:
    plain = DenyPolicy().fingerprint()
    assert plain == DenyPolicy().fingerprint()
    others = {DenyPolicy(["*.sql"]).fingerprint(), DenyPolicy(data_dir_parts=("x",)).fingerprint()}
    assert len(others | {plain}) == 3


def test_a_very_deep_path_needs_no_deep_stack() -> None:
    assert DenyPolicy().find_denial("/".join(["d"] * 2000)) is None
    assert DenyPolicy().find_denial("/".join(["d"] * 2000 + [".git", "x"])) is not None


def test_remembered_directories_stay_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "_MAX_REMEMBERED", 3)
    deny = DenyPolicy()
    assert all(deny.find_denial(f"d{number}/x") is None for number in range(20))
    assert len(deny._clean) <= 3


NAMES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=12),
    st.sampled_from([path for path in DENIED + DISGUISED + ALLOWED if path and "/" not in path]).flatmap(
        lambda name: st.sampled_from([name, name.upper(), name + "x", "x" + name, name + ".", name.title()])
    ),
)


@given(NAMES)
def test_a_plain_name_meets_no_rule(name: str) -> None:
    if policy._is_plain(name):
        assert policy._find_by_name(fold_name(name)) is None
        assert DenyPolicy(["no-such"]).find_denial(name) is None


@given(NAMES)
def test_folding_is_stable(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@given(NAMES)
def test_case_does_not_matter(name: str) -> None:
    if name.isascii():
        find = DenyPolicy().find_denial
        assert (find(name) is None) == (find(name.upper()) is None) == (find(name.lower()) is None)
