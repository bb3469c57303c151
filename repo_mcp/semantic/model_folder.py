"""The folder of an embedding model: its files, checked before use.

    config.json               a BERT encoder: its sizes
    model.safetensors         its numbers
    vocab.txt                 its word pieces, one per line
    tokenizer_config.json     whether it lower-cases text; may be missing
    sentence_bert_config.json how many tokens of a text it reads; may be missing
    1_Pooling/config.json     that it takes the mean over the tokens; may be missing

The folder is the operator's, named on the command line; a repository cannot name one. Its files hold numbers
and words, never code. A file larger than any such model is refused before it is read.

Left out on purpose: models in parts, other formats (pickled ones above all), other ways of pooling.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import BinaryIO, TypeVar

import numpy as np
import numpy.typing as npt

from index_format import compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import dataclass
from repo_mcp.semantic.encoder import Encoder, ModelShape, iter_tensors
from repo_mcp.semantic.safetensors_file import F32, LENGTH, MAX_HEADER_BYTES, NotSafetensors, Tensors
from repo_mcp.semantic.word_pieces import WordPieces

T = TypeVar("T")
I8 = npt.NDArray[np.int8]
OPTION = "--semantic-model"
MAX_MODEL_BYTES = 256 * 1024 * 1024  # each process that makes vectors holds the model
MAX_VOCABULARY_BYTES = 8 * 1024 * 1024
MAX_SETTINGS_BYTES = 256 * 1024
PIECE_BYTES = 4 * 1024 * 1024  # bytes read at a time while hashing a file
MOST = 127  # numbers of a vector are between -MOST and MOST
DEFAULT_TOKENS = 256  # tokens read of a text, unless the model says otherwise
# Upper limits. With 1,024 dimensions products of two vectors stay below 2**24, where float32 is exact.
_BOUNDS = {
    "hidden_size": 1_024,
    "intermediate_size": 8_192,
    "num_attention_heads": 64,
    "num_hidden_layers": 48,
    "vocab_size": 300_000,
    "max_position_embeddings": 16_384,
    "type_vocab_size": 16,
}
_MODEL, _VOCABULARY, _SETTINGS = "model.safetensors", "vocab.txt", "config.json"
_WORDS, _READING, _POOLING = "tokenizer_config.json", "sentence_bert_config.json", "1_Pooling/config.json"


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A loaded model, which turns texts into vectors of small integers. Safe for several threads."""

    encoder: Encoder
    pieces: WordPieces
    tokens: int  # maximum read from a text

    @property
    def dimensions(self) -> int:
        """Return the number of dimensions of a vector."""
        return self.encoder.shape.dimensions

    def encode(self, text: str) -> F32:
        """Return the float32 vector of a text, of length 1, from its first tokens."""
        return self.encoder.encode(self.pieces.encode(text, self.tokens))

    def embed(self, text: str) -> I8:
        """Return the vector of a text as int8, scaled so that its largest absolute value is 127."""
        return round_vector(self.encode(text))


def round_vector(vector: F32) -> I8:
    """Return a vector's direction in int8; the cosine of two is then accurate to about a thousandth."""
    largest = float(np.abs(vector).max(initial=0.0))
    if not largest:
        return np.zeros(len(vector), dtype=np.int8)
    return np.rint(vector.astype(np.float64) * (MOST / largest)).astype(np.int8)


