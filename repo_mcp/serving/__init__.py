"""The service: the options of the server, the tools of the chosen toolsets, and the roots that are served."""
