"""Put the answer into sentences, each with its citation, from what an investigation has noted."""
