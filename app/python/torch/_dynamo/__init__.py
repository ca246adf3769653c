"""`torch._dynamo`: nothing is traced."""

from ..compiler import allow_in_graph, disable, is_compiling, reset  # noqa: F401


class config:
    suppress_errors = False
    cache_size_limit = 8


def mark_dynamic(tensor, index, **_):
    pass


maybe_mark_dynamic = mark_unbacked = mark_dynamic


def mark_static(tensor, index=None):
    pass


def graph_break(msg=""):
    pass
