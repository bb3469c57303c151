"""What counts as evidence that a file changes with others."""

from __future__ import annotations

from repo_mcp.impact.evidence import RARE, Evidence
from tests.repo_mcp.graph.memory_index import make_graph


def test_a_name_that_is_used_everywhere_is_evidence_only_for_what_alone_declares_it() -> None:
    declares = "struct {0};\nimpl {0} {{\n    fn is_empty(&self) -> bool {{ true }}\n}}\n"
    texts = {
        f"src/use_{number}.rs": "fn f(x: X) { x.is_empty(); stand_alone(); }\n" for number in range(RARE + 1)
    }
    texts |= {
        "src/a.rs": declares.format("A"),
        "src/b.rs": declares.format("B"),
        "src/c.rs": "fn stand_alone() {}\n",
    }
    evidence = Evidence()
    evidence.note_names(make_graph(texts), ["is_empty", "stand_alone"], ["src/use_1.rs"])
    assert evidence.list_paths() == ["src/c.rs"]


def test_a_type_of_c_that_says_its_size_is_no_name_in_common() -> None:
    texts = {"a.cpp": "int8_t run_now();\n", "b.cpp": "int8_t two;\n", "c.cpp": "int run_now(int one);\n"}
    evidence = Evidence()
    evidence.note_names(make_graph(texts), ["int8_t", "size_t", "uint_fast16_t", "run_now"], ["a.cpp"])
    assert evidence.list_paths() == ["a.cpp", "c.cpp"]


def test_a_name_by_which_a_file_means_something_else_is_not_in_common() -> None:
    texts = {
        "web/errors.ts": "export class AccessError {}\n",
        "web/client.ts": 'import { AccessError } from "./errors";\nnew AccessError();\n',
        "web/again.ts": 'import AccessError from "./other";\nnew AccessError();\n',
        "web/other.ts": "export { AccessError as default } from './errors';\n",
        "server/errors.ts": "export function AccessError() {}\n",
        "server/rules.ts": 'import { AccessError } from "./errors";\nthrow AccessError();\n',
        "server/use.ts": 'import { AccessError } from "outside";\nthrow AccessError();\n',
        "server/global.ts": "throw AccessError();\n",
    }
    evidence = Evidence()
    evidence.note_names(make_graph(texts), ["AccessError"], ["web/client.ts"])
    assert evidence.list_paths() == [
        "server/global.ts", "web/again.ts", "web/client.ts", "web/errors.ts", "web/other.ts",
    ]  # fmt: skip
