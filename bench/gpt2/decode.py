"""
Decoding with a model of GPT-2's size: 124 million random weights, one sequence. Triton kernels and PyTorch's eager
operations compute the same step; its time is taken on the GPU's clock, and tokens are counted by the wall clock, each
read back before the next begins, as a program that shows text does. Runs under CUDA unchanged.

`bench/gpt2.ts` puts other sizes in place of those below.
"""

import json
import time

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

LAYERS, WIDTH, HEADS, POSITIONS, WORDS = 12, 768, 12, 1024, 50257
#: Keys that a timed token sees, and tokens that are written behind the first.
CONTEXT, TOKENS = 256, 200
#: Outputs and inputs of a program's tile, and its warps; the fastest is taken for each product.
TILES = [(2, 256, 2), (2, 1024, 4), (4, 256, 4), (4, 1024, 4), (8, 256, 4), (1, 1024, 2)]
#: Keys of a block, and warps.
ATTENTION_TILES = [(64, 4), (128, 8), (256, 8)]
HEAD_TILES = [(16, 256, 4), (8, 256, 4), (32, 128, 4), (4, 1024, 4)]
DEVICE = "cuda"


@triton.jit
def embed_kernel(token_ptr, words_ptr, places_ptr, x_ptr, place_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    place = tl.load(place_ptr)
    token = tl.load(token_ptr).to(tl.int32)
    word = tl.load(words_ptr + token * n + at, mask=at < n)
    tl.store(x_ptr + at, word + tl.load(places_ptr + place * n + at, mask=at < n), mask=at < n)


@triton.jit
def _moments(x_ptr, n, eps, ROW: tl.constexpr):
    at = tl.arange(0, ROW)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    mean = tl.sum(x, 0) / n
    centred = tl.where(at < n, x - mean, 0.0)
    return mean, tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)


