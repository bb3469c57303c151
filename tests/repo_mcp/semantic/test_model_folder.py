"""A folder is a model, or is refused in a sentence that says why and names no place."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from repo_mcp.config.server_config import Config, load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.repository import Repository
from repo_mcp.semantic import model_folder
from repo_mcp.semantic.model_folder import ModelFolder
from tests.repo_mcp.semantic.slow_encoder import encode_slowly
from tests.repo_mcp.semantic.tiny_model import CONFIG, SHAPE, encode_tensors, make_tensors, write_model

Change = Callable[[Path], object]


def set_config(**changes: object) -> Change:
    def change(folder: Path) -> None:
        (folder / "config.json").write_text(json.dumps(CONFIG | changes))

    return change


def put(name: str, content: str | bytes) -> Change:
    def change(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)

    return change


def drop(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def replace_by_pipe(folder: Path) -> None:
    (folder / "vocab.txt").unlink()
    os.mkfifo(folder / "vocab.txt")


def without(name: str) -> bytes:
    return encode_tensors({key: value for key, value in make_tensors().items() if key != name})


BAD: dict[str, tuple[Change, str]] = {
    "no config": (drop("config.json"), "has no config.json"),
    "no vocabulary": (drop("vocab.txt"), "has no vocab.txt"),
    "no numbers": (drop("model.safetensors"), "has no model.safetensors"),
    "another kind": (set_config(model_type="t5"), "not a BERT encoder"),
    "another activation": (set_config(hidden_act="relu"), "not a BERT encoder"),
    "relative positions": (set_config(position_embedding_type="relative_key"), "absolute positions"),
    "huge": (set_config(hidden_size=100_000), "no usable hidden_size"),
    "a size that is none": (set_config(num_hidden_layers=True), "no usable num_hidden_layers"),
    "a size of zero": (set_config(num_attention_heads=0), "no usable num_attention_heads"),
    "heads that do not fit": (set_config(num_attention_heads=5), "not a multiple"),
    "no epsilon": (set_config(layer_norm_eps=0.0), "layer_norm_eps"),
    "more layers than there are": (set_config(num_hidden_layers=3), "no tensor encoder.layer.2"),
    "other shapes": (set_config(intermediate_size=41), "has the shape"),
    "a list": (put("config.json", "[1]"), "not a JSON object"),
    "no JSON": (put("config.json", "{"), "not a JSON object"),
    "deep JSON": (put("config.json", "[" * 100_000), "not a JSON object"),
    "a pickle": (put("model.safetensors", pickle.dumps({"w": 1})), "cannot be used"),
    "a tensor is missing": (put("model.safetensors", without("embeddings.LayerNorm.bias")), "no tensor"),
    "a cut file": (lambda folder: os.truncate(folder / "model.safetensors", 9_000), "outside the file"),
    "an empty file": (put("model.safetensors", b""), "too short"),
    "no UTF-8": (put("vocab.txt", b"\xff\n"), "not UTF-8"),
    "too many words": (put("vocab.txt", "\n".join(map(str, range(500)))), "more lines in vocab.txt"),
    "no special tokens": (put("vocab.txt", "a\nb\n"), "no token"),
    "a pipe": (replace_by_pipe, "cannot be read"),
    "other words": (put("tokenizer_config.json", '{"strip_accents": false}'), "unsupported tokenizer"),
    "other pooling": (
        put("1_Pooling/config.json", '{"pooling_mode_cls_token": true}'),
        "mean pooling",
    ),
    "no length": (put("sentence_bert_config.json", '{"max_seq_length": 0}'), "max_seq_length"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_folder_that_is_no_model(kind: str, tmp_path: Path) -> None:
    change, why = BAD[kind]
    folder = write_model(tmp_path / "model")
    change(folder)
    for use in (ModelFolder(str(folder)).check, ModelFolder(str(folder)).load):
        with pytest.raises(RepoError) as caught:
            use()
        assert caught.value.code is ErrorCode.CONFIG_INVALID
        assert caught.value.message.startswith("--semantic-model: the folder ")
        assert why in caught.value.message
        assert str(tmp_path) not in caught.value.message + caught.value.hint


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RepoError, match=r"has no model\.safetensors"):
        ModelFolder(str(tmp_path / "none")).check()


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_model(tmp_path)
    monkeypatch.setattr(model_folder, "MAX_MODEL_BYTES", 10_000)
    with pytest.raises(RepoError, match=r"model\.safetensors that cannot be read"):
        ModelFolder(str(folder)).check()


def test_numbers_that_are_none_are_found_when_it_is_loaded(tmp_path: Path) -> None:
    tensors = make_tensors()
    tensors["encoder.layer.1.output.dense.weight"][3, 3] = np.nan
    folder = write_model(tmp_path)
    (folder / "model.safetensors").write_bytes(encode_tensors(tensors))
    with pytest.raises(RepoError, match="not numbers"):
        ModelFolder(str(folder)).load()


def test_a_loaded_model_embeds(tmp_path: Path) -> None:
    model = ModelFolder(str(write_model(tmp_path))).load()
    ids = model.pieces.encode("open the file", model.tokens)
    assert model.encode("open the file") == pytest.approx(encode_slowly(SHAPE, make_tensors(), ids), abs=2e-6)
    assert (model.dimensions, model.tokens) == (SHAPE.dimensions, SHAPE.positions)
    assert model.embed("open " * 500).tolist() == model.embed("open " * 62).tolist()


def test_half_the_precision_will_do(tmp_path: Path) -> None:
    folder = write_model(tmp_path)
    halves = {name: value.astype(np.float16) for name, value in make_tensors().items()}
    (folder / "model.safetensors").write_bytes(encode_tensors(halves))
    whole = {name: value.astype(np.float32) for name, value in halves.items()}
    model = ModelFolder(str(folder)).load()
    ids = model.pieces.encode("a b", 9)
    assert model.encode("a b") == pytest.approx(encode_slowly(SHAPE, whole, ids), abs=2e-6)


def test_the_settings_of_the_folder_count(tmp_path: Path) -> None:
    folder = write_model(tmp_path)
    plain = ModelFolder(str(folder))
    put("sentence_bert_config.json", '{"max_seq_length": 4, "do_lower_case": false}')(folder)
    short = ModelFolder(str(folder))
    assert (plain.load().tokens, short.load().tokens) == (4, 4)
    assert len(short.load().pieces.encode("a b c d e", short.load().tokens)) == 4


def test_the_fingerprint_is_that_of_what_decides_a_vector(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "a")
    first = ModelFolder(str(folder)).fingerprint
    assert ModelFolder(str(write_model(tmp_path / "b"))).fingerprint == first
    assert ModelFolder(str(write_model(tmp_path / "c", seed=8))).fingerprint != first
    put("sentence_bert_config.json", '{"max_seq_length": 4}')(folder)
    assert ModelFolder(str(folder)).fingerprint != first


def test_a_root_is_not_opened_with_a_folder_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    config = Config(str(tmp_path / "root"), data_dir=str(tmp_path / "data"), semantic_model=str(tmp_path))
    with pytest.raises(RepoError, match="--semantic-model"):
        Repository(config)


def test_a_repository_cannot_name_one(tmp_path: Path) -> None:
    model = write_model(tmp_path / "root" / "model")
    (tmp_path / "root" / "repo_mcp.toml").write_text(f"semantic_model = {json.dumps(str(model))}\n")
    repository = Repository(load_config(str(tmp_path / "root"), data_dir=str(tmp_path / "data")))
    assert repository.vectors is None
    assert repository.config.semantic_model is None
    assert any("semantic_model cannot be set by a repository" in one for one in repository.warnings)
    repository.close()
