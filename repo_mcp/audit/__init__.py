"""The log of tool calls: what it records of each call, how it is authenticated, and how it is read."""
