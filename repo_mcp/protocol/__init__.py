"""MCP as it travels: frames over stdio and HTTP, the session, plain requests, tasks, and what a tool is.

Left out on purpose: what any tool does. Tools are records here (`tool_model`); `toolsets/` makes them.
"""
