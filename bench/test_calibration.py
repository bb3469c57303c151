"""The loop that all other times are divided by, as a row of its own."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

from bench.calibration import NUMBERS, calibrate


def test_calibration(benchmark: BenchmarkFixture) -> None:
    assert benchmark(calibrate) > NUMBERS // 4
