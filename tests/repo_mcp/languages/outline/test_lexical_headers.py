"""Outlines of headers of C and C++: what they declare for others is listed, and what only looks so is not."""

from __future__ import annotations

import pytest

from repo_mcp.languages.outline.lexical_adapter import outline_lexically
from repo_mcp.languages.patterns.language_registry import find_language

C_HEADER = """\
#ifndef STORE_H
#define STORE_H
extern int store_open(const char *path,
                      int flags);
void store_free(struct store *s) __attribute__((nonnull))
    __hot;
typedef int (*store_cb)(struct store *);
struct store_ops {
  int (*read)(struct store *);
};
DECLARE_STORE(main);
static inline int store_size(struct store *s)
{
  int left = store_left(s);
  run(s);
  return store_count(s);
}
static DEFINE_LOCK(guard);
struct store *store_make(void);

/* The end of all. */
#define STORE_LAST 1
#endif
"""
CPP_HEADER = """\
#pragma once
namespace store {
class Table : public Base {
 public:
  explicit Table(const Options& options);
  Table(const Table&) = delete;
  ~Table();
  virtual Status Open(const Slice& key,
                      int flags) const = 0;
  int size() const {
    Lock lock(mutex_);
    return size_;
  }
  void (*on_close)(Table*);
  Unknown(int);
};
Status Repair(const Slice& name);
}
"""


def list_symbols(path: str, text: str) -> list[tuple[str, str, int, int]]:
    outline = outline_lexically(path, find_language(path), text)
    return [(one.kind, one.name, one.start_line, one.end_line) for one in outline.symbols]


def test_prototypes_of_c_are_listed_with_their_lines() -> None:
    assert list_symbols("store.h", C_HEADER) == [
        ("function", "store_open", 3, 4),
        ("function", "store_free", 5, 6),
        ("type_alias", "store_cb", 7, 7),
        ("struct", "store_ops", 8, 10),
        ("function", "store_size", 12, 17),
        ("function", "store_make", 19, 19),
        ("macro", "STORE_LAST", 22, 22),
    ]


@pytest.mark.parametrize("path", ["table.h", "table.hpp"])
def test_members_of_cpp_are_listed(path: str) -> None:
    assert list_symbols(path, CPP_HEADER) == [
        ("module", "store", 2, 2),
        ("class", "Table", 3, 16),
        ("method", "Table", 5, 5),
        ("method", "Table", 6, 6),
        ("method", "~Table", 7, 7),
        ("method", "Open", 8, 9),
        ("method", "size", 10, 13),
        ("function", "Repair", 17, 17),
    ]


def test_a_source_lists_what_it_defines_alone() -> None:
    assert list_symbols("store.c", "int f(void);\nint f(void)\n{\n  return 1;\n}\n") == [
        ("function", "f", 2, 5)
    ]


SIGNATURES = """\
export interface Manager<V> {
  use(done?: (value: V) => V): number;
  eject(id: number): void
  readonly size: number;
}
declare class Client {
  constructor(config?: Config);
  static make<T = any>(
    url: string,
  ): Promise<T>;
  run(): void {
    call(1);
    other(2)
  }
}
call(3);
"""


def test_methods_without_a_body_are_listed_for_typescript() -> None:
    assert list_symbols("index.d.ts", SIGNATURES) == [
        ("interface", "Manager", 1, 5),
        ("method", "use", 2, 2),
        ("method", "eject", 3, 3),
        ("class", "Client", 6, 15),
        ("method", "constructor", 7, 7),
        ("method", "make", 8, 10),
        ("method", "run", 11, 14),
    ]
