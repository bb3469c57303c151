"""Every denied file holds a canary: no answer, no error, no log and no byte of the data directory has it.

The row of section 3.2 of the threat model that names all the ways out, over every tool of both toolsets.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.workspace.policy import DenyPolicy
from tests.repo_mcp.stdio.test_server import Process

CANARY = "xkcanaryqz"
DENIED = (
    ".env", ".ENV", ".env.production", "sub/.env", "deep/.env/inside.py", ".envrc", "id_rsa", "Id_Rsa",
    "id_rsa.pub", "id_ed25519", "id_ecdsa_sk", "id_dsa", "secrets.py", "sub/secrets.yaml", "SECRETS.JSON",
    "server.pem", "sub/Server.KEY", "a.p12", "a.pfx", "a.ppk", "a.jks", "a.keystore", "a.kdbx", ".netrc",
    "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd", ".pgpass", ".aws/credentials",
    ".ssh/config", ".gnupg/x", ".git/config", ".git/hooks/x.py", ".hg/x", ".svn/x", "\uff0eenv",
    "id_r\u017fa", ".gi\u200ct/x", ".env. ", "git~1/config", ".env:stream",
    "prod.env", ".env-prod", "deploy_rsa", "ssh_host_rsa_key", "a.p8", "credentials.json", "secret.yaml",
    "service-account.json", "main.tfstate", "prod.tfvars", ".kube/config", ".docker/config.json", ".mcp.json",
    "server.key~", "server.pem.bak", "#id_rsa#", ".id_rsa.swp", "prod.env (1)", "secrets.py.orig",
)  # fmt: skip
IMPORTER = f"""from secrets import load_{CANARY[::-1]}
import secrets

def public_function():
    return secrets.token()
"""
QUERIES = (CANARY, f"{CANARY}_function", "secret token", "public_function", f'"{CANARY}"', f"sym:{CANARY}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "app.py").write_text(IMPORTER)
    (root / ".gitignore").write_text("!.env\n!secrets.py\n!*.pem\n")
    (root / "repo_mcp.toml").write_text('include_extensions = ["py", "pem", "env"]\nallow = [".env"]\n')
    for path in DENIED:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if not (root / path).exists():
            text = (
                f"def {CANARY}_function():\n    '''{CANARY} secret token'''\n    return public_function()\n"
            )
            (root / path).write_text(text)
    (root / "link.py").symlink_to("secrets.py")
    (root / "sub" / "linked").symlink_to("../.ssh")
    return root


def iter_calls() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield calls of every kind, on every denied name and on what is not denied."""
    yield "repo.refresh_index", {"force": True}
    for path in (*DENIED, "link.py", "sub/linked/config", ".env/", "app.py/../.env"):
        for tool, argument in (
            ("repo.open_file", "path"),
            ("repo.outline", "path"),
            ("read_file", "path"),
            ("list_directory", "path"),
            ("get_file_outline", "file_path"),
        ):
            yield tool, {argument: path}
        yield "index_files", {"paths": [path]}
        yield "get_impact", {"diff": f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n"}
        yield "repo.search", {"query": CANARY, "file_glob": path}
    for hidden in (True, False):
        yield "repo.list_files", {"include_hidden": hidden, "max_results": 1_000}
    for query in QUERIES:
        yield "repo.search", {"query": query, "explain": True}
        for mode in ("literal", "regex", "symbol"):
            yield "repo.search", {"query": query.strip('"'), "mode": mode, "explain": True}
        yield "repo.build_context_bundle", {"prompt": f"{query} in secrets.py and .env line 1"}
        yield "search_symbols", {"query": query}
        yield "lookup_symbol", {"qualified_name": query}
    for path in ("app.py", "secrets.py"):
        yield "get_dependencies", {"file_path": path}
        yield "get_dependents", {"file_path": path}
    yield "get_directory_tree", {"depth": 10}
    yield "get_status", {}
    yield "repo.status", {}
    yield "repo.audit_log", {"limit": 1_000}
    yield "repo.build_context_bundle", {"prompt": "secret token in secrets.py and .env line 1"}  # is kept


def test_no_byte_of_a_denied_file_comes_out_anywhere(root: Path) -> None:
    policy = DenyPolicy()
    assert [path for path in DENIED if policy.find_denial(path) is None] == []
    process = Process(root, "--toolsets", "repo,graph", "--no-watch")
    texts: list[str] = []
    tools = set()
    try:
        process.handshake()
        process.send({"id": "tools", "method": "tools/list"})
        offered = {tool["name"] for tool in process.read()["result"]["tools"]}
        for number, (tool, arguments) in enumerate(iter_calls()):
            process.call(number, tool, arguments)
            while True:
                answer = process.read()
                texts.append(json.dumps(answer, ensure_ascii=False))
                if answer.get("id") == number:
                    break
            tools.add(tool)
            said = json.dumps(arguments)
            if CANARY in texts[-1] and CANARY not in said:
                pytest.fail(f"{tool} {said}: {texts[-1]}")
            assert f"{CANARY}_function():" not in texts[-1]
            assert f"{CANARY} secret token" not in texts[-1]
        assert tools <= offered
    finally:
        process.close()
    data_dir = root / ".repo_mcp"
    holding = [
        path.name for path in data_dir.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()
    ]
    assert holding == []
    assert "load_" in (data_dir / "last_bundle.md").read_text()  # what is not denied is quoted
    assert CANARY not in process.said()


def test_what_is_not_denied_is_served_beside_it(root: Path) -> None:
    """The same conversation finds what it may find: the test above is not one of an empty server."""
    with closing(Process(root, "--toolsets", "repo,graph", "--no-watch")) as process:
        process.handshake()
        process.call(1, "repo.refresh_index", {"force": True})
        assert process.read()["result"]["structuredContent"]["ok"]
        process.call(2, "repo.search", {"query": "public_function"})
        hits = process.read()["result"]["structuredContent"]["result"]["hits"]
        assert [hit["path"] for hit in hits] == ["app.py"]
