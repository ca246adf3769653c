"""`helion.language`: printed code imports it for its annotations alone."""

from .._absent import absent

__getattr__ = absent("helion.language")
