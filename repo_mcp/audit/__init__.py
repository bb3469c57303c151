"""The log of tool calls: what is written of each call, who may believe it, and how it is read."""
