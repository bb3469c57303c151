"""MCP as it travels: frames, the session with its requests and answers, HTTP, tasks, and what a tool is.

Left out on purpose: what any tool does. Tools are records here (`tool_model`); `toolsets/` makes them.
"""
