"""The seconds that answers of `code_research` and `search_code` take over stdio: waited for, and computed.

    python -m bench.research.speed linux TREE DATA_DIR
    python -m bench.research.speed django TREE DATA_DIR

DATA_DIR holds an index with its structure: `repo-mcp index --structure`. Each question is asked in three
rounds of one server. The first is cold; in the others what they need has been read.
"""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from pathlib import Path

from bench.economy.client import Client

TOOLS = ("code_research", "search_code")
ROUNDS, SLOWEST = 3, 3
QUESTIONS = {
    "linux": """
what calls memset
what calls kmalloc
what calls printk
who uses struct sk_buff
what depends on mutex_lock
what calls tcp_v4_rcv
callers of schedule
what does ext4_fill_super call
how does tcp_v4_rcv reach tcp_rcv_established
how does sys_read reach ext4_file_read_iter
what uses list_head
where is HZ configured
where is CONFIG_PREEMPT configured
how is memory allocated for slab caches
how are network packets routed
what does struct file_operations depend on
what implements inode_operations
what calls spin_lock_irqsave
who uses struct device
what calls copy_from_user
what does net/ipv4/tcp.c depend on
what depends on include/linux/slab.h
dependencies of net/ipv4
architecture of net
architecture of this repository
what is task_struct
path from start_kernel to rest_init
kmalloc
how does the scheduler pick the next task
what calls dev_err
what calls kfree
usages of u32
where is kmalloc defined
how are page faults handled
""",
    "django": """
How is CSRF checked for a request?
How does prefetch_related work?
How do I register a custom lookup?
Where is CONN_MAX_AGE configured?
Where is SESSION_COOKIE_AGE configured?
Where is the default database port configured?
What happens when a migration fails half way?
What happens when a form field is invalid?
How are templates found and cached?
How is a password hashed and checked?
Which errors can get_object_or_404 raise?
Which errors can parsing a multipart upload raise?
Where would I add a new template tag?
Where would I add a new database backend?
Where would I add a new field type?
What breaks if I change Model.save?
What breaks if I change QuerySet._fetch_all?
What is the difference between select_related and prefetch_related?
What is the difference between HttpResponse and StreamingHttpResponse?
what calls _fetch_all
what calls resolve_url
how does Model.save reach execute_sql
How does middleware turn an exception into a response?
How does the autoreloader notice that a file changed?
""",
}


def main() -> None:
    """Ask each question of each tool, and print the slowest first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", choices=QUESTIONS)
    parser.add_argument("tree", type=Path)
    parser.add_argument("data_dir", type=Path)
    options = parser.parse_args()
    questions = QUESTIONS[options.questions].strip().split("\n")
    with closing(Client(options.tree, options.data_dir, "--toolsets", "research")) as client:
        client.settle(TOOLS[0], query=questions[0])
        for tool in TOOLS:
            for name in ("cold", *["warm"] * (ROUNDS - 1)):
                rows = [time_call(client, tool, question) for question in questions]
                waited, computed = map(sorted, zip(*rows, strict=True))
                at = int(len(rows) * 0.95)
                print(
                    f"{tool}, {name}: median {waited[len(rows) // 2]:.3f} s, p95 {waited[at]:.3f} s;"
                    f" of a processor {computed[len(rows) // 2]:.2f} and {computed[at]:.2f} s"
                )
                slowest = sorted(zip(rows, questions, strict=True), reverse=True)[:SLOWEST]
                print("".join(f"    {one[0]:.3f} s  {question}\n" for one, question in slowest), end="")


def time_call(client: Client, tool: str, question: str) -> tuple[float, float]:
    """Return the seconds that a client waits for an answer, and those of the server's processor time."""
    started, before = time.perf_counter(), client.read_processor_seconds()
    client.call(tool, query=question)
    return time.perf_counter() - started, client.read_processor_seconds() - before


if __name__ == "__main__":
    main()
