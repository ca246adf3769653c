"""`einops`: `rearrange`, `repeat` and `reduce` of torch tensors, and `einsum` with named axes.

A pattern's left side names the axes, with parentheses around those that lie merged in one dimension;
its right side says where they go. `...` stands for the axes that are not named.
"""

import math


class EinopsError(RuntimeError):
    pass


def _parse(side, rest):
    """[[axis, …], …], one list for each dimension; `rest` are the axes that `...` stands for."""
    dimensions, group = [], None
    for token in side.replace("(", " ( ").replace(")", " ) ").replace("...", " ... ").split():
        if token == "(":
            if group is not None:
                raise EinopsError("brackets inside of brackets")
            group = []
        elif token == ")":
            if group is None:
                raise EinopsError("brackets are not balanced")
            dimensions.append(group)
            group = None
        elif token == "...":
            if group is None:
                dimensions.extend([name] for name in rest)
            else:
                group.extend(rest)
        elif group is None:
            dimensions.append([] if token == "1" else [token])
        elif token != "1":
            group.append(token)
    if group is not None:
        raise EinopsError("brackets are not balanced")
    return dimensions


def _sides(pattern, rank):
    left, arrow, right = pattern.partition("->")
    if not arrow:
        raise EinopsError(f"a pattern has an arrow: {pattern!r}")
    named = len(_parse(left.replace("...", ""), ()))
    rest = [f"...{i}" for i in range(rank - named)] if "..." in left else []
    source = _parse(left, rest)
    if len(source) != rank:
        raise EinopsError(
            f"Wrong shape: expected {len(source)} dims. Received {rank}-dim tensor. Pattern: {pattern!r}"
        )
    return source, _parse(right, rest)


def _sizes(source, shape, known, pattern):
    sizes = dict(known)
    for group, size in zip(source, shape):
        unknown = [a for a in group if a not in sizes]
        product = math.prod(sizes[a] for a in group if a in sizes)
        if len(unknown) > 1:
            raise EinopsError(f"Could not infer sizes for {set(unknown)}. Pattern: {pattern!r}")
        if unknown:
            if product == 0 or size % product:
                raise EinopsError(
                    f"Shape mismatch, can't divide axis of length {size} in chunks of {product}. Pattern: {pattern!r}"
                )
            sizes[unknown[0]] = size // product
        elif product != size:
            raise EinopsError(f"Shape mismatch, {size} != {product}. Pattern: {pattern!r}")
    return sizes


def _flat(groups):
    return [axis for group in groups for axis in group]


def _merged(t, target, sizes):
    return t.reshape([math.prod(sizes[a] for a in group) for group in target])


def _stacked(tensor):
    if isinstance(tensor, (list, tuple)):
        import torch

        return torch.stack(list(tensor))
    return tensor


def rearrange(tensor, pattern, **axes_lengths):
    tensor = _stacked(tensor)
    source, target = _sides(pattern, tensor.dim())
    before, after = _flat(source), _flat(target)
    if sorted(before) != sorted(after):
        raise EinopsError(
            f"Identifiers only on one side of expression (should be on both): {set(before) ^ set(after)}. Pattern: {pattern!r}"
        )
    sizes = _sizes(source, tensor.shape, axes_lengths, pattern)
    apart = tensor.reshape([sizes[a] for a in before])
    return _merged(apart.permute([before.index(a) for a in after]), target, sizes)


def repeat(tensor, pattern, **axes_lengths):
    tensor = _stacked(tensor)
    source, target = _sides(pattern, tensor.dim())
    before, after = _flat(source), _flat(target)
    target = [[f"={a}" if a.isdigit() else a for a in group] for group in target]
    after = _flat(target)
    sizes = _sizes(source, tensor.shape, axes_lengths, pattern)
    sizes.update({a: int(a[1:]) for a in after if a.startswith("=")})
    missing = [a for a in after if a not in sizes]
    if missing or set(before) - set(after):
        raise EinopsError(f"Specify sizes for new axes: {set(missing)}. Pattern: {pattern!r}")
    apart = tensor.reshape([sizes[a] for a in before])
    kept = [a for a in after if a in before]
    apart = apart.permute([before.index(a) for a in kept])
    for place, axis in enumerate(after):
        if axis not in before:
            apart = apart.unsqueeze(place)
    return _merged(apart.expand([sizes[a] for a in after]), target, sizes)


def reduce(tensor, pattern, reduction, **axes_lengths):
    tensor = _stacked(tensor)
    source, target = _sides(pattern, tensor.dim())
    before, after = _flat(source), _flat(target)
    sizes = _sizes(source, tensor.shape, axes_lengths, pattern)
    apart = tensor.reshape([sizes[a] for a in before])
    gone = tuple(i for i, a in enumerate(before) if a not in after)
    if gone:
        if callable(reduction):
            apart = reduction(apart, gone)
        elif reduction in ("max", "min"):
            apart = getattr(apart, "a" + reduction)(gone)
        elif reduction == "prod":
            for dim in reversed(gone):
                apart = apart.prod(dim)
        else:
            apart = getattr(apart, reduction)(gone)
    kept = [a for a in before if a in after]
    return _merged(apart.permute([kept.index(a) for a in after]), target, sizes)


def einsum(*tensors_and_pattern):
    """Like `torch.einsum`, with axes of several letters and the pattern last."""
    import torch

    *tensors, pattern = tensors_and_pattern
    left, _, right = pattern.partition("->")
    letters = {}

    def short(side):
        return "".join(
            a if a == "..." else letters.setdefault(a, chr(ord("a") + len(letters))) for a in side.split()
        )

    terms = [short(side) for side in left.split(",")]
    return torch.einsum(",".join(terms) + "->" + short(right), *tensors)


def parse_shape(x, pattern):
    names = pattern.split()
    return {name: size for name, size in zip(names, x.shape) if name != "_"}


def asnumpy(tensor):
    return tensor.detach().cpu().numpy()


def pack(*args, **kwargs):
    raise NotImplementedError("einops.pack is not available in Hippocamp; torch.cat is the nearest thing")


unpack = pack


def __getattr__(name):
    raise AttributeError(f"module 'einops' has no attribute '{name}' (not available in Hippocamp)")
