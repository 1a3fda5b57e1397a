"""The benchmark harness: one module per noun, read from `session.py` downwards."""
