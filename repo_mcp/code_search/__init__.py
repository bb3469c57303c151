"""Search for code by words: hits are described as declarations; expansion and summary are optional."""
