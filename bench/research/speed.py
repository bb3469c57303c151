"""The seconds that questions about Linux take, including some about popular names.

    python -m bench.research.speed TREE DATA_DIR [--depth N]

DATA_DIR holds an index with its structure: `repo-mcp index --structure`.
"""

from __future__ import annotations

import argparse
import time
from contextlib import closing

from repo_mcp.config.server_config import Config
from repo_mcp.repository import Repository
from repo_mcp.research.records import ResearchRequest, RunControl

QUESTIONS = """
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
"""


def main() -> None:
    """Ask each question once, and print the slowest first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree")
    parser.add_argument("data_dir")
    parser.add_argument("--depth", type=int, default=2)
    options = parser.parse_args()
    rows: list[tuple[float, str, int]] = []
    with closing(Repository(Config(options.tree, data_dir=options.data_dir))) as repository:
        for question in QUESTIONS.strip().split("\n"):
            started = time.perf_counter()
            report = repository.engines.researcher.answer(
                ResearchRequest(question, options.depth), RunControl(lambda: False)
            )
            rows.append((time.perf_counter() - started, question, len(report.findings)))
    for seconds, question, findings in sorted(rows, reverse=True):
        print(f"{seconds:6.2f} s  {findings:4} findings  {question}")
    times = sorted(seconds for seconds, _, _ in rows)
    median, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    print(f"median {median:.2f} s, p95 {p95:.2f} s, most {times[-1]:.2f} s")


if __name__ == "__main__":
    main()
