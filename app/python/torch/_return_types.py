"""The named pairs that `max`, `sort` and their like give: `torch.return_types`."""


class _Named(tuple):
    """`torch.return_types`: a named pair."""

    _fields = ()

    def __new__(cls, items):
        return tuple.__new__(cls, items)

    def __repr__(self):
        parts = ",\n".join(f"{f}={v!r}" for f, v in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{parts})"


def _named(name, *fields):
    body = {"_fields": fields, "__slots__": ()}
    for i, field in enumerate(fields):
        body[field] = property(lambda self, i=i: tuple.__getitem__(self, i))
    return type(name, (_Named,), body)


max_type = _named("max", "values", "indices")
min_type = _named("min", "values", "indices")
sort_type = _named("sort", "values", "indices")
topk_type = _named("topk", "values", "indices")
median_type = _named("median", "values", "indices")
cummax_type = _named("cummax", "values", "indices")
cummin_type = _named("cummin", "values", "indices")
kthvalue_type = _named("kthvalue", "values", "indices")
mode_type = _named("mode", "values", "indices")
