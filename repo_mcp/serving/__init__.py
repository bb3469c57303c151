"""The service: the options of the server, the tools of the chosen toolsets, and the roots it is told of."""
