"""Two names that several types declare: those of the type with both are compared, the others are named."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

TASK = (
    "class Task:\n"
    '    """A task."""\n\n'
    "    def run_now(self, args):\n"
    '        """Run it here, and wait."""\n'
    "        tracer = build(self)\n        for one in args:\n            tracer.feed(one)\n"
    "        return tracer.finish()\n\n"
    "    def run_now_remotely(self, args):\n"
    '        """Send it to a worker."""\n'
    "        message = pack(self, args)\n        if message.is_long:\n            message = message.split()\n"
    "        return self.app.send(message)\n"
)
CHAINS = (
    "class Link:\n    def run_now(self, args):\n        return self.inner.run_now(args)\n\n"
    "    def run_now_remotely(self, args):\n        return self.inner.run_now_remotely(args)\n\n\n"
    "class Ring(Link):\n    def run_now(self, args):\n        return [one.run_now() for one in self]\n\n\n"
    "class Line(Link):\n    def run_now(self, args):\n        return [one.run_now() for one in self]\n"
)


def test_the_names_of_the_type_with_the_longest_functions_of_both_are_compared() -> None:
    report = Asked({"app/task.py": TASK, "app/chains.py": CHAINS}).ask(
        "what is the difference between `run_now` and `run_now_remotely`?"
    )
    assert list_found(report)[:2] == ["task.Task.run_now", "task.Task.run_now_remotely"]
    assert report.claim.startswith("Task.run_now (app/task.py:4-9): Run it here, and wait.")
    assert report.claim.endswith("All of these names are declared in chains.Link (app/chains.py:1-6), too.")


def test_a_name_with_its_type_is_compared_as_it_is_given() -> None:
    report = Asked({"app/task.py": TASK, "app/chains.py": CHAINS}).ask(
        "what is the difference between `Link.run_now` and `Link.run_now_remotely`?"
    )
    assert list_found(report)[:2] == ["chains.Link.run_now", "chains.Link.run_now_remotely"]
