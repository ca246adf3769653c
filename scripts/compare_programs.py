"""Compares what a Triton program computes here with what it computes with real Triton on CUDA.

    python scripts/compare_programs.py wrap PROGRAM.py > wrapped.py
    npx hippocamp run wrapped.py > here.txt          # here
    python wrapped.py > there.txt                    # PyTorch and Triton on an NVIDIA GPU
    TRITON_INTERPRET=1 python wrapped.py > there.txt # or Triton's interpreter, without a GPU
    python scripts/compare_programs.py diff here.txt there.txt

`wrap` puts two things around the program's text, which stays as it is. Before it: random numbers that
are the same everywhere, an integer hash instead of each library's own generator. After it: a digest of
every tensor that the program left in its globals, in dicts and lists too (`result_gold`, mostly).
`diff` compares digests with a tolerance by dtype and exits with 1 where they differ.
"""

import json
import pathlib
import sys

PREAMBLE = '''\
def _hc_begin():
    import os
    import torch

    state = {"draw": 0}

    def bits(n):
        """n numbers of 24 bits: a hash of their place and of how many draws there were."""
        state["draw"] += 1
        h = torch.arange(n, dtype=torch.int32) + torch.tensor(state["draw"] * 40503 % 2**31, dtype=torch.int32)
        for factor, shift, keep in ((0x2C1B3C6D, 15, 0x1FFFF), (0x297A2D39, 12, 0xFFFFF)):
            h = h * factor
            h = h ^ ((h >> shift) & keep)
        h = h * 0x5BD1E995
        return (h ^ ((h >> 15) & 0x1FFFF)) & 0xFFFFFF

    def uniform(n):
        return bits(n).double() / 2**24

    def normal(n):
        total = bits(n).double() + bits(n).double() + bits(n).double() + bits(n).double()
        return (total / 2**24 - 2.0) * 1.7320508

    def shape_of(args, size=None):
        if size is not None:
            args = size if isinstance(size, (tuple, list)) else (size,)
        elif len(args) == 1 and isinstance(args[0], (tuple, list)):
            args = args[0]
        return tuple(int(a) for a in args)

    def finish(flat, shape, dtype, device, requires_grad):
        out = flat.to(dtype or torch.get_default_dtype()).reshape(shape)
        out = out.to(device) if device is not None else out
        return out.requires_grad_() if requires_grad else out

    def count(shape):
        n = 1
        for s in shape:
            n *= s
        return n

    def factory(draw):
        def make(*args, size=None, dtype=None, device=None, requires_grad=False, **_):
            shape = shape_of(args, size)
            return finish(draw(count(shape)), shape, dtype, device, requires_grad)

        return make

    def like(draw):
        def make(input, *, dtype=None, device=None, requires_grad=False, **_):
            where = input.device if device is None else device
            return finish(draw(input.numel()), input.shape, dtype or input.dtype, where, requires_grad)

        return make

    def randint(low, high=None, size=None, *, dtype=None, device=None, requires_grad=False, **_):
        if isinstance(high, (tuple, list)):
            high, size = None, high
        if high is None:
            low, high = 0, low
        flat = (uniform(count(size)) * (high - low)).floor() + low
        return finish(flat, tuple(size), dtype or torch.int64, device, requires_grad)

    def randint_like(input, low, high=None, *, dtype=None, device=None, **_):
        kind, where = dtype or input.dtype, input.device if device is None else device
        return randint(low, high, tuple(input.shape), dtype=kind, device=where)

    def randperm(n, *, dtype=torch.int64, device=None, **_):
        return finish(uniform(n).sort()[1], (n,), dtype, device, False)

    def in_place(draw):
        def fill(self, a=0.0, b=1.0, **_):
            flat = draw(self.numel(), a, b)
            with torch.no_grad():
                self.copy_(flat.to(self.dtype).reshape(self.shape))
            return self

        return fill

    torch.rand, torch.randn = factory(uniform), factory(normal)
    torch.rand_like, torch.randn_like = like(uniform), like(normal)
    torch.randint, torch.randint_like, torch.randperm = randint, randint_like, randperm
    torch.Tensor.normal_ = in_place(lambda n, mean, std: normal(n) * std + mean)
    torch.Tensor.uniform_ = in_place(lambda n, a, b: uniform(n) * (b - a) + a)

    def manual_seed(seed):
        state["draw"] = int(seed) % 1009 * 97
        return torch.default_generator

    torch.manual_seed = torch.cuda.manual_seed = torch.cuda.manual_seed_all = manual_seed
    if os.environ.get("TRITON_INTERPRET") == "1" and not torch.cuda.is_available():
        _hc_cpu(torch)


def _hc_cpu(torch):
    """Without a GPU, "cuda" is the CPU."""
    import contextlib
    import functools

    def device(d):
        if isinstance(d, torch.device):
            return torch.device("cpu")
        return "cpu" if d == 0 or isinstance(d, str) and d.startswith("cuda") else d

    def moved(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            if "device" in kwargs and kwargs["device"] is not None:
                kwargs["device"] = device(kwargs["device"])
            args = [device(a) if isinstance(a, (str, torch.device)) else a for a in args]
            return function(*args, **kwargs)

        return call

    for name in """empty zeros ones full tensor arange linspace eye empty_like zeros_like ones_like full_like rand
        randn randint rand_like randn_like randperm as_tensor empty_strided""".split():
        setattr(torch, name, moved(getattr(torch, name)))
    for name in "to new_empty new_zeros new_ones new_full new_tensor".split():
        setattr(torch.Tensor, name, moved(getattr(torch.Tensor, name)))
    torch.nn.Module.to = moved(torch.nn.Module.to)
    torch.nn.Module.cuda = lambda self, *a, **k: self
    torch.Tensor.cuda = lambda self, *a, **k: self
    torch.Tensor.is_cuda = property(lambda self: True)
    for name, value in dict(
        is_available=lambda: True, synchronize=lambda *a: None, current_device=lambda: 0, device_count=lambda: 1,
        device=lambda *a, **k: contextlib.nullcontext(), set_device=lambda *a: None, empty_cache=lambda: None,
        get_device_capability=lambda *a: (8, 0),
    ).items():
        setattr(torch.cuda, name, value)


_hc_begin()
del _hc_begin
'''

