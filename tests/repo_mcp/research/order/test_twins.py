"""Of declarations that say almost the same, one is shown before others that say something else."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

BUILDER = """namespace Depot;
public static class {name}
{{
    public static Breaker Break{suffix}(int failures, Action onBreak)
    {{
        if (failures <= 0)
            throw new ArgumentOutOfRangeException("failures");
        if (onBreak == null)
            throw new ArgumentNullException("onBreak");
        var breaker = new Breaker{suffix}(failures);
        breaker.OnBreak = onBreak;
        return breaker;
    }}
}}
"""
OPENER = """namespace Depot;
public class State
{
    public void OpenBreaker(int failures)
    {
        if (failures < this.limit)
            return;
        this.until = Clock.Now + this.pause;
        this.state = BreakerState.Open;
    }
}
"""
TEXTS = {
    "Builder.cs": BUILDER.format(name="Builder", suffix=""),
    "AsyncBuilder.cs": BUILDER.format(name="AsyncBuilder", suffix="Async"),
    "State.cs": OPENER,
}
QUESTION = "How does a breaker break after failures?"


def test_a_twin_comes_behind_what_says_something_else() -> None:
    found = list_found(Asked(TEXTS).ask(QUESTION))
    twins = [name for name in found if ".Break" in name]
    assert len(twins) == 2
    assert found.index(twins[0]) < found.index("Depot.State.OpenBreaker") < found.index(twins[1])
