"""Java: every file sees the package java.lang and every class is below Object, if the repository has them."""

from __future__ import annotations

from repo_mcp.graph.vocabulary import EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph
from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "base/java/lang/Object.java": """
        package java.lang;
        public class Object {
            public final native Class<?> getClass();
            protected void finalize() {}
        }
    """,
    "base/java/lang/Runnable.java": "package java.lang;\npublic interface Runnable { void run(); }\n",
    "base/java/lang/Thread.java": """
        package java.lang;
        public class Thread implements Runnable {
            public static Thread current() { return null; }
            public void run() {}
            protected void finalize() {}
        }
    """,
    "app/p/Job.java": """
        package p;
        class Job implements Runnable {
            public void run() { Thread.current().run(); }
            protected void finalize() { getClass(); }
            void finalize(int one) {}
        }
        class Error {}
        class Own { Error error; }
    """,
}


def test_types_of_java_lang_need_no_import() -> None:
    found = Repository.build(TEXTS)
    job, lang = "app/p/Job.java", "base/java/lang"
    assert found.ask(job, "class Job", "Runnable") == [f"{lang}/Runnable.java:2 Runnable exact"]
    assert found.ask(job, "Thread.current()", "current") == [f"{lang}/Thread.java:3 current exact"]
    assert found.ask(job, "Thread.current()", "run") == [f"{lang}/Thread.java:4 run exact"]
    assert found.ask(job, "getClass()", "getClass") == [f"{lang}/Object.java:3 getClass exact"]
    assert found.ask(job, "class Own", "Error") == [f"{job}:7 Error exact"]


def test_every_class_may_override_a_method_of_object() -> None:
    graph = make_graph(Repository.build(TEXTS).texts)
    found = list_incoming(graph, "java.lang.Object.finalize", EdgeType.OVERRIDES)
    assert [(sure, end, lines) for _, sure, end, lines in found] == [
        ("exact", "p.Job.finalize", (4,)),
        ("exact", "java.lang.Thread.finalize", (5,)),
    ]
