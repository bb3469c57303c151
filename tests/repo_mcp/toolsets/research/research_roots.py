"""A small service in Python, TypeScript and Go with its documentation, and the `research` tools over it."""

from __future__ import annotations

import json
from typing import Any

from repo_mcp.protocol.tool_model import Tool, ToolAnswer
from repo_mcp.toolsets.research import bind_toolset
from tests.repo_mcp.lean_answers import read_answer
from tests.repo_mcp.toolsets import served_toolset

CANARY = "canary-91b6e0d4-never-served"
TREE = {
    "service/__init__.py": "",
    "service/auth.py": '''"""Authentication of requests: passwords, tokens, sessions."""

import hashlib

from service.store import SessionStore


class AuthenticationError(Exception):
    """The credentials are wrong."""


class Authenticator:
    """Checks who somebody is."""

    def __init__(self, store: SessionStore) -> None:
        self.store = store

    def authenticate(self, user: str, password: str) -> str:
        """Check a password and open a session.

        Raises AuthenticationError for a wrong password.
        """
        digest = hash_password(password)
        if not self.store.check(user, digest):
            raise AuthenticationError(user)
        return self.store.open_session(user)


def hash_password(password: str) -> str:
    """The salted digest of a password."""
    return hashlib.sha256(b"salt" + password.encode()).hexdigest()
''',
    "service/store.py": '''"""Where sessions are kept."""


class SessionStore:
    """Sessions by token."""

    def __init__(self) -> None:
        self.sessions: dict[str, str] = {}
        self.digests: dict[str, str] = {}

    def check(self, user: str, digest: str) -> bool:
        """True when the digest is that of the user's password."""
        return self.digests.get(user) == digest

    def open_session(self, user: str) -> str:
        token = f"token-{len(self.sessions)}"
        self.sessions[token] = user
        return token
''',
    "service/billing.py": '''"""Invoices."""

RATE = 0.19


def total(amounts: list[float]) -> float:
    """The sum of some amounts with tax."""
    return sum(amounts) * (1 + RATE)
''',
    "web/login.ts": """import { post } from "./http";

/** The form that people log in with. */
export class LoginForm {
  constructor(private readonly url: string) {}

  /** Sends the password; a wrong one is an authentication error. */
  async submit(user: string, password: string): Promise<string> {
    const answer = await post(this.url, { user, password });
    return answer.token;
  }
}
""",
    "web/http.ts": """export async function post(url: string, body: object): Promise<any> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  return response.json();
}
""",
    "tools/rotate.sh": "#!/bin/sh\n# Rotates the session log.\nmv session.log session.log.1\n",
    "docs/guide.md": "# Guide\n\n## Installation\n\nRun it.\n\n## Security\n\nHashed passwords.\n",
    "README.md": "# Service\n\nA small service.\n",
    ".env": f"SECRET={CANARY}\n",
}


class Served(served_toolset.ServedToolset):
    """The `research` tools over one root."""

    name = "research"
    bind_toolset = staticmethod(bind_toolset)

    def call(self, name: str, /, **arguments: object) -> dict[str, Any]:
        """Return the result of a call that must not fail, as JSON."""
        answer = self.ask(name, arguments)
        assert not answer.is_error, answer.text
        return check(self.tools[name], answer)

    def rows(self, name: str, /, **arguments: object) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.call(name, **arguments)["results"]
        return rows

    def error(self, name: str, /, **arguments: object) -> str:
        """Return the text of a call that must fail."""
        answer = self.ask(name, arguments)
        assert answer.is_error, answer.text
        check(self.tools[name], answer)
        return answer.text


def check(tool: Tool, answer: ToolAnswer) -> dict[str, Any]:
    """Check what holds for every answer: the schema, the text, the flag, no secret, no path of ours."""
    compact = json.dumps(answer.structured, ensure_ascii=False, separators=(",", ":"))
    assert answer.json in ("", compact)  # encoded once, or not by the tool
    found = json.loads(compact)
    whole: dict[str, Any] = read_answer(tool.output_schema, found)
    assert CANARY not in answer.text
    assert isinstance(found, dict)
    if answer.is_error:
        assert set(found) == {"error"}
        assert found["error"]["message"] == answer.text
    elif "format" in found:
        assert found["text"] == answer.text
    else:
        assert json.dumps(found, ensure_ascii=False, separators=(",", ":")) == answer.text
    return whole
