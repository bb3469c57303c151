"""Which code uses a text that a function writes as a key."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import TakenAs
from repo_mcp.research.question.asked_keys import AskedKeys, find_texts, read_keys
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked, list_found

STORE = """class Lease:
    def save(self, record):
        record["worker_id"] = self.worker
        record["state"] = "leased"
        return record


class Refund:
    def save(self, record):
        # the "worker_id" of a refund
        record["worker_id"] = self.clerk
        return record
"""
POOL = """def adopt(record):
    lease = Lease(record)
    if record.get("worker_id") is None:
        raise ValueError(record)
    return lease, record["state"]


def list_states(records):
    return {one["state"] for one in records}


def worker_id(worker):
    return worker.number
"""
TEST = """def test_save():
    assert Lease().save({})["worker_id"] == 1
"""
JAVASCRIPT = """exports.Runner = class Runner {
  run(query) {
    this.client.emit('query done', query);
  }
};
function listen(client, copy) {
  client.on('query done', (query) => copy(query));
}
"""


@pytest.fixture(scope="module")
def asked() -> Asked:
    return Asked({"store.py": STORE, "pool.py": POOL, "tests/test_store.py": TEST, "runner.js": JAVASCRIPT})


def test_the_uses_of_keys_are_those_of_their_texts_and_not_of_what_has_their_names(asked: Asked) -> None:
    report = asked.ask("What breaks if the keys worker_id and state written by Lease.save are renamed?")
    assert [one.taken_as for one in report.reading.subjects] == [TakenAs.KEY, TakenAs.KEY]
    assert list_found(report) == [
        "store.Lease.save",
        "pool.adopt",
        "pool.list_states",
        "store.Refund.save",
        "test_store.test_save",
    ]
    assert report.claim == (
        'Lease.save (store.py:3) writes the texts "worker_id" and "state".'
        " pool.adopt (pool.py:3) and pool.list_states (pool.py:9) use them."
        " Refund.save (store.py:11) writes such a text, too. 1 place in tests has them."
    )
    assert 'record.get("worker_id")' in report.findings[1].excerpt


def test_what_is_named_is_told_although_many_lines_have_the_key() -> None:
    others = {
        f"a{at}.py": f"def read_{at}(row):\n    state = row\n    return row['state']\n" for at in range(250)
    }
    store = "def save(row):\n    row['state'] = 1\n"
    report = Asked({**others, "zone/store.py": store}).ask(
        "What breaks if the key state of store.save is renamed?"
    )
    assert report.claim.startswith(
        'store.save (zone/store.py:2) writes the text "state". a0.read_0 (a0.py:3)'
    )


def test_an_event_may_be_of_several_words(asked: Asked) -> None:
    report = asked.ask("Which code listens to the event 'query done' that Runner.run emits?")
    assert report.claim == (
        'Runner.run (runner.js:3) writes the text "query done". listen (runner.js:7) uses it.'
    )


def test_a_column_is_found_in_statements_and_where_a_row_has_it() -> None:
    text = """class Jobs {
    lock(name) {
        return this.query(`
            UPDATE jobs SET locked_at = now()
            WHERE name = $1 AND locked_at IS NULL`, name);
    }
    unlock(name) {
        return this.query("UPDATE jobs SET locked_at = NULL WHERE name = $1", name);
    }
    list_locked(locked_at) {
        return this.query("SELECT * FROM jobs WHERE locked_at > $1", locked_at);
    }
    read(row) {
        return { lockedAt: row.locked_at };
    }
    count(locked_at) {
        return locked_at + 1;
    }
}
"""
    report = Asked({"jobs.js": text}).ask(
        "What breaks if the column locked_at that Jobs.lock writes is renamed?"
    )
    assert report.claim == (
        'Jobs.lock (jobs.js:4) writes the text "locked_at". Jobs.list_locked (jobs.js:11) and'
        " Jobs.read (jobs.js:14) use it. Jobs.unlock (jobs.js:8) writes such a text, too."
    )


def test_a_name_that_is_no_text_in_what_is_named_beside_it_is_no_key(asked: Asked) -> None:
    report = asked.ask("What breaks if the field worker_id of pool.list_states is renamed?")
    assert all(one.taken_as is not TakenAs.KEY for one in report.reading.subjects)


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        (
            "What reads the header `Retry-After` that Client.send sets?",
            AskedKeys(("Retry-After",), ("Client.send",)),
        ),
        ("Who reads the 'user id' cookie that log_in() writes?", AskedKeys(("user id",), ("log_in",))),
        (
            "Which code handles the message 'job done' that Worker.run sends?",
            AskedKeys(("job done",), ("Worker.run",)),
        ),
        ('What depends on the key "id" of Store.validate?', AskedKeys(("id",), ("Store.validate",))),
        ("What depends on the key ' ' of Store.save?", None),
        ("What breaks if log_in() is renamed?", None),
        ("How does Client.send compute the header Retry-After?", None),
    ],
)
def test_keys_are_read_from_questions_for_their_uses(query: str, keys: AskedKeys | None) -> None:
    assert read_keys(query) == keys


def test_a_long_name_is_read_in_linear_time() -> None:
    assert_linear(lambda size: f"Who handles the key id of Store.save and {'a' * size}?", read_keys, 1_000)


def test_each_line_of_a_long_function_takes_the_same_time() -> None:
    def find(lines: list[str]) -> list[object]:
        return [find_texts(lines, at, "worker_id", 1) for at in range(1, len(lines) + 1)]

    assert_linear(lambda size: ["def save(worker_id):"] + ["    use(worker_id)"] * size, find, 1_000)


def test_a_name_that_only_a_test_declares_is_the_key_that_the_program_reads() -> None:
    texts = {
        "app/worker.py": "def start(app):\n    return app.either('prefetch_multiplier', 4)\n",
        "tests/test_worker.py": "PREFETCH_MULTIPLIER = 2\n\ndef test_it():\n    start(PREFETCH_MULTIPLIER)\n",
    }
    claim = Asked(texts).ask("Where is prefetch_multiplier read?").claim
    assert "app/worker.py:2" in claim
    assert "tests" not in claim


def test_the_function_whose_parameter_is_asked_for_is_shown_with_what_it_does() -> None:
    text = (
        "class Engine:\n    def __init__(self, cache_size=500):\n        if cache_size != 0:\n"
        "            self._cache = Cache(cache_size)\n        else:\n            self._cache = None\n"
    )
    report = Asked({"engine.py": text}).ask("Where is cache_size read?")
    assert report.claim.startswith("cache_size is a parameter of Engine.__init__ (engine.py:2) and read at")
    assert "self._cache = None" in report.findings[0].excerpt
