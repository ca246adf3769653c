import json

# Deeper than WebAssembly's stack, and not caught by Python's own limit.
json.loads("[" * 200_000 + "]" * 200_000)
