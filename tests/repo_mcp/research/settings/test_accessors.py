"""Settings that are read through a member which hands them out, and namesakes in other types."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, find_one

CONFIG = (
    "class PoolConfig {\n    private long leakPatience;\n    public long getLeakPatience() {\n"
    "        return leakPatience;\n    }\n}\n"
)


def test_what_calls_the_getter_of_a_setting_reads_it() -> None:
    texts = {
        "PoolConfig.java": CONFIG,
        "Pool.java": "class Pool {\n    void start(PoolConfig config) {\n"
        "        watch(config.getLeakPatience());\n    }\n}\n",
    }
    report = Asked(texts).ask("what reads leakPatience?")
    assert report.claim == (
        "leakPatience is read at PoolConfig.java:4 and Pool.java:3. It is declared at PoolConfig.java:2."
    )
    assert find_one(report, "Pool.start").why == "reads leakPatience"


def test_a_field_of_another_type_is_not_the_one_of_the_type_that_is_given() -> None:
    texts = {
        "Options.cs": "class JobOptions {\n    public int StopTimeout { get; set; }\n}\n\n"
        "class ShopOptions {\n    public int StopTimeout { get; set; }\n}\n",
        "Jobs.cs": "class Jobs {\n    void Stop(JobOptions options) {\n"
        "        Wait(options.StopTimeout);\n    }\n}\n",
        "Shop.cs": "class Shop {\n    private readonly ShopOptions _options;\n    void Stop() {\n"
        "        Wait(_options.StopTimeout);\n    }\n}\n",
    }
    claim = Asked(texts).ask("what reads `JobOptions.StopTimeout`?").claim
    assert claim == "JobOptions.StopTimeout is read at Jobs.cs:3. It is declared at Options.cs:2."
