"""Go: what a name alone may mean where nothing shows the type of its receiver."""

from __future__ import annotations

from tests.repo_mcp.graph.resolved import Repository

FILES = {
    "go.mod": "module app\n",
    "limits.go": """
package app

type limiter struct { burst int }

func (one *limiter) Set(key string) {}
func (one *limiter) Allow(key string) {}
""",
    "limits_test.go": """
package app

type held struct { spare int }

func check() {
	for _, tc := range cases() {
		use(tc.burst)
		use(tc.spare)
		tc.Allow("a")
		tc.Set("a")
	}
}
""",
}


def test_a_field_of_another_file_and_a_method_of_the_library_are_only_possible_in_a_test() -> None:
    found = Repository.build(FILES)
    assert found.ask("limits_test.go", "tc.burst", "burst") == ["limits.go:3 burst possible"]
    assert found.ask("limits_test.go", "tc.spare", "spare") == ["limits_test.go:3 spare probable"]
    assert found.ask("limits_test.go", "tc.Allow", "Allow") == ["limits.go:6 Allow probable"]
    assert found.ask("limits_test.go", "tc.Set", "Set") == ["limits.go:5 Set possible"]
