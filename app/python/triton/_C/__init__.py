"""Where Triton keeps its native module; here only what programs reach of it."""