@triton.jit
def product_kernel(
    x_ptr, scale_ptr, shift_ptr, w_ptr, b_ptr, residual_ptr, y_ptr, keys_ptr, values_ptr, place_ptr, n_in, n_out, eps,
    NORM: tl.constexpr, GELU: tl.constexpr, ADD: tl.constexpr, SPLIT: tl.constexpr, ROW: tl.constexpr,
    ROWS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    """y = w x + b of one vector, with layer norm in front, and GELU or a sum behind. SPLIT: the outputs are a query, a
    key and a value, and the latter two go to their place in the cache."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    mean, rate = 0.0, 1.0
    if NORM:
        mean, rate = _moments(x_ptr, n_in, eps, ROW)
    sums = tl.zeros((ROWS, DEPTH), tl.float32)
    for first in range(0, n_in, DEPTH):
        k = first + tl.arange(0, DEPTH)
        x = tl.load(x_ptr + k, mask=k < n_in, other=0.0)
        if NORM:
            scale = tl.load(scale_ptr + k, mask=k < n_in, other=0.0)
            x = (x - mean) * rate * scale + tl.load(shift_ptr + k, mask=k < n_in, other=0.0)
        inside = (rows < n_out)[:, None] & (k < n_in)[None, :]
        sums += x[None, :] * tl.load(w_ptr + rows[:, None] * n_in + k[None, :], mask=inside, other=0.0)
    mask = rows < n_out
    y = tl.sum(sums, 1) + tl.load(b_ptr + rows, mask=mask)
    if GELU:
        # 0.5 (1 + tanh z) is sigmoid 2z.
        y *= tl.sigmoid(1.5957691216057308 * (y + 0.044715 * y * y * y))
    if ADD:
        y += tl.load(residual_ptr + rows, mask=mask)
    if SPLIT:
        place = tl.load(place_ptr)
        tl.store(y_ptr + rows, y, mask=rows < n_in)
        key, value = rows - n_in, rows - 2 * n_in
        tl.store(keys_ptr + place * n_in + key, y, mask=(key >= 0) & (value < 0))
        tl.store(values_ptr + place * n_in + value, y, mask=(value >= 0) & mask)
    else:
        tl.store(y_ptr + rows, y, mask=mask)


@triton.jit
def attention_kernel(q_ptr, keys_ptr, values_ptr, y_ptr, place_ptr, scale, n, HEAD: tl.constexpr, BLOCK: tl.constexpr):
    """One head of a token, which sees itself and all before it."""
    place = tl.load(place_ptr)
    d = tl.program_id(0) * HEAD + tl.arange(0, HEAD)
    q = tl.load(q_ptr + d) * scale
    largest, total = float("-inf"), 0.0
    y = tl.zeros((HEAD,), dtype=tl.float32)
    for first in range(0, place + 1, BLOCK):
        rows = first + tl.arange(0, BLOCK)
        seen = rows <= place
        at = rows[:, None] * n + d[None, :]
        k = tl.load(keys_ptr + at, mask=seen[:, None], other=0.0)
        v = tl.load(values_ptr + at, mask=seen[:, None], other=0.0)
        scores = tl.where(seen, tl.sum(q[None, :] * k, axis=1), float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=0))
        p = tl.exp(scores - larger)
        kept = tl.exp(largest - larger)
        total = total * kept + tl.sum(p, axis=0)
        y = y * kept + tl.sum(p[:, None] * v, axis=0)
        largest = larger
    tl.store(y_ptr + d, y / total)


@triton.jit
def logits_kernel(
    x_ptr, scale_ptr, shift_ptr, words_ptr, logits_ptr, best_ptr, which_ptr, n, words, eps, ROW: tl.constexpr,
    COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    """Layer norm, the logits of some words, and the likeliest of these."""
    rows = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    mean, rate = _moments(x_ptr, n, eps, ROW)
    sums = tl.zeros((COLUMNS, DEPTH), tl.float32)
    for first in range(0, n, DEPTH):
        k = first + tl.arange(0, DEPTH)
        scale, shift = tl.load(scale_ptr + k, mask=k < n, other=0.0), tl.load(shift_ptr + k, mask=k < n, other=0.0)
        x = (tl.load(x_ptr + k, mask=k < n, other=0.0) - mean) * rate * scale + shift
        inside = (rows < words)[:, None] & (k < n)[None, :]
        sums += x[None, :] * tl.load(words_ptr + rows[:, None] * n + k[None, :], mask=inside, other=0.0)
    logits = tl.sum(sums, 1)
    tl.store(logits_ptr + rows, logits, mask=rows < words)
    logits = tl.where(rows < words, logits, float("-inf"))
    tl.store(best_ptr + tl.program_id(0), tl.max(logits, 0))
    tl.store(which_ptr + tl.program_id(0), tl.program_id(0) * COLUMNS + tl.argmax(logits, 0))


@triton.jit
def likeliest_kernel(best_ptr, which_ptr, token_ptr, place_ptr, advance, parts, BLOCK: tl.constexpr):
    """The next token, and the place behind it."""
    at = tl.arange(0, BLOCK)
    best = tl.load(best_ptr + at, mask=at < parts, other=float("-inf"))
    tl.store(token_ptr, tl.load(which_ptr + tl.argmax(best, 0)).to(tl.int64))
    tl.store(place_ptr, tl.load(place_ptr) + advance)


def parameters():
    """Random weights; products' are [inputs, outputs], as in GPT-2's files."""
    torch.manual_seed(0)
    new = lambda *shape: torch.empty(*shape, device=DEVICE).normal_(0, 0.02)  # noqa: E731
    norm = lambda: (1 + new(WIDTH), new(WIDTH))  # noqa: E731
    sizes = {"attention": (WIDTH, 3 * WIDTH), "out": (WIDTH, WIDTH), "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
    layers = [
        {"norm1": norm(), "norm2": norm(), **{name: (new(a, b), new(b)) for name, (a, b) in sizes.items()}}
        for _ in range(LAYERS)
    ]
    return {"words": new(WORDS, WIDTH), "places": new(POSITIONS, WIDTH), "layers": layers, "norm": norm()}


def count(tree):
    if isinstance(tree, torch.Tensor):
        return tree.numel()
    return sum(count(each) for each in (tree.values() if isinstance(tree, dict) else tree))


class Kernels:
    """The step as Triton kernels, on tensors that it keeps: its launches are one CUDA graph."""

    def __init__(self, weights, cache):
        self.weights, self.cache = weights, cache
        # As a kernel reads them: the inputs of an output lie in a row.
        self.products = [
            {name: (layer[name][0].t().contiguous(), layer[name][1]) for name in ("attention", "out", "up", "down")}
            for layer in weights["layers"]
        ]
        new = lambda n, dtype=torch.float32: torch.zeros(n, dtype=dtype, device=DEVICE)  # noqa: E731
        self.x, self.q, self.y, self.wide, self.logits = map(new, (WIDTH, WIDTH, WIDTH, 4 * WIDTH, WORDS))
        self.token, self.best, self.which = new(1, torch.int64), new(WORDS), new(WORDS, torch.int32)
        #: Place of the token that is read.
        self.place = new(1, torch.int32)
        self.tiles = dict.fromkeys(("attention", "out", "up", "down"), TILES[0])
        self.tiles |= {"attend": ATTENTION_TILES[0], "logits": HEAD_TILES[0]}
        self.graph = None

    def product(self, name, i, x, y, norm=None, residual=None, cache=None):
        w, b = self.products[i][name]
        scale, shift = (x, x) if norm is None else self.weights["layers"][i][norm]
        keys, values = (y, y) if cache is None else cache
        rows, depth, warps = self.tiles[name]
        n_out, n_in = w.shape
        product_kernel[(triton.cdiv(n_out, rows),)](
            x, scale, shift, w, b, x if residual is None else residual, y, keys, values, self.place, n_in, n_out, 1e-5,
            NORM=norm is not None, GELU=name == "up", ADD=residual is not None, SPLIT=cache is not None,
            ROW=triton.next_power_of_2(n_in), ROWS=rows, DEPTH=depth, num_warps=warps,
        )  # fmt: skip

    def layer(self, i):
        x = self.x
        self.product("attention", i, x, self.q, norm="norm1", cache=self.cache[i])
        self.attend(self.cache[i])
        self.product("out", i, self.y, x, residual=x)
        self.product("up", i, x, self.wide, norm="norm2")
        self.product("down", i, self.wide, x, residual=x)

    def attend(self, cache):
        size = WIDTH // HEADS
        block, warps = self.tiles["attend"]
        attention_kernel[(HEADS,)](
            self.q, *cache, self.y, self.place, size**-0.5, WIDTH, HEAD=size, BLOCK=block, num_warps=warps
        )

    def last(self, advance=0):
        columns, depth, warps = self.tiles["logits"]
        parts = triton.cdiv(WORDS, columns)
        logits_kernel[(parts,)](
            self.x, *self.weights["norm"], self.weights["words"], self.logits, self.best, self.which, WIDTH, WORDS,
            1e-5, ROW=triton.next_power_of_2(WIDTH), COLUMNS=columns, DEPTH=depth, num_warps=warps,
        )  # fmt: skip
        likeliest_kernel[(1,)](
            self.best, self.which, self.token, self.place, advance, parts, BLOCK=triton.next_power_of_2(parts)
        )

    def step(self, advance=0):
        """Reads the token in `token` and writes the next one there, and all logits."""
        embed_kernel[(1,)](
            self.token, self.weights["words"], self.weights["places"], self.x, self.place, WIDTH,
            BLOCK=triton.next_power_of_2(WIDTH),
        )  # fmt: skip
        for i in range(LAYERS):
            self.layer(i)
        self.last(advance)

    def tune(self):
        """Takes the fastest tile of each kernel, and records the step."""
        x = self.x
        runs = {
            "attention": lambda: self.product("attention", 0, x, self.q, norm="norm1", cache=self.cache[0]),
            "attend": lambda: self.attend(self.cache[0]),
            "out": lambda: self.product("out", 0, self.y, x, residual=x),
            "up": lambda: self.product("up", 0, x, self.wide, norm="norm2"),
            "down": lambda: self.product("down", 0, self.wide, x, residual=x),
            "logits": self.last,
        }
        tiles = {"attend": ATTENTION_TILES, "logits": HEAD_TILES}
        self.place.fill_(CONTEXT - 1)
        for name, run in runs.items():
            times = {}
            for tile in tiles.get(name, TILES):
                self.tiles[name] = tile
                times[tile] = triton.testing.do_bench(run, rep=100)
            self.tiles[name] = min(times, key=times.get)
            print(f"{name}: tile {self.tiles[name]}, {times[self.tiles[name]] * 1e3:.1f} µs", flush=True)
        self.step(1)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.step(1)


class Eager:
    """The step in PyTorch, with as few operations as its users know for it."""

    def __init__(self, weights, cache):
        self.weights, self.cache = weights, cache
        self.token = torch.zeros(1, dtype=torch.int64, device=DEVICE)
        self.numbers = torch.arange(POSITIONS, device=DEVICE)

    def step(self, place):
        """@returns the logits. The likeliest of them is not part of it, so what is timed is less than the kernels' step."""
        weights, size = self.weights, WIDTH // HEADS
        x = F.embedding(self.token, weights["words"]) + F.embedding(self.numbers[place : place + 1], weights["places"])
        for layer, (keys, values) in zip(weights["layers"], self.cache):
            w, b = layer["attention"]
            q, k, v = torch.addmm(b, F.layer_norm(x, (WIDTH,), *layer["norm1"]), w).chunk(3, dim=-1)
            keys[place : place + 1], values[place : place + 1] = k, v
            heads = lambda t: t.view(1, -1, HEADS, size).transpose(1, 2)  # noqa: E731
            y = F.scaled_dot_product_attention(heads(q), heads(keys[: place + 1]), heads(values[: place + 1]))
            w, b = layer["out"]
            x = x + torch.addmm(b, y.transpose(1, 2).reshape(1, WIDTH), w)
            w, b = layer["up"]
            wide = F.gelu(torch.addmm(b, F.layer_norm(x, (WIDTH,), *layer["norm2"]), w), approximate="tanh")
            w, b = layer["down"]
            x = x + torch.addmm(b, wide, w)
        return F.linear(F.layer_norm(x, (WIDTH,), *weights["norm"]), weights["words"])


def new_cache():
    return [tuple(torch.zeros(POSITIONS, WIDTH, device=DEVICE) for _ in range(2)) for _ in range(LAYERS)]


def write(kernels, tokens, graph=True):
    """Tokens a second by the wall clock, each read before the next one."""
    kernels.token.zero_()
    kernels.place.zero_()
    found, began = [], 0.0
    for at in range(tokens):
        if at == 1:
            began = time.perf_counter()
        kernels.graph.replay() if graph else kernels.step(1)
        found.append(kernels.token.item())
    return found, (tokens - 1) / (time.perf_counter() - began)


def main():
    start = time.perf_counter()
    weights, cache = parameters(), new_cache()
    kernels, eager = Kernels(weights, cache), Eager(weights, cache)
    result = {"parameters": count(weights), "made": round(time.perf_counter() - start, 1)}
    print(f"{result['parameters']} parameters, made in {result['made']} s", flush=True)
    kernels.tune()
    # The first is not counted: it may compile.
    for name, graph in (("tokensPerSecond", True), ("tokensPerSecondOfLaunches", False), ("tokensPerSecond", True)):
        tokens, result[name] = write(kernels, TOKENS, graph)
    print(f"kernels, by the wall clock: {result['tokensPerSecond']:.1f} tokens/s as one CUDA graph,")
    print(f"{result['tokensPerSecondOfLaunches']:.1f} tokens/s launch by launch", flush=True)

    # Keys and values in the cache are the kernels'; logits of the last step are compared.
    place = TOKENS - 1
    eager.token.fill_(tokens[-2])
    logits = eager.step(place)
    torch.testing.assert_close(kernels.logits, logits[0], atol=1e-3, rtol=1e-3)
    result["difference"] = (kernels.logits - logits[0]).abs().max().item()
    result["agrees"] = logits[0].argmax().item() == tokens[-1]
    print(f"logits agree within {result['difference']:.1e}; the same token: {result['agrees']}", flush=True)

    kernels.place.fill_(max(CONTEXT - 51, 0))
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(50):
        kernels.graph.replay()
    torch.cuda.synchronize()
    result["replay"] = (time.perf_counter() - began) * 20
    print(f"50 tokens that nobody reads, by the wall clock: {result['replay']:.2f} ms each", flush=True)

    place = CONTEXT - 1
    kernels.place.fill_(place)
    result["kernels"] = triton.testing.do_bench(kernels.step, rep=200)
    # Hippocamp lists operations without a kernel, which keep a function on the CPU.
    lacking = getattr(triton.testing, "_lacking", [])
    lacking.clear()
    result["eager"] = triton.testing.do_bench(lambda: eager.step(place), rep=200)
    result["lacking"] = list(lacking)
    result["ratio"] = result["eager"] / result["kernels"]
    for name in ("kernels", "eager"):
        ms = result[name]
        print(f"{name}, a token behind {CONTEXT - 1}: {ms:.3f} ms, {1e3 / ms:.1f} tokens/s at most")
    if lacking:
        print(f"eager operations were timed on the CPU: {', '.join(lacking)} have no kernel here")
    else:
        print(f"eager ÷ kernels, on the GPU's clock: {result['ratio']:.2f}")
    print(f"memory: {torch.cuda.max_memory_allocated() / 2**20:.0f} MiB at most")
    print(json.dumps(result))


main()
