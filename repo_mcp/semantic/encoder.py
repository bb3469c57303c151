"""A BERT encoder in numpy: from token ids to one vector of length 1, the mean over the tokens.

Each text is a batch of its own: its tokens are the rows of every product. Nothing is padded, and a vector
depends on its text alone, not on what else was encoded with it or in what order.

Matrix products are float32 (BLAS); GELU runs on a few rows at a time, so that its data stays in a core's
cache. It is the exact GELU, with an error function accurate to 2e-7 (Abramowitz and Stegun, "Handbook of
Mathematical Functions", 7.1.26). The model: Devlin et al., "BERT", 2019.

Left out on purpose: training, batches of several texts, pooling other than the mean, decoders.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from repo_mcp.record_classes import dataclass
from repo_mcp.semantic.safetensors_file import F32

GELU_ROWS = 32  # rows at a time: 200 KB with 1536 numbers each, which fit a core's cache with temporaries
_ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
_ERF_SLOPE = 0.3275911
_FAR = 12.0  # beyond this, GELU(x) is x or 0

ReadTensor = Callable[..., F32]  # name, shape


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The sizes of a model."""

    dimensions: int  # numbers per vector
    inner: int  # width of the feed-forward layer
    heads: int
    layers: int
    tokens: int  # number of tokens in the vocabulary
    positions: int  # maximum tokens of a text
    kinds: int  # number of token types; ours is always 0
    epsilon: float  # epsilon of the layer norms


def iter_tensors(shape: ModelShape) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the name and shape of each tensor of an encoder, in the order in which it reads them."""
    size, inner = shape.dimensions, shape.inner
    yield "embeddings.word_embeddings.weight", (shape.tokens, size)
    yield "embeddings.token_type_embeddings.weight", (shape.kinds, size)
    yield "embeddings.position_embeddings.weight", (shape.positions, size)
    yield from _iter_pair("embeddings.LayerNorm", size)
    for layer in range(shape.layers):
        name = f"encoder.layer.{layer}"
        for one in ("query", "key", "value"):
            yield from _iter_pair(f"{name}.attention.self.{one}", size, size)
        yield from _iter_pair(f"{name}.attention.output.dense", size, size)
        yield from _iter_pair(f"{name}.attention.output.LayerNorm", size)
        yield from _iter_pair(f"{name}.intermediate.dense", inner, size)
        yield from _iter_pair(f"{name}.output.dense", size, inner)
        yield from _iter_pair(f"{name}.output.LayerNorm", size)


def _iter_pair(name: str, *sizes: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", sizes
    yield f"{name}.bias", sizes[:1]


@dataclass(frozen=True, slots=True)
class _Dense:
    weight: F32  # (out, in), as stored
    bias: F32

    def apply(self, rows: F32) -> F32:
        out: F32 = rows @ self.weight.T
        out += self.bias
        return out


@dataclass(frozen=True, slots=True)
class _Norm:
    weight: F32
    bias: F32
    epsilon: np.float32

    def apply(self, rows: F32) -> F32:
        rows = rows - rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows)[:, None] / np.float32(rows.shape[1])
        rows /= np.sqrt(variance + self.epsilon)
        rows *= self.weight
        rows += self.bias
        return rows


@dataclass(frozen=True, slots=True)
class _Layer:
    attended: _Dense  # query, key and value as one matrix
    joined: _Dense
    joined_norm: _Norm
    inner: _Dense
    outer: _Dense
    outer_norm: _Norm


class Encoder:
    """One model. Safe for several threads, since it never changes."""

    def __init__(self, shape: ModelShape, read: ReadTensor) -> None:
        """`read` returns a tensor by name and shape; what it raises is passed on."""
        self.shape = shape
        tensors = (read(name, *sizes) for name, sizes in iter_tensors(shape))
        epsilon = np.float32(shape.epsilon)

        def take_dense() -> _Dense:
            return _Dense(next(tensors), next(tensors))

        def take_norm() -> _Norm:
            return _Norm(next(tensors), next(tensors), epsilon)

        self._words = next(tensors)
        kinds = next(tensors)
        self._places = next(tensors) + kinds[0]
        self._norm = take_norm()
        self._layers = [
            _Layer(
                _join([take_dense() for _ in range(3)]),
                take_dense(),
                take_norm(),
                take_dense(),
                take_dense(),
                take_norm(),
            )
            for _ in range(shape.layers)
        ]

    def encode(self, ids: Sequence[int]) -> F32:
        """Return the vector of a text from its token ids: at least one, at most `positions`. float32."""
        rows = self._norm.apply(self._words[np.asarray(ids)] + self._places[: len(ids)])
        for layer in self._layers:
            rows = layer.joined_norm.apply(rows + layer.joined.apply(self._attend(layer, rows)))
            inner = layer.inner.apply(rows)
            for start in range(0, len(inner), GELU_ROWS):
                apply_gelu(inner[start : start + GELU_ROWS])
            rows = layer.outer_norm.apply(rows + layer.outer.apply(inner))
        mean = rows.mean(axis=0, dtype=np.float64)
        length = math.sqrt(float(mean @ mean))
        vector: F32 = (mean / length if length else mean).astype(np.float32)
        return vector

    def _attend(self, layer: _Layer, rows: F32) -> F32:
        """Return the multi-head self-attention of the tokens, before the output layer."""
        heads = self.shape.heads
        wide = self.shape.dimensions // heads
        parts = layer.attended.apply(rows).reshape(len(rows), 3, heads, wide).transpose(1, 2, 0, 3)
        queries, keys, values = np.ascontiguousarray(parts)
        queries *= np.float32(1.0 / math.sqrt(wide))
        taken = np.empty((len(rows), heads, wide), dtype=np.float32)
        for head in range(heads):
            shares = queries[head] @ keys[head].T
            shares -= shares.max(axis=1, keepdims=True)
            np.exp(shares, out=shares)
            shares /= shares.sum(axis=1, keepdims=True)
            taken[:, head] = shares @ values[head]
        return taken.reshape(len(rows), heads * wide)


def _join(parts: Sequence[_Dense]) -> _Dense:
    weights, biases = [one.weight for one in parts], [one.bias for one in parts]
    return _Dense(np.concatenate(weights), np.concatenate(biases))


def apply_gelu(values: F32) -> None:
    """Replace each value by its GELU, x * (1 + erf(x / sqrt(2))) / 2, in place."""
    size = np.minimum(np.abs(values), np.float32(_FAR))
    size *= np.float32(math.sqrt(0.5))
    share = size * np.float32(_ERF_SLOPE)
    share += np.float32(1.0)
    np.reciprocal(share, out=share)
    tail = share * np.float32(_ERF[0])
    for factor in _ERF[1:]:
        tail += np.float32(factor)
        tail *= share
    size *= size
    np.negative(size, out=size)
    np.exp(size, out=size)
    tail *= size  # 1 - erf(|x| / sqrt(2))
    tail *= np.float32(0.5)
    np.subtract(np.float32(1.0), tail, out=size)
    values *= np.where(values < 0, tail, size)
