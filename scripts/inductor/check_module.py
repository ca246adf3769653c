"""Runs one module that Inductor wrote, on ours, and compares what it returns with what PyTorch returned.

`check(code, case)` takes the module's text and its NAME.json (see `write.py`), and answers a list of what differs.
"""

import base64
import importlib.util
import json
import os
import tempfile

import torch

#: Tolerance by type, relative to an element and to the largest one: sums go in another order, and
#: Inductor keeps halves in f32 where PyTorch rounds each step.
TOLERANCES = {"float32": (2e-4, 2e-5), "float64": (1e-7, 1e-9), "float16": (1e-2, 4e-3), "bfloat16": (4e-2, 3e-2)}


def tensor(described):
    """The tensor that `write.py` described, as it lay in memory, on the GPU."""
    if not isinstance(described, dict):
        return described
    dtype, shape = getattr(torch, described["dtype"]), described["shape"]
    data = base64.b64decode(described["bytes"])
    if not data:
        return torch.empty_strided(shape, described["stride"], dtype=dtype, device="cuda")
    memory = torch.frombuffer(bytearray(data), dtype=dtype).cuda()
    return memory.as_strided(shape, described["stride"])


def loaded(code):
    """The module whose text is `code`; a kernel's source is read from its file."""
    path = os.path.join(tempfile.mkdtemp(), "module.py")
    with open(path, "w") as file:
        file.write(code)
    spec = importlib.util.spec_from_file_location("inductor_module", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def difference(actual, described):
    """What is wrong with `actual`; None where it is what PyTorch made, within rounding."""
    if not isinstance(described, dict):
        same = actual == described or (actual is None) == (described is None)
        return None if same else f"{actual!r} instead of {described!r}"
    if not isinstance(actual, torch.Tensor):
        return f"{type(actual).__name__} instead of a tensor"
    expected = tensor(described).cpu()
    actual = actual.cpu()
    if actual.dtype != expected.dtype or list(actual.shape) != described["shape"]:
        return f"{actual.dtype} {list(actual.shape)} instead of {expected.dtype} {described['shape']}"
    if described.get("random"):
        return None if actual.double().isfinite().all() else "random numbers that are not finite"
    relative, absolute = TOLERANCES.get(described["dtype"], (0, 0))
    if described["dtype"] == "complex64":
        relative, absolute = TOLERANCES["float32"]
    finite = expected.abs().float().nan_to_num(0.0, 0.0, 0.0)
    largest = max(1.0, finite.max().item()) if finite.numel() else 1.0
    close = torch.isclose(actual, expected, rtol=relative, atol=absolute * largest, equal_nan=True)
    if close.all():
        return None
    wrong = (~close).reshape(-1).nonzero()
    first = int(wrong[0])
    return (
        f"{len(wrong)} of {close.numel()} elements differ, first {first}: "
        f"{actual.reshape(-1)[first].item()} instead of {expected.reshape(-1)[first].item()}"
    )


def orders_alike(actual, expected, values):
    """Whether `actual`, like `expected`, are places whose elements make the sorted `values`, along some dimension."""
    for dim, size in enumerate(expected.shape):
        line = [size if each == dim else 1 for each in range(expected.dim())]
        every = torch.arange(size).reshape(line).expand(expected.shape)
        up = values.sort(dim)[0]
        in_order = _same(values, up) or _same(values, up.flip(dim))
        if not in_order or not _same(expected.sort(dim)[0], every) or not _same(actual.sort(dim)[0], every):
            continue
        unsorted = torch.empty_like(values).scatter_(dim, expected, values)
        if _same(unsorted.gather(dim, actual), values):
            return True
    return False


def _same(a, b):
    return bool(torch.isclose(a, b, rtol=0, atol=0, equal_nan=True).all())


def other_order(actual, described, results):
    """Whether a result is the places of a sort, whose sorted values are a result too, and only equals change places."""
    if described["dtype"] != "int64" or list(actual.shape) != described["shape"]:
        return False
    alike = [each for each in results if isinstance(each, dict) and each["shape"] == described["shape"]]
    found = (orders_alike(actual.cpu(), tensor(described).cpu(), tensor(each).cpu()) for each in alike)
    return any(found)


def check(code, case):
    module = loaded(code)
    args = [tensor(each) for each in case["args"]]
    results = module.call(list(args))
    if len(results) != len(case["results"]):
        return [f"{len(results)} results instead of {len(case['results'])}"]
    changed = [(f"argument {i}", args[int(i)], each) for i, each in case["changed"].items()]
    returned = [(f"result {i}", *pair) for i, pair in enumerate(zip(results, case["results"]))]
    # Without `stable`, a sort may leave equals in any order, and PyTorch's devices differ in it.
    free = "sort_with_index(" in code and "stable=False" in code
    found = []
    for name, actual, described in returned + changed:
        if isinstance(described, dict):
            described = {**described, "random": case["random"]}
        wrong = difference(actual, described)
        if wrong is not None and not (free and other_order(actual, described, case["results"])):
            found.append(f"{name}: {wrong}")
    return found


def main():
    import case

    found = check(case.CODE, json.loads(case.CASE))
    for line in found:
        print(line)
    print("DIFFERS" if found else "AGREES")


if __name__ == "__main__":
    main()
