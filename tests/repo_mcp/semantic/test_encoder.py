"""The encoder beside the slow one, and what its vectors do not depend on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from repo_mcp.semantic.encoder import Encoder, apply_gelu
from repo_mcp.semantic.model_folder import round_vector
from tests.repo_mcp.semantic.slow_encoder import encode_slowly, gelu
from tests.repo_mcp.semantic.tiny_model import SHAPE, make_tensors

TENSORS = make_tensors()


def make_encoder() -> Encoder:
    return Encoder(SHAPE, lambda name, *_: TENSORS[name])


@pytest.mark.parametrize("length", [1, 2, 7, 33, SHAPE.positions])
def test_as_the_slow_encoder(length: int) -> None:
    ids = np.random.default_rng(length).integers(0, SHAPE.tokens, length).tolist()
    found = make_encoder().encode(ids)
    assert found == pytest.approx(encode_slowly(SHAPE, TENSORS, ids), abs=2e-6)
    assert math.isclose(float(found.astype(float) @ found.astype(float)), 1.0, abs_tol=1e-6)


def test_the_same_tokens_have_the_same_vector_whatever_was_encoded_before() -> None:
    encoder = make_encoder()
    first = encoder.encode([2, 7, 9, 3])
    encoder.encode([2, *range(5, 40), 3])
    assert encoder.encode([2, 7, 9, 3]).tobytes() == first.tobytes()
    assert encoder.encode([2, 9, 7, 3]).tobytes() != first.tobytes()


def test_gelu_is_the_exact_one() -> None:
    values = np.linspace(-8, 8, 4_001, dtype=np.float32)
    wanted = [gelu(x) for x in values.tolist()]
    apply_gelu(values)
    assert values == pytest.approx(wanted, abs=2e-6)


def test_gelu_of_what_is_far_out() -> None:
    values = np.array([-1e4, -50.0, 0.0, 50.0, 1e18], dtype=np.float32)
    apply_gelu(values)
    assert values.tolist() == pytest.approx([0.0, 0.0, 0.0, 50.0, 1e18])


def test_rounding_keeps_the_direction() -> None:
    vector = make_encoder().encode(list(range(2, 30)))
    rounded = round_vector(vector)
    assert rounded.dtype == np.int8
    assert max(abs(rounded.astype(int))) == 127
    cosine = float(rounded @ vector.astype(float)) / float(np.linalg.norm(rounded.astype(float)))
    assert cosine > 0.999


def test_a_vector_of_zeros_stays_one() -> None:
    assert not round_vector(np.zeros(5, dtype=np.float32)).any()
