"""`IPython.core.display`: the older name of `IPython.display`."""

from IPython.display import *  # noqa: F403
