"""Java: every file sees the package java.lang, and every class has what Object has, if they are declared."""

from __future__ import annotations

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
    assert found.ask(job, "class Own", "Error") == [f"{job}:6 Error exact"]
