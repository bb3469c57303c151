"""A function that a question names with its owner leads, and what it calls comes before words elsewhere."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one, list_found

POOL = {
    "pool.py": """class Pool:
    def lend(self, name):
        return _Lending(self, name)

    def wait_in_line(self):
        return _Waiting(self)

    def count_lent(self):
        return len(self.lent)


class _Lending:
    def __init__(self, pool, name):
        self.pool = pool
        self.name = name

    def __enter__(self):
        if self.pool.count_lent() == 0:
            return self.name
        self.inner = self.pool.wait_in_line()
        return self.inner.__enter__()


class _Waiting:
    def __init__(self, pool):
        self.pool = pool

    def __enter__(self):
        self.pool.line.append(self)
        return self.pool.line[0]
""",
    "other_pool.py": """class OtherPool:
    def lend(self, name):
        if self.is_empty():
            raise ValueError("a pool that is empty can lend nothing")
        return name


def lend_from_empty_pool(pool):
    while pool.is_empty():
        pool.lend("empty")
""",
}


def test_what_is_named_with_its_owner_is_followed_through_what_only_makes_something() -> None:
    report = Asked(POOL).ask("how does Pool.lend work when the pool is empty?")
    assert list_found(report)[:4] == [
        "pool.Pool.lend",
        "pool._Lending.__enter__",
        "pool.Pool.count_lent",
        "pool._Waiting",
    ]
    assert find_one(report, "pool._Waiting").why == "made by wait_in_line, which _Lending.__enter__ calls"
    assert "self.pool.line.append(self)" in find_one(report, "pool._Waiting").excerpt
    assert report.claim.startswith("Pool.lend (pool.py:2-3) fits the question best.")
