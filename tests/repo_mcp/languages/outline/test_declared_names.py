"""The line that names a declaration."""

from __future__ import annotations

from repo_mcp.languages.outline.declared_names import find_declared_name
from tests.growth import assert_linear
from tests.repo_mcp.languages.outline.test_recorded_members import complete


def test_a_decorated_member_has_the_line_of_its_name() -> None:
    text = """@Scopes(() => ({
  small: 1,
}))
@Table()
class Parcel {
  @Length({
    max: 3,
    msg: `mark must be short`,
  })
  @Column(Text)
  mark: string;
  @Column({ name: "size" }) size = 1;
}
"""
    assert [(one.signature, one.start_line, one.end_line) for one in complete("a.ts", text).symbols] == [
        ("class Parcel", 1, 13),
        ("mark: string;", 6, 11),
        ('@Column({ name: "size" }) size = 1;', 12, 12),
    ]


def test_a_line_of_escapes_takes_linear_time() -> None:
    assert_linear(lambda size: [b'\\"' * size], lambda lines: find_declared_name(lines, "a", 0, 0), 120)
