"""C#: names in patterns, products that the grammar takes for pointers, and members of literal numbers."""

from __future__ import annotations

import pytest

from tests.growth import assert_linear
from tests.repo_mcp.graph.resolved import Repository, parse

TEXTS = {
    "lib.cs": """
        namespace N;
        public class Feature
        {
            public const string Short = "s";
            public bool IsUsed { get; set; }
            public Feature Inner { get; set; }
            public double Bytes { get; } = Ceil(size * Factor);
            public const double Factor = 8;
            public static Feature Make(double value) => new(value * Factor);
            static double Ceil(double value) => value;
        }
        public class Kind { }
        public static class Numbers
        {
            public static string Cut(this decimal value, int places) => "";
            public static string Times(this int value) => "";
        }
        """,
    "use.cs": """
        namespace N;
        public class User
        {
            const string Long = "l";
            Kind Kind { get; set; }
            void M(Feature feature, object other, string text)
            {
                switch (text)
                {
                    case Long:
                        break;
                    case Feature.Short:
                        break;
                }
                var used = feature is { IsUsed: true };
                var inner = other is not Feature { Inner: { Bytes: 1 } };
                var dotted = feature is { Inner.Bytes: 1, Inner: { Inner.IsUsed: true } };
                var chosen = feature.Inner switch { { Factor: 2 } => 1, _ => 2 };
                if (other is Kind) { }
                var named = other switch { Feature => 1, _ => 0 };
                Check(0.11m.Cut(2), 4.Times(), value * Long, out int* point);
            }
        }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "said"),
    [
        ("use.cs", "case Long:", "Long", ["use.cs:4 Long exact"]),
        ("use.cs", "case Feature.Short", "Short", ["lib.cs:4 Short exact"]),
        ("use.cs", "is { IsUsed", "IsUsed", ["lib.cs:5 IsUsed exact"]),
        ("use.cs", "is not Feature", "Inner", ["lib.cs:6 Inner exact"]),
        ("use.cs", "is not Feature", "Bytes", ["lib.cs:7 Bytes exact"]),
        ("use.cs", "var dotted", "Inner", ["lib.cs:6 Inner exact"]),
        ("use.cs", "var dotted", "Bytes", ["lib.cs:7 Bytes exact"]),
        ("use.cs", "var dotted", "IsUsed", ["lib.cs:5 IsUsed exact"]),
        ("use.cs", "feature.Inner switch", "Factor", ["lib.cs:8 Factor exact"]),
        ("use.cs", "is Kind", "Kind", ["lib.cs:12 Kind exact"]),
        ("use.cs", "other switch", "Feature", ["lib.cs:2 Feature exact"]),
        ("use.cs", "0.11m", "Cut", ["lib.cs:15 Cut probable"]),
        ("use.cs", "0.11m", "Times", ["lib.cs:16 Times probable"]),
        ("use.cs", "0.11m", "Long", ["use.cs:4 Long exact"]),
        ("lib.cs", "Ceil(size", "Factor", ["lib.cs:8 Factor exact"]),
        ("lib.cs", "new(value", "Factor", ["lib.cs:8 Factor exact"]),
    ],
)
def test_what_a_name_means(repository: Repository, path: str, line: str, name: str, said: list[str]) -> None:
    assert repository.ask(path, line, name) == said


@pytest.mark.parametrize("arm", ["{ Kind: 1 } => 1", "1 => f(a * B)"])
def test_many_arms_take_linear_time(arm: str) -> None:
    def write(size: int) -> bytes:
        return f"class A {{ object F(B b) => b switch {{ {', '.join([arm] * size)} }}; }}".encode()

    assert_linear(write, lambda text: parse("A.cs", text), 50)


def test_many_alternatives_cost_no_more_than_their_depth() -> None:
    def write(size: int) -> bytes:
        return f"class A {{ bool F(B b) => b is {' or '.join(['{ Kind: 1 }'] * size)}; }}".encode()

    assert_linear(write, lambda text: parse("A.cs", text), 50, bound=100)  # cubic work is at 512
