"""`tqdm.std`: the same loops."""

from . import tqdm, trange  # noqa: F401
