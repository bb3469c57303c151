"""Swift: members that only a protocol's extension, a conforming type, a literal or a bare dot leads to."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "Sources/App/Layer.swift": """
        protocol Layer { func respond(to one: Int) }
        protocol Guard: Layer {}
        extension Guard {
            fileprivate func respond(to one: Int, saying two: Int) {}
        }
        protocol Named: Guard {}
        extension Named {
            func respond(to one: Int) { self.respond(to: one, saying: 2) }
        }
        """,
    "Sources/App/Service.swift": """
        protocol Server: Service, Sendable { func address() }
        final class Plain: Server {
            func run() async throws {}
            func stop(now: Bool) {}
            func address() {}
        }
        struct Other { func run() async throws {} }
        protocol Marked: Sendable {}
        struct Mark: Marked { func run() {} }
        """,
    "Sources/App/Store.swift": """
        final class Store {
            let box: Locked<Mode>
            enum Mode { case packed(Int), opened }
            static func make(_ one: Int) -> Store { Store() }
            func take(_ path: [Part], _ run: () -> Void) {}
            func take(_ path: Part..., run: () -> Void) {}
            func drain() {}
        }
        final class Kept<Item> { func count() {} }
        """,
    "Sources/App/Use.swift": """
        func use(server: any Server, marked: any Marked, store: Store, box: Outside.Box, all: Set<Store>) {
            server.run()
            server.stop(now: true)
            server.stop(later: true)
            marked.run()
            store.box.with { $0 = .packed(3) }
            switch store.box.with({ $0 }) {
            case .opened: break
            default: break
            }
            box.insert(.make(1))
            all.insert(.make(2))
            store.take("one") { 1 }
            store.take(["two"]) { 1 }
            store.box.with { $0 = .packed(3, 4) }
            Outside.packed(5)
            let kept = Kept<Int>()
            kept.count()
            let cache = Cache<Store>(), plain = Cache<Int>()
            cache.first().drain()
            plain.first().drain()
            var left, right: Store, last: Outside.Box
            left.take("six") { 1 }
            last.drain()
        }
        """,
}


@pytest.mark.parametrize(
    ("path", "line", "name", "said"),
    [
        ("Layer", "saying: 2", "respond", ["4 respond exact"]),
        ("Use", "server.run()", "run", ["3 run possible"]),  # of a protocol of another repository
        ("Use", "stop(now", "stop", ["4 stop possible"]),
        ("Use", "stop(later", "stop", []),
        ("Use", "marked.run()", "run", []),  # a marker has no members
        ("Use", "packed(3) }", "packed", ["3 packed probable"]),
        ("Use", "case .opened", "opened", ["3 opened probable"]),  # what another repository's method returned
        ("Use", "box.insert", "make", ["4 make possible"]),  # passed to a method of an external type ...
        ("Use", "all.insert", "make", ["4 make probable"]),  # ... which is of a type declared here
        ("Use", 'take("one")', "take", ["6 take probable"]),
        ("Use", 'take(["two"])', "take", ["5 take probable", "6 take possible"]),
        ("Use", "packed(3, 4)", "packed", []),  # a case with other values
        ("Use", "Outside.packed", "packed", []),
        ("Use", "kept.count", "count", ["9 count exact"]),  # of the type that the value was made of
        ("Use", "cache.first", "drain", ["7 drain probable"]),  # a type argument of an external type
        ("Use", "plain.first", "drain", ["-> Cache.drain"]),  # the second of two variables
        ("Use", "left.take", "take", ["6 take probable"]),  # of the type behind the next name
        ("Use", "last.drain", "drain", ["-> Outside.Box.drain"]),
    ],
)
def test_what_is_meant(repository: Repository, path: str, line: str, name: str, said: list[str]) -> None:
    found = repository.ask(f"Sources/App/{path}.swift", line, name)
    assert [one if one[0] == "-" else one.partition(":")[2] for one in found] == said
