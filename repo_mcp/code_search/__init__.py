"""Search for code by words: told as declarations, widened and summed up on request."""
