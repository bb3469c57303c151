"""Files to segments, a shard at a time."""
