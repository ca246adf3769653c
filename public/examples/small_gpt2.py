"""
A small GPT-2 that learns, then writes
======================================

A language model of GPT-2's form in plain PyTorch: layer norm, learned positions, attention over a cache of keys and
values, GELU. It begins with random weights and learns the text below, step by step, by PyTorch's gradients; the loss
falls as it does. Then the Triton kernels below write, token by token, and their logits are compared with PyTorch's.

Weights of another model of this form take the place of the training: set WEIGHTS to the name of a .safetensors file with
GPT-2's names (of GPT-2 itself, say), and TOKENIZER to its tokenizer.json, or to its ("vocab.json", "merges.txt"). Sizes
come from the weights.

Teaches: a training step and a decoder of one model; GPT-2's layers as kernels, with the epilogue in the product.
Costs: a training step computes every product three times; a token reads every weight once.
"""

import codecs
import json
import re
import time
from pathlib import Path
from types import SimpleNamespace

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from safetensors.torch import load_file
from torch import nn

WEIGHTS, TOKENIZER = None, "small_tokenizer.json"
PROMPT, NEW_TOKENS = "The kernel", 32
STEPS, BATCH, CONTEXT, RATE = 60, 4, 32, 1e-2
SMALL = {"n_embd": 48, "n_layer": 2, "n_head": 3, "n_positions": 64, "vocab_size": 384}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FOLDER = Path(__file__).parent
TEXT = """The kernel adds two rows of numbers. Each program takes a block of the row, and a mask says where the row ends.
The kernel reads each number once. Each program adds its block, and writes the sums where the mask says that there are numbers.
"""


@triton.jit
def layer_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    x = tl.load(x_ptr + row * n + columns, mask=mask, other=0.0)
    centred = tl.where(mask, x - tl.sum(x, axis=0) / n, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / n + eps)
    w, b = tl.load(w_ptr + columns, mask=mask), tl.load(b_ptr + columns, mask=mask)
    tl.store(y_ptr + row * n + columns, centred * scale * w + b, mask=mask)


@triton.jit
def linear_kernel(x_ptr, w_ptr, b_ptr, residual_ptr, y_ptr, n_rows, n_out, n_in, GELU: tl.constexpr, ADD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):  # fmt: skip
    """y = gelu(x w + b), or x w + b + residual: a tile of y for each program. w is [n_in, n_out], as in GPT-2's files."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, n_in, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        x_inside = (rows[:, None] < n_rows) & (k[None, :] < n_in)
        w_inside = (k[:, None] < n_in) & (columns[None, :] < n_out)
        x = tl.load(x_ptr + rows[:, None] * n_in + k[None, :], mask=x_inside, other=0.0)
        w = tl.load(w_ptr + k[:, None] * n_out + columns[None, :], mask=w_inside, other=0.0)
        total = tl.dot(x, w, total, input_precision="ieee")
    total += tl.load(b_ptr + columns, mask=columns < n_out)[None, :]
    if GELU:
        # 0.5 (1 + tanh z) is sigmoid 2z.
        total *= tl.sigmoid(1.5957691216057308 * (total + 0.044715 * total * total * total))
    at = rows[:, None] * n_out + columns[None, :]
    inside = (rows[:, None] < n_rows) & (columns[None, :] < n_out)
    if ADD:
        total += tl.load(residual_ptr + at, mask=inside)
    tl.store(y_ptr + at, total, mask=inside)


@triton.jit(do_not_specialize=["start"])
def attention_kernel(q_ptr, k_ptr, v_ptr, y_ptr, start, scale, heads, HEAD: tl.constexpr, BLOCK: tl.constexpr):
    """One head of one row; the row stands at position `start + row` and sees itself and all before it."""
    row, head = tl.program_id(0), tl.program_id(1)
    d = tl.arange(0, HEAD)
    q = tl.load(q_ptr + (row * heads + head) * HEAD + d) * scale
    length = start + row + 1
    largest, total = float("-inf"), 0.0
    y = tl.zeros((HEAD,), dtype=tl.float32)
    for first in range(0, length, BLOCK):
        keys = first + tl.arange(0, BLOCK)
        at = (keys[:, None] * heads + head) * HEAD + d[None, :]
        visible = keys < length
        k = tl.load(k_ptr + at, mask=visible[:, None], other=0.0)
        v = tl.load(v_ptr + at, mask=visible[:, None], other=0.0)
        scores = tl.where(visible, tl.sum(q[None, :] * k, axis=1), float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=0))
        p = tl.exp(scores - larger)
        kept = tl.exp(largest - larger)
        total = total * kept + tl.sum(p, axis=0)
        y = y * kept + tl.sum(p[:, None] * v, axis=0)
        largest = larger
    tl.store(y_ptr + (row * heads + head) * HEAD + d, y / total)


class Kernels:
    """The model's operations as Triton kernels, for one sequence: x is [rows, numbers]."""

    @staticmethod
    def layer_norm(x, norm):
        y = torch.empty_like(x)
        n = x.shape[-1]
        layer_norm_kernel[(len(x),)](x, norm.weight, norm.bias, y, n, norm.eps, BLOCK=triton.next_power_of_2(n))
        return y

    @staticmethod
    def linear(x, layer, residual=None, gelu=False):
        (rows, n_in), n_out = x.shape, layer.weight.shape[1]
        y = torch.empty(rows, n_out, device=x.device)
        add = residual is not None
        grid = (triton.cdiv(rows, 16), triton.cdiv(n_out, 32))
        linear_kernel[grid](
            x, layer.weight, layer.bias, residual if add else x, y, rows, n_out, n_in,
            GELU=gelu, ADD=add, BLOCK_M=16, BLOCK_N=32, BLOCK_K=16,
        )  # fmt: skip
        return y

    @staticmethod
    def attention(q, k, v, start):
        rows, heads, size = q.shape
        y = torch.empty_like(q)
        attention_kernel[(rows, heads)](q, k, v, y, start, size**-0.5, heads, HEAD=size, BLOCK=32)
        return y


