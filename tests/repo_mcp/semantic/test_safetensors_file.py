"""Files of tensors: what is read of a good one, and what becomes of bad ones."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.semantic.safetensors_file import NotSafetensors, Tensors
from tests.repo_mcp.semantic.tiny_model import encode_tensors

GOOD = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "h": np.ones(4, dtype=np.float16)}


def build(header: object, data: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_tensors_come_as_float32() -> None:
    found = Tensors(encode_tensors(GOOD))
    assert found.read("w", 2, 3).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found.read("h", 4).dtype == np.float32


def test_the_header_alone_is_enough_to_check() -> None:
    whole = encode_tensors(GOOD)
    head = whole[: 8 + struct.unpack_from("<Q", whole)[0]]
    Tensors(head, len(whole)).check("w", 2, 3)
    with pytest.raises(NotSafetensors, match="outside"):
        Tensors(head, len(whole) - 1)


@pytest.mark.parametrize(
    ("name", "shape", "why"),
    [("x", (1,), "no tensor x"), ("w", (3, 2), r"shape \[2, 3\], not \[3, 2\]"), ("n", (1,), "neither")],
)
def test_what_is_not_as_expected(name: str, shape: tuple[int, ...], why: str) -> None:
    data = encode_tensors({**GOOD, "n": np.ones(1, dtype=np.int64)})
    with pytest.raises(NotSafetensors, match=why):
        Tensors(data).read(name, *shape)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number(value: float) -> None:
    with pytest.raises(NotSafetensors, match="not numbers"):
        Tensors(encode_tensors({"w": np.array([value], dtype=np.float32)})).read("w", 1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80\x04K\x01.",
        struct.pack("<Q", 1 << 62) + b"{}",
        struct.pack("<Q", 2) + b"{",
        struct.pack("<Q", 4) + b"\xff\xfe{}",
        build([]),
        build({"w": 1}),
        build({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0]}}, b"1234"),
        build({"w": {"dtype": "F32", "shape": [True], "data_offsets": [0, 4]}}, b"1234"),
        build({"w": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}, b"1234"),
        build({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}}, b"1234"),
        build({str(number): 1 for number in range(5_000)}),
        struct.pack("<Q", 100_000) + b"[" * 100_000,
    ],
)
def test_bytes_that_are_no_such_file(data: bytes) -> None:
    with pytest.raises(NotSafetensors):
        Tensors(data)


def test_a_tensor_without_the_bytes_of_its_shape() -> None:
    data = build({"w": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 4]}}, b"1234")
    with pytest.raises(NotSafetensors, match="does not fit its shape"):
        Tensors(data).read("w", 1 << 40)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(noise: bytes) -> None:
    data = bytearray(encode_tensors(GOOD))
    data[: len(noise)] = noise
    try:
        Tensors(bytes(data)).read("w", 2, 3)
    except NotSafetensors:
        pass
