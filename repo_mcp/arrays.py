"""The types of arrays that more than one module takes or returns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]