class Eager:
    """The same in PyTorch; dimensions before the rows are sequences. Gradients flow through these."""

    @staticmethod
    def layer_norm(x, norm):
        return norm(x)

    @staticmethod
    def linear(x, layer, residual=None, gelu=False):
        y = x @ layer.weight + layer.bias
        y = F.gelu(y, approximate="tanh") if gelu else y
        return y if residual is None else y + residual

    @staticmethod
    def attention(q, k, v, start):
        # PyTorch's causal mask begins at the first key: right for rows from 0 on.
        assert start == 0 or q.shape[-3] == 1
        q, k, v = (each.transpose(-3, -2) for each in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v, is_causal=q.shape[-2] > 1).transpose(-3, -2)


class Conv1D(nn.Module):
    """A linear layer with its weight as GPT-2's files have it: [inputs, outputs]."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(n_in, n_out))
        self.bias = nn.Parameter(torch.zeros(n_out))


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        n = config["n_embd"]
        self.heads = config["n_head"]
        self.c_attn, self.c_proj = Conv1D(n, 3 * n), Conv1D(n, n)

    def forward(self, ops, x, residual, cache, start):
        rows, n = x.shape[-2:]
        split = (*x.shape[:-1], self.heads, n // self.heads)
        q, k, v = (each.reshape(split) for each in ops.linear(x, self.c_attn).chunk(3, dim=-1))
        if cache is not None:
            cache[0, start : start + rows], cache[1, start : start + rows] = k, v
            k, v = cache[:, : start + rows]
        y = ops.attention(q.contiguous(), k.contiguous(), v.contiguous(), start)
        return ops.linear(y.reshape(x.shape), self.c_proj, residual)


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        n = config["n_embd"]
        self.c_fc, self.c_proj = Conv1D(n, 4 * n), Conv1D(4 * n, n)

    def forward(self, ops, x, residual):
        return ops.linear(ops.linear(x, self.c_fc, gelu=True), self.c_proj, residual)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(config["n_embd"]), Attention(config)
        self.ln_2, self.mlp = nn.LayerNorm(config["n_embd"]), MLP(config)

    def forward(self, ops, x, cache, start):
        x = self.attn(ops, ops.layer_norm(x, self.ln_1), x, cache, start)
        return self.mlp(ops, ops.layer_norm(x, self.ln_2), x)


class GPT2(nn.Module):
    """Parameters have the names of GPT-2's files. The words' table is the last layer, too."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        n = config["n_embd"]
        self.wte, self.wpe = nn.Embedding(config["vocab_size"], n), nn.Embedding(config["n_positions"], n)
        self.h = nn.ModuleList(Block(config) for _ in range(config["n_layer"]))
        self.ln_f = nn.LayerNorm(n)
        self.no_bias = torch.zeros(config["vocab_size"], device=DEVICE)

    def new_cache(self):
        """Keys and values of every layer: [layers, 2, positions, heads, numbers]."""
        c = self.config
        return torch.zeros(c["n_layer"], 2, c["n_positions"], c["n_head"], c["n_embd"] // c["n_head"], device=DEVICE)  # fmt: skip

    def forward(self, ops, tokens, cache=None, start=0):
        """Logits of the tokens, which stand at `start` and after; the cache has those before."""
        places = torch.arange(start, start + tokens.shape[-1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(places)
        for i, block in enumerate(self.h):
            x = block(ops, x, None if cache is None else cache[i], start)
        x = ops.layer_norm(x, self.ln_f)
        return ops.linear(x, SimpleNamespace(weight=self.wte.weight.t().contiguous(), bias=self.no_bias))


def byte_characters():
    """The character of each byte in a tokenizer's file: one that can be seen."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + i) for i, byte in enumerate(unseen)}


def read_tokenizer(names):
    """@returns words' numbers and merges, of a tokenizer.json or of a vocab.json and a merges.txt."""
    if not isinstance(names, str):
        vocabulary, merges = ((FOLDER / name).read_text(encoding="utf-8") for name in names)
        lines = [line for line in merges.splitlines() if line and not line.startswith("#version")]
        return json.loads(vocabulary), lines
    model = json.loads((FOLDER / names).read_text(encoding="utf-8")).get("model", {})
    if model.get("type") != "BPE":
        raise ValueError(f"{names} is a tokenizer of type {model.get('type')}; this reads BPE")
    return model["vocab"], model["merges"]


class Tokenizer:
    """Byte-level BPE, as GPT-2's."""

    PIECES = re.compile(
        r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
    )

    def __init__(self, names):
        self.ids, merges = read_tokenizer(names)
        pairs = (each.split(" ") if isinstance(each, str) else each for each in merges)
        self.ranks = {tuple(pair): rank for rank, pair in enumerate(pairs)}
        self.tokens = {number: token for token, number in self.ids.items()}
        self.of_byte = byte_characters()
        self.byte_of = {character: byte for byte, character in self.of_byte.items()}

    def encode(self, text):
        found = []
        for piece in self.PIECES.findall(text):
            parts = [self.of_byte[byte] for byte in piece.encode()]
            while len(parts) > 1:
                pairs = list(zip(parts, parts[1:]))
                best = min(pairs, key=lambda pair: self.ranks.get(pair, float("inf")))
                if best not in self.ranks:
                    break
                i = pairs.index(best)
                parts[i : i + 2] = ["".join(best)]
            found += [self.ids[part] for part in parts]
        return found

    def bytes_of(self, token):
        return bytes(self.byte_of[character] for character in self.tokens[token])


def load(path):
    """A model with the weights of a file; its sizes are theirs. @raises ValueError, RuntimeError, SafetensorError"""
    weights = {name.removeprefix("transformer."): weight.float() for name, weight in load_file(path).items()}
    # Some files keep the causal mask, and the words' table a second time.
    dropped = [name for name in weights if name.endswith((".attn.bias", ".attn.masked_bias")) or name == "lm_head.weight"]
    for name in dropped:
        del weights[name]
    lacking = [name for name in ("wte.weight", "wpe.weight", "h.0.attn.c_attn.weight") if name not in weights]
    if lacking:
        raise ValueError(f"{path} has no {lacking[0]}: it is no model of GPT-2's form (it has {', '.join(sorted(weights)[:3])} …)")
    (words, n), places = weights["wte.weight"].shape, len(weights["wpe.weight"])
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("h."))
    size = 64 if n % 64 == 0 else SMALL["n_embd"] // SMALL["n_head"]
    model = GPT2({"n_embd": n, "n_layer": layers, "n_head": n // size, "n_positions": places, "vocab_size": words})
    model.load_state_dict(weights)
    return model.to(DEVICE)


def train(model, data, steps):
    """Learns the tokens `data` by heart, in rows of CONTEXT. @returns the loss of every step"""
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.05)
    losses = []
    for step in range(steps):
        firsts = [(step * BATCH + i) * 17 % (len(data) - CONTEXT) for i in range(BATCH)]
        batch = torch.stack([data[first : first + CONTEXT + 1] for first in firsts])
        logits = model(Eager, batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 10 == 0 or step == steps - 1:
            print(f"step {step}: loss {losses[-1]:.3f}", flush=True)
    return losses


def beginning(config):
    """A model with random weights, the same each time."""
    torch.manual_seed(0)
    model = GPT2(config)
    for weight in model.parameters():
        if weight.dim() > 1:
            nn.init.normal_(weight, std=0.06)
    return model.to(DEVICE)


def write(ops, model, tokenizer, prompt, count):
    """Prints the prompt and the likeliest tokens after it. @returns all tokens, and tokens a second."""
    tokens = tokenizer.encode(prompt)
    cache = model.new_cache()
    text = codecs.getincrementaldecoder("utf-8")("replace")
    print(prompt, end="", flush=True)
    rows, start, began = tokens, 0, None
    for _ in range(count):
        logits = model(ops, torch.tensor(rows, device=DEVICE), cache, start)
        token = int(logits[-1].argmax().item())
        # The first step computes the whole prompt, and compiles.
        began = began or time.perf_counter()
        start += len(rows)
        rows = [token]
        tokens.append(token)
        print(text.decode(tokenizer.bytes_of(token)), end="", flush=True)
    print()
    return tokens, (count - 1) / (time.perf_counter() - began)


def compare(model, tokens):
    """All tokens at once, and the last one alone after the others, through both. @returns the cache that this fills"""
    expected = model(Eager, tokens)
    torch.testing.assert_close(model(Kernels, tokens), expected, atol=1e-4, rtol=1e-4)
    cache = model.new_cache()
    model(Kernels, tokens[:-1], cache)
    for each in (Kernels, Eager):
        last = model(each, tokens[-1:], cache, len(tokens) - 1)
        torch.testing.assert_close(last, expected[-1:], atol=1e-4, rtol=1e-4)
    return cache


def main():
    tokenizer = Tokenizer(TOKENIZER)
    text = torch.tensor(tokenizer.encode(TEXT), device=DEVICE)
    model = beginning(SMALL) if WEIGHTS is None else load(FOLDER / WEIGHTS)
    with torch.no_grad():
        compare(model, text[:40])
    if WEIGHTS is None:
        losses = train(model, text, STEPS)
        print("learns:", losses[-1] < losses[0] / 4)
    with torch.no_grad():
        tokens, speed = write(Kernels, model, tokenizer, PROMPT, NEW_TOKENS)
        print(f"{speed:.1f} tokens/s")
        tokens = torch.tensor(tokens, device=DEVICE)
        cache = compare(model, tokens)
        print("logits agree")
        if DEVICE == "cuda":
            measure(model, cache, tokens)


def measure(model, cache, tokens):
    """Prints the time of each kernel for one token, of the whole token, and the memory of the GPU."""
    x = model.wte(tokens[-1:])
    block, heads = model.h[0], model.config["n_head"]
    q = x.view(1, heads, -1)
    wide = Kernels.linear(x, block.mlp.c_fc)
    parts = {
        "layer norm": lambda: Kernels.layer_norm(x, block.ln_1),
        "queries, keys, values": lambda: Kernels.linear(x, block.attn.c_attn),
        "attention": lambda: Kernels.attention(q, cache[0, 0], cache[0, 1], len(tokens) - 1),
        "into the MLP, GELU": lambda: Kernels.linear(x, block.mlp.c_fc, gelu=True),
        "out of the MLP, sum": lambda: Kernels.linear(wide, block.mlp.c_proj, x),
        "a token, kernels": lambda: model(Kernels, tokens[-1:], cache, len(tokens) - 1),
        "a token, PyTorch": lambda: model(Eager, tokens[-1:], cache, len(tokens) - 1),
    }
    for name, run in parts.items():
        print(f"{name:>22}: {triton.testing.do_bench(run):.4g} ms")
    weights = sum(each.numel() * each.element_size() for each in model.parameters())
    print(f"memory: {torch.cuda.max_memory_allocated() / 2**20:.2f} MiB at most, {weights / 2**20:.2f} of weights")


if __name__ == "__main__":
    main()
