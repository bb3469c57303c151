"""A BERT encoder as in the paper, number by number in double precision: slow, and easy to check."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from repo_mcp.semantic.encoder import ModelShape

Rows = list[list[float]]


def encode_slowly(shape: ModelShape, tensors: Mapping[str, np.ndarray], ids: Sequence[int]) -> list[float]:
    """Return the vector of a text's tokens."""
    numbers = {name: values.astype(float).tolist() for name, values in tensors.items()}

    def dense(name: str, rows: Rows) -> Rows:
        weight, bias = numbers[f"{name}.weight"], numbers[f"{name}.bias"]
        return [
            [
                sum(w * x for w, x in zip(line, row, strict=True)) + b
                for line, b in zip(weight, bias, strict=True)
            ]
            for row in rows
        ]

    def norm(name: str, rows: Rows) -> Rows:
        weight, bias = numbers[f"{name}.weight"], numbers[f"{name}.bias"]
        done = []
        for row in rows:
            mean = sum(row) / len(row)
            variance = sum((x - mean) ** 2 for x in row) / len(row)
            deviation = math.sqrt(variance + shape.epsilon)
            done.append([(x - mean) / deviation * w + b for x, w, b in zip(row, weight, bias, strict=True)])
        return done

    words = numbers["embeddings.word_embeddings.weight"]
    positions = numbers["embeddings.position_embeddings.weight"]
    kind = numbers["embeddings.token_type_embeddings.weight"][0]
    rows = [
        [a + b + c for a, b, c in zip(words[token], positions[position], kind, strict=True)]
        for position, token in enumerate(ids)
    ]
    rows = norm("embeddings.LayerNorm", rows)
    for layer in range(shape.layers):
        name = f"encoder.layer.{layer}"
        queries, keys, values = (
            dense(f"{name}.attention.self.{one}", rows) for one in ("query", "key", "value")
        )
        taken = [attend(shape, query, keys, values) for query in queries]
        rows = norm(
            f"{name}.attention.output.LayerNorm", add(rows, dense(f"{name}.attention.output.dense", taken))
        )
        inner = [[gelu(x) for x in row] for row in dense(f"{name}.intermediate.dense", rows)]
        rows = norm(f"{name}.output.LayerNorm", add(rows, dense(f"{name}.output.dense", inner)))
    mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    length = math.sqrt(sum(x * x for x in mean))
    return [x / length for x in mean]


def add(one: Rows, other: Rows) -> Rows:
    return [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(one, other, strict=True)]


def gelu(x: float) -> float:
    return x * (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def attend(shape: ModelShape, query: list[float], keys: Rows, values: Rows) -> list[float]:
    wide = shape.dimensions // shape.heads
    taken: list[float] = []
    for head in range(shape.heads):
        part = slice(head * wide, (head + 1) * wide)
        scores = [
            sum(a * b for a, b in zip(query[part], key[part], strict=True)) / math.sqrt(wide) for key in keys
        ]
        shares = [math.exp(score - max(scores)) for score in scores]
        total = sum(shares)
        for position in range(*part.indices(shape.dimensions)):
            taken.append(
                sum(share * value[position] for share, value in zip(shares, values, strict=True)) / total
            )
    return taken
