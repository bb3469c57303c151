"""Of one name, what has a body is meant before what only declares it, or replaces it in browsers."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

LOGGER = {
    "package.json": '{"name": "logger", "main": "index.js", "browser": {"./lib/spawn.js": "./browser.js"}}',
    "lib/spawn.js": "function spawn (names) {\n  return names.map((name) => wrap(name))\n}\n\n"
    "function wrap (name) {\n  return { name }\n}\n\nmodule.exports = { spawn }\n",
    "browser.js": "function spawn (names) {\n  return shrink(names)\n}\n\n"
    "function shrink (names) {\n  return names[0]\n}\n\nmodule.exports = { spawn }\n",
    "lib/flush.js": "'use strict'\n\nmodule.exports = flush\n\n"
    "function flush (done) {\n  return close(done)\n}\n\n"
    "function close (done) {\n  return done()\n}\n",
    "logger.d.ts": "declare namespace logger {\n  function spawn(names: string[]): object[]\n"
    "  function flush(done: () => void): void\n}\nexport = logger\n",
}


def test_neither_types_nor_what_replaces_it_in_browsers_are_asked_for() -> None:
    report = Asked(LOGGER).ask("how does spawn work?")
    assert list_found(report)[:2] == ["spawn", "wrap"]
    assert {one.path for one in report.findings} == {"lib/spawn.js"}


def test_a_function_that_only_types_name_with_their_namespace_is_that_of_a_module() -> None:
    report = Asked(LOGGER).ask("how does logger.flush work?")
    assert list_found(report)[:2] == ["flush", "close"]
