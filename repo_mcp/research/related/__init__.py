"""Put beside the best seeds what belongs to them: callers, parts, members, tables and guessed names."""
