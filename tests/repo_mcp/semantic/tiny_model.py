"""Make a model folder: the same files as a real one, with random numbers, of a few kilobytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from repo_mcp.semantic.encoder import ModelShape, iter_tensors

WORDS = (  # noqa: SIM905  (a vocabulary reads better as text)
    "[PAD] [UNK] [CLS] [SEP] [MASK] a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 "
    "##a ##b ##c ##d ##e ##f ##g ##h ##i ##j ##k ##l ##m ##n ##o ##p ##q ##r ##s ##t ##u ##v ##w ##x ##y ##z "
    "the file open ##ing read ##er write token ##iz ##izer cafe . , ( ) : _ - / \" ' ? ! = + * 中 文"
).split()
SHAPE = ModelShape(
    dimensions=24, inner=40, heads=3, layers=2, tokens=len(WORDS), positions=64, kinds=2, epsilon=1e-12
)
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": SHAPE.dimensions,
    "intermediate_size": SHAPE.inner,
    "num_attention_heads": SHAPE.heads,
    "num_hidden_layers": SHAPE.layers,
    "vocab_size": SHAPE.tokens,
    "max_position_embeddings": SHAPE.positions,
    "type_vocab_size": SHAPE.kinds,
    "layer_norm_eps": SHAPE.epsilon,
}


def make_tensors(seed: int = 7) -> dict[str, np.ndarray]:
    """Return random numbers for every tensor, of about the magnitude of trained ones."""
    random = np.random.default_rng(seed)
    return {
        name: (random.standard_normal(sizes) * (1.0 if name.startswith("embeddings") else 0.3)).astype(
            np.float32
        )
        for name, sizes in iter_tensors(SHAPE)
    }


def encode_tensors(tensors: Mapping[str, np.ndarray]) -> bytes:
    """Return a .safetensors file."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, values in tensors.items():
        kind = {"float32": "F32", "float16": "F16", "int64": "I64"}[values.dtype.name]
        span = [len(data), len(data) + values.nbytes]
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": span}
        data += values.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def write_model(folder: Path, seed: int = 7) -> Path:
    """Write a model into a folder, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(encode_tensors(make_tensors(seed)))
    return folder
