"""Keep what is found for one question: records, the state so far, how a place is named and cited."""