EPILOGUE = '''

def _hc_end(space):
    import json
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()
    seen = []

    def walk(path, value, depth):
        if isinstance(value, torch.Tensor):
            seen.append((path, value))
        elif isinstance(value, (bool, int, float)):
            if depth:
                seen.append((path, torch.tensor(float(value), dtype=torch.float64)))
        elif depth < 5 and isinstance(value, dict):
            for key, item in value.items():
                walk(f"{path}.{key}", item, depth + 1)
        elif depth < 5 and isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                walk(f"{path}[{i}]", item, depth + 1)
        elif depth < 5 and type(value).__name__ == "ndarray":
            seen.append((path, torch.tensor(value.tolist())))

    for name, value in list(space.items()):
        if not name.startswith("_"):
            walk(name, value, 0)
    for path, t in seen:
        flat = t.detach().cpu().double().reshape(-1)
        n = flat.numel()
        finite = flat[torch.isfinite(flat)]
        places = sorted({(i * 7919 + 13) % n for i in range(12)}) if n else []
        digest = {
            "name": path, "shape": list(t.shape), "dtype": str(t.dtype), "nan": int(torch.isnan(flat).sum()),
            "finite": finite.numel(), "sum": finite.sum().item(), "abs": finite.abs().sum().item(),
            "elements": {str(p): str(flat[p].item()) for p in places},
        }
        print("DIGEST " + json.dumps(digest))


_hc_end(globals())
'''

#: Error of an element against the mean size of all: products on CUDA round their f32 operands to
#: TF32.
TOLERANCE = {"torch.float64": 1e-3, "torch.float32": 5e-3, "torch.float16": 1e-2, "torch.bfloat16": 4e-2}


def wrap(path):
    text = pathlib.Path(path).read_text()
    return PREAMBLE + "\n" + text.replace("from __future__ import annotations\n", "") + EPILOGUE


def digests(path):
    lines = pathlib.Path(path).read_text().splitlines()
    found = [json.loads(line[7:]) for line in lines if line.startswith("DIGEST ")]
    return {d["name"]: d for d in found}


def differences(here, there):
    for name in sorted(here.keys() | there.keys()):
        a, b = here.get(name), there.get(name)
        if a is None or b is None:
            yield f"{name}: only {'there' if a is None else 'here'}"
            continue
        for key in ("shape", "dtype", "nan"):
            if a[key] != b[key]:
                yield f"{name}: {key} {a[key]} here, {b[key]} there"
                break
        else:
            yield from _numbers(name, a, b)


def _numbers(name, a, b):
    tolerance = TOLERANCE.get(a["dtype"], 0)
    if abs(a["sum"] - b["sum"]) > tolerance * max(a["abs"], b["abs"]):
        yield f"{name}: sum {a['sum']:.8g} here, {b['sum']:.8g} there (of absolutes: {a['abs']:.8g})"
        return
    size = b["abs"] / max(1, b["finite"])
    for place, text in a["elements"].items():
        x, y = float(text), float(b["elements"].get(place, "nan"))
        same = x == y or (x != x and y != y)
        if not same and not abs(x - y) <= 4 * tolerance * max(size, abs(y)):
            yield f"{name}: element {place} is {x:.8g} here, {y:.8g} there"
            return


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "wrap":
        sys.stdout.write(wrap(arguments[1]))
        return 0
    if len(arguments) == 3 and arguments[0] == "diff":
        here, there = map(digests, arguments[1:])
        found = list(differences(here, there))
        for line in found:
            print(line)
        print(f"{len(here)} tensors here, {len(there)} there, {len(found)} differ")
        return 1 if found or not here else 0
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
