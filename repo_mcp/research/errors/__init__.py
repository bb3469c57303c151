"""Read how functions fail: which of them, on which condition, with which errors, and what handles these."""
