"""The configuration: its keys, who may set them, and their values. The only reader of the environment."""
