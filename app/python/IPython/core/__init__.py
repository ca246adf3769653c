"""`IPython.core`: what programs import of it."""
