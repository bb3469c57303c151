"""What is denied by name, in every spelling, and that the fast way agrees with the rules."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.workspace import policy
from repo_mcp.workspace.policy import OWN_DIRECTORY_RULE, DenyPolicy, find_denial_of, fold_name

DENIED = [
    ".bash_history",
    ".zsh_history",
    ".zhistory",
    ".history",
    "home/.psql_history",
    ".mysql_history",
    ".python_history",
    ".node_repl_history",
    ".Rhistory",
    ".irb-history",
    "dotfiles/bash_history",
    "fish/fish_history",
    "ConsoleHost_history.txt",
    ".zsh_sessions/1234.history",
    ".lesshst",
    ".viminfo",
    ".histfile",
    ".dev.vars.production",
    ".secrets",
    ".secrets.toml",
    ".secret",
    "etc/shadow",
    "apache/htpasswd",
    ".passwd-s3fs",
    "pgpass.conf",
    ".authinfo",
    ".Renviron",
    "kaggle.json",
    "token.json",
    "cookies.txt",
    "oauth_creds.json",
    ".claude/.credentials.json",
    "aws-credentials.json",
    "my-app-firebase-adminsdk-x1.json",
    "local.settings.json",
    "android/key.properties",
    "android/keystore.properties",
    "auth.json",
    ".composer/auth.json",
    ".codex/auth.json",
    ".config/gcloud/legacy_credentials/a/adc.json",
    ".config/git/credentials",
    ".config/hub",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".bundle/config",
    ".vscode/sftp.json",
    ".vscode/mcp.json",
    ".azure/msal_token_cache.json",
    "sops/age/keys.txt",
    ".vault_pass",
    ".vault_pass.txt",
    "ansible/vault-password-file",
    "vault_pass.txt",
    "kube_config_cluster.yml",
    "kubeconfig.yaml",
    "prod.kubeconfig",
    "k3s.yaml",
    "wireguard/wg0.conf",
    "rclone.conf",
    "platform.pk8",
    "old.kdb",
    "x.psafe3",
    ".jj/repo/store/git/config",
    ".bzr/branch/branch.conf",
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
    "prod.env",
    ".env-staging",
    ".env_local",
    "AuthKey_ABC123.p8",
    "ssh_host_rsa_key",
    "ssh_host_key",
    "deploy_rsa",
    "keys/travis_ed25519",
    "ci_ecdsa",
    "work_ed25519_sk",
    "kubeconfig",
    "credentials.json",
    "credentials.yml",
    "secret.yaml",
    "service-account.json",
    "service_account_prod.json",
    "client_secret_1.apps.json",
    "terraform.tfstate",
    "terraform.tfstate.backup",
    "terraform.tfstate.1700000000.backup",
    "prod.auto.tfvars",
    "prod.tfvars.json",
    "home.ovpn",
    ".docker/config.json",
    ".dockercfg",
    "home/.kube/config",
    ".cargo/credentials",
    ".config/gh/hosts.yml",
    ".mcp.json",
    ".cursor/mcp.json",
    ".terraformrc",
    ".my.cnf",
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

# As editors, package managers, desktops and people name them.
COPIES = [
    ".env~",
    "server.key~",
    "server.key.~3~",
    "server.pem.bak",
    "server.pem.bak2",
    "server.pem.1",
    "server.key_old",
    "server.key-backup",
    "server.key.dpkg-old~",
    "server.key.rpmsave",
    "server.key___jb_tmp___",
    ".server.key.swp",
    ".id_rsa.swp",
    ".netrc.swo",
    ".deploy_rsa.kate-swp",
    "#id_rsa#",
    "#.env#",
    ".#deploy_rsa",
    "deploy_rsa.orig",
    "deploy_rsa_old",
    "deploy_rsa copy 2",
    "Copy of prod.env",
    "prod.env (1)",
    ".netrc.save",
    ".npmrc copy",
    "secret.yaml.orig",
    "credentials.json.old",
    ".aws/credentials.bak",
    ".kube/config~",
    ".git.bak/config",
    ".PGPASS.BAK",
]

ALLOWED = [
    "src/history.py",
    "shell_history.go",
    "docs/history",
    "bash_history.c",
    "locales/en/auth.json",
    "tokens.json",
    "settings.xml",
    "gradle.properties",
    "vault/password.go",
    "vault.go",
    "htpasswd/main.go",
    "vault_password.py",
    "kubeconfig.go",
    "kube_config.py",
    "token/token.go",
    "huggingface/tokens",
    "conf/wg.conf",
    "credentials.go",
    "secret_provider.rs",
    "",
    "README.md",
    "src/env.py",
    ".env.example",
    ".env.sample",
    "a/.env.template",
    ".env.dist",
    ".ENV.EXAMPLE",
    ".env.local.example",
    ".env-sample",
    "example.env",
    "docker/sample.env",
    ".env.d.ts",
    "src/.env.vite.d.ts",
    "id_rsa_test.go",
    "id_ed25519.py",
    "test_rsa/main.c",
    "kubeconfig/load.go",
    "lib/rsa",
    "credentials.py",
    "secret.go",
    "service_account.py",
    "service.json",
    "config.json",
    ".kube.md",
    "docs/config",
    "mcp.json",
    "terraform.tfvars.example",
    "main.tf",
    "notes.bak",
    "main.c~",
    ".main.c.swp",
    "#main.c#",
    "report (1)",
    "~",
    "#",
    "##",
    "_",
    "1",
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


@pytest.mark.parametrize("path", DENIED + DISGUISED + COPIES)
def test_denied(path: str) -> None:
    denial = DenyPolicy().find_denial(path)
    assert denial is not None
    assert denial.rule
    assert denial.hint
    assert not all(map(policy.is_plain, path.split("/")))


@pytest.mark.parametrize("path", ALLOWED)
def test_allowed(path: str) -> None:
    assert DenyPolicy().find_denial(path) is None


def test_the_rule_is_named() -> None:
    find = DenyPolicy().find_denial
    paths = ("a.PEM", "x/.env", "id_rsa.bak", ".git/HEAD", "#a.key~#", ".kube/config.old", "my_dsa", ".git~")
    rules = [denial and denial.rule for denial in map(find, paths)]
    copies = ["copy of *.key", "copy of .kube/config", "*_dsa", "copy of .git"]
    assert rules == ["*.pem", ".env", "id_rsa*", ".git", *copies]


@pytest.mark.parametrize("path", ["secrets.py", "secrets.go", "models/secrets.ts", "Secrets.cs"])
def test_source_code_that_is_denied_says_so(path: str) -> None:
    denial = DenyPolicy().find_denial(path)
    assert denial is not None
    assert denial.rule == "secrets.*"
    assert "source code" in denial.hint
    assert "--allow-path" in denial.hint
    for other in ("secrets.yaml", "secrets.sh", "id_rsa"):
        denial = DenyPolicy().find_denial(other)
        assert denial is not None
        assert "source code" not in denial.hint


def test_a_name_that_only_files_have_denies_no_directory() -> None:
    deny = DenyPolicy()
    assert deny.find_denial("src/test_rsa") is not None
    assert deny.find_denial("src/test_rsa/") is None
    assert deny.find_denial("src/test_rsa/sign.c") is None
    assert deny.find_denial("src/test_rsa/deploy_rsa") is not None
    assert deny.find_denial(".env/") is not None


def test_what_lies_below_a_denied_directory_is_denied_whatever_was_asked_before() -> None:
    deny = DenyPolicy()
    assert deny.find_denial("a/b/c.py") is None
    assert deny.find_denial("a/b/.git/c.py") is not None
    assert deny.find_denial("a/b/.git/d.py") is not None
    assert deny.find_denial("a/b/d.py") is None


ALLOWANCES = [
    (["secrets.py"], ["secrets.py", "a/b/SECRETS.py"], ["secrets.go", "secrets.py.bak", "secrets.yaml"]),
    (["Secrets.{PY,go}"], ["secrets.py", "x/secrets.go"], ["secrets.ts"]),
    (["models/secrets.*"], ["models/secrets.ts"], ["secrets.ts", "a/models/secrets.ts"]),
    (["certs/*.pem", "*.env"], ["certs/ca.pem", "prod.env", ".env"], ["ca.pem", "certs/a/ca.pem"]),
    ([".ssh/**"], [".ssh", ".ssh/config", ".ssh/id_rsa"], ["a/.ssh/config"]),
    ([".ssh"], [".ssh/config", "a/.ssh/known_hosts"], [".ssh/id_rsa"]),
    (["secrets.d/"], ["secrets.d/readme"], ["x/secrets.d/readme"]),
    (["**"], ["secrets.py", ".ssh/id_rsa"], [".git/config", "a/.repo_mcp/manifest", ".svn~/x", "git~1"]),
    (["*"], [".env"], [".hg", ".git:stream", ".repo_mcp", ".GI\u200cT/config"]),
]


@pytest.mark.parametrize(("globs", "served", "denied"), ALLOWANCES)
def test_the_operator_may_allow_a_class_of_names(
    globs: list[str], served: list[str], denied: list[str]
) -> None:
    deny = DenyPolicy(globs)
    assert [path for path in served if deny.find_denial(path) is not None] == []
    assert [path for path in denied if deny.find_denial(path) is None] == []


def test_the_data_directory_stays_denied_whatever_is_allowed() -> None:
    deny = DenyPolicy(["**", "build/**"], data_dir_parts=("build", "Index"))
    for path in ("build/index", "build/INDEX/segment", "x/.repo_mcp/y"):
        denial = deny.find_denial(path)
        assert denial is not None
        assert denial.rule == OWN_DIRECTORY_RULE


@pytest.mark.parametrize(
    "glob", [".git", ".git/**", "a/.GIT/config", ".hg/", ".repo_mcp/**", "git~1", "", "x" * 600, "a\0"]
)
def test_what_cannot_be_allowed_is_refused(glob: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        DenyPolicy([glob])


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
    others = {DenyPolicy(["*.env"]).fingerprint(), DenyPolicy(data_dir_parts=("x",)).fingerprint()}
    assert len(others | {plain}) == 3


def list_tables() -> list[str]:
    """Return the names of the tables of rules. Those of suspects only tell which names are judged at all."""
    return [
        name
        for name, value in vars(policy).items()
        if name.isupper()
        and isinstance(value, frozenset | tuple | re.Pattern)
        and not name.startswith("_SUSPECT")
        and name != "_PLACE_NAMES"  # those of _SECRET_PLACES
    ]


@pytest.mark.parametrize("table", list_tables())
def test_a_change_of_any_rule_changes_the_fingerprint(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, rules = DenyPolicy().fingerprint(), getattr(policy, table)
    if isinstance(rules, re.Pattern):
        changed: object = re.compile(f"{rules.pattern}|another")
    else:
        changed = type(rules)([*rules, "another"])
    monkeypatch.setattr(policy, table, changed)
    assert DenyPolicy().fingerprint() != before


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
    st.sampled_from(
        [path for path in DENIED + DISGUISED + COPIES + ALLOWED if path and "/" not in path]
    ).flatmap(
        lambda name: st.sampled_from([name, name.upper(), name + "x", "x" + name, name + ".", name.title()])
    ),
)


@given(NAMES, st.sampled_from(["", ".aws", ".kube", "x/.docker", ".config/gh"]))
def test_a_plain_name_meets_no_rule(name: str, above: str) -> None:
    if name and policy.is_plain(name):
        assert find_denial_of(above, fold_name(name), is_directory=False) is None
        assert find_denial_of(above, fold_name(name), is_directory=True) is None


@given(NAMES)
def test_folding_is_stable(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@given(NAMES)
def test_case_does_not_matter(name: str) -> None:
    if name.isascii():
        find = DenyPolicy().find_denial
        assert (find(name) is None) == (find(name.upper()) is None) == (find(name.lower()) is None)