class ModelFolder:
    """The folder of one model. The constructor reads nothing."""

    def __init__(self, path: str) -> None:
        self._path = path

    def check(self) -> None:
        """Raise RepoError with CONFIG_INVALID unless a model can be loaded; its numbers are not looked at."""
        head = self._read(_MODEL, MAX_MODEL_BYTES, LENGTH.size)
        size = LENGTH.unpack(head)[0] if len(head) == LENGTH.size else 0
        head = self._read(_MODEL, MAX_MODEL_BYTES, LENGTH.size + min(size, MAX_HEADER_BYTES))
        shape = self._shape
        self._build(lambda: _check_tensors(Tensors(head, self._measure(_MODEL)), shape))
        self._load_pieces(shape)
        self._count_tokens(shape)

    def load(self) -> EmbeddingModel:
        """Load the model. Raises RepoError with CONFIG_INVALID."""
        shape = self._shape
        data = self._read(_MODEL, MAX_MODEL_BYTES)
        encoder = self._build(lambda: Encoder(shape, Tensors(data).read))
        return EmbeddingModel(encoder, self._load_pieces(shape), self._count_tokens(shape))

    @cached_property
    def fingerprint(self) -> str:
        """Return a hex digest of all that decides a vector; reads the whole model. Raises CONFIG_INVALID."""
        prints = [
            compute_fingerprint(piece)
            for name, most in ((_MODEL, MAX_MODEL_BYTES), (_VOCABULARY, MAX_VOCABULARY_BYTES))
            for piece in self._iter_pieces(name, most)
        ]
        settings = [self._read_settings(name) for name in (_SETTINGS, _WORDS, _READING)]
        return compute_fingerprint(repr((prints, settings)).encode()).hex()

    @property
    def dimensions(self) -> int:
        """Return the number of dimensions of a vector. Raises RepoError with CONFIG_INVALID."""
        return self._shape.dimensions

    @cached_property
    def _shape(self) -> ModelShape:
        given = self._read_settings(_SETTINGS)
        if given.get("model_type") != "bert" or given.get("hidden_act") != "gelu":
            raise _refuse("is not a BERT encoder: config.json must have model_type bert and hidden_act gelu")
        if given.get("position_embedding_type", "absolute") != "absolute":
            raise _refuse("is not a BERT encoder with absolute positions")
        sizes = {name: given.get(name) for name in _BOUNDS}
        for name, value in sizes.items():
            if type(value) is not int or not 1 <= value <= _BOUNDS[name]:
                raise _refuse(f"has no usable {name} in config.json: 1 to {_BOUNDS[name]:,} is")
        size, inner, heads, layers, tokens, positions, kinds = (
            value for value in sizes.values() if isinstance(value, int)
        )
        epsilon = given.get("layer_norm_eps", 1e-12)
        if type(epsilon) is not float or not 0.0 < epsilon < 1.0 or not math.isfinite(epsilon):
            raise _refuse("has no usable layer_norm_eps in config.json")
        if size % heads:
            raise _refuse("has a hidden_size that is not a multiple of num_attention_heads")
        return ModelShape(size, inner, heads, layers, tokens, positions, kinds, epsilon)

    def _load_pieces(self, shape: ModelShape) -> WordPieces:
        given = self._read_settings(_WORDS)
        lower = given.get("do_lower_case", True)
        if (
            type(lower) is not bool
            or given.get("strip_accents") not in (None, lower)
            or not given.get("tokenize_chinese_chars", True)
        ):
            raise _refuse("has an unsupported tokenizer (tokenizer_config.json)")
        try:
            words = self._read(_VOCABULARY, MAX_VOCABULARY_BYTES).decode().split("\n")
        except UnicodeDecodeError:
            raise _refuse("has a vocab.txt that is not UTF-8") from None
        vocabulary = [word.removesuffix("\r") for word in words]
        if not vocabulary[-1]:
            vocabulary.pop()
        if len(vocabulary) > shape.tokens:
            raise _refuse("has more lines in vocab.txt than vocab_size says")
        return self._build(lambda: WordPieces(vocabulary, lower_case=lower))

    def _count_tokens(self, shape: ModelShape) -> int:
        pooling = self._read_settings(_POOLING)
        if pooling and not pooling.get("pooling_mode_mean_tokens"):
            raise _refuse("does not use mean pooling (1_Pooling/config.json)")
        most = self._read_settings(_READING).get("max_seq_length", DEFAULT_TOKENS)
        if type(most) is not int or most < 2:
            raise _refuse("has no usable max_seq_length in sentence_bert_config.json")
        return max(2, min(most, shape.positions))

    def _build(self, build: Callable[[], T]) -> T:
        try:
            return build()
        except NotSafetensors as error:
            raise _refuse(f"has a {_MODEL} that cannot be used: {error}") from error
        except ValueError as error:
            raise _refuse(f"has a {_VOCABULARY} that cannot be used: {error}") from error

    # Files

    def _read_settings(self, name: str) -> Mapping[str, object]:
        """Read a JSON table; an optional file that is missing gives an empty one."""
        try:
            found = json.loads(self._read(name, MAX_SETTINGS_BYTES))
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise _refuse(f"has a {name} that is not a JSON object")
        return found

    def _measure(self, name: str) -> int:
        return os.stat(os.path.join(self._path, name)).st_size

    def _read(self, name: str, most: int, size: int | None = None) -> bytes:
        """Return the first `size` bytes, or all. Raises FileNotFoundError for a missing optional file."""
        return next(self._iter_pieces(name, most, size or most))

    def _iter_pieces(self, name: str, most: int, size: int = PIECE_BYTES) -> Iterator[bytes]:
        """Yield a file in one or more pieces of at most `size` bytes. Raises as `_read` does."""
        try:
            with _open_regular(os.path.join(self._path, name), most) as file:
                yield file.read(size)
                while piece := file.read(size):
                    yield piece
        except FileNotFoundError:
            if name in (_MODEL, _VOCABULARY, _SETTINGS):
                raise _refuse(f"has no {name}") from None
            raise
        except OSError:
            raise _refuse(f"has a {name} that cannot be read") from None


def _check_tensors(tensors: Tensors, shape: ModelShape) -> None:
    for name, sizes in iter_tensors(shape):
        tensors.check(name, *sizes)


@contextmanager
def _open_regular(path: str, most: int) -> Iterator[BinaryIO]:
    """Open a file for reading. Raises OSError if it is not a regular file, or larger than `most` bytes."""
    flags = (
        os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    with open(os.open(path, flags), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > most:
            raise OSError
        yield file


def _refuse(what: str) -> RepoError:
    return RepoError(
        ErrorCode.CONFIG_INVALID,
        f"{OPTION}: the folder {what}.",
        "Give the folder of a sentence-transformers model like all-MiniLM-L6-v2, with config.json, vocab.txt"
        " and model.safetensors.",
        {"option": OPTION},
    )
