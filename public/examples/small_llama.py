"""
A small Llama that writes
=========================

A language model of Llama's form in plain PyTorch: RMS norm, rotary positions, grouped-query attention over a cache of keys
and values, SwiGLU. Its weights are read from a .safetensors file, its words from a tokenizer.json, and its text comes out
token by token. USE_TRITON decides whether PyTorch or the kernels below compute it; the logits of both are compared.

The model has 67,000 weights and has read one page of text, so it repeats that page. Files of another model of this
form (names as in Hugging Face's files, heads of 16, 32, 64 or 128 numbers) take their place by their names below.

Teaches: a whole model as kernels; one row at a time is a product of matrix and vector, many rows are one of matrices.
Costs: each token reads every weight once; here the launches cost more than that.
"""

import codecs
import json
import re
import time
from pathlib import Path

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from safetensors.torch import load_file
from torch import nn

USE_TRITON = True
WEIGHTS, CONFIG, TOKENIZER = "small_llama.safetensors", "small_llama.json", "small_tokenizer.json"
PROMPT, NEW_TOKENS = "On the fourth day", 64
TEMPERATURE = 0.0  # 0: always the likeliest token
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FOLDER = Path(__file__).parent


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    x = tl.load(x_ptr + row * n + columns, mask=mask, other=0.0)
    w = tl.load(w_ptr + columns, mask=mask)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / n + eps) * w
    tl.store(y_ptr + row * n + columns, y, mask=mask)


@triton.jit
def matvec_kernel(x_ptr, w_ptr, residual_ptr, y_ptr, n_out, n_in, ADD: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):  # fmt: skip
    """y = w x (+ residual): a block of rows of w for each program."""
    rows = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for start in range(0, n_in, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(x_ptr + k, mask=k < n_in, other=0.0)
        inside = (rows[:, None] < n_out) & (k[None, :] < n_in)
        w = tl.load(w_ptr + rows[:, None] * n_in + k[None, :], mask=inside, other=0.0)
        total += tl.sum(w * x[None, :], axis=1)
    if ADD:
        total += tl.load(residual_ptr + rows, mask=rows < n_out)
    tl.store(y_ptr + rows, total, mask=rows < n_out)


@triton.jit
def matmul_kernel(x_ptr, w_ptr, residual_ptr, y_ptr, n_rows, n_out, n_in, ADD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):  # fmt: skip
    """y = x wᵀ (+ residual): a tile of y for each program."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_in, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x_inside = (rows[:, None] < n_rows) & (k[None, :] < n_in)
        w_inside = (k[:, None] < n_in) & (columns[None, :] < n_out)
        x = tl.load(x_ptr + rows[:, None] * n_in + k[None, :], mask=x_inside, other=0.0)
        w = tl.load(w_ptr + columns[None, :] * n_in + k[:, None], mask=w_inside, other=0.0)
        total = tl.dot(x, w, total, input_precision="ieee")
    at = rows[:, None] * n_out + columns[None, :]
    inside = (rows[:, None] < n_rows) & (columns[None, :] < n_out)
    if ADD:
        total += tl.load(residual_ptr + at, mask=inside)
    tl.store(y_ptr + at, total, mask=inside)


@triton.jit
def swiglu_kernel(gate_ptr, up_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(gate_ptr + at, mask=at < n)
    up = tl.load(up_ptr + at, mask=at < n)
    tl.store(y_ptr + at, gate * tl.sigmoid(gate) * up, mask=at < n)


@triton.jit
def rotary_kernel(x_ptr, cos_ptr, sin_ptr, y_ptr, heads, HALF: tl.constexpr):
    """Turns the pairs (i, i + HALF) of one head at one position."""
    row, head = tl.program_id(0), tl.program_id(1)
    pair = tl.arange(0, HALF)
    at = (row * heads + head) * 2 * HALF + pair
    first, second = tl.load(x_ptr + at), tl.load(x_ptr + at + HALF)
    cos, sin = tl.load(cos_ptr + row * HALF + pair), tl.load(sin_ptr + row * HALF + pair)
    tl.store(y_ptr + at, first * cos - second * sin)
    tl.store(y_ptr + at + HALF, second * cos + first * sin)


@triton.jit(do_not_specialize=["start"])
def attention_kernel(q_ptr, k_ptr, v_ptr, y_ptr, start, scale, heads, kv_heads, HEAD: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    """One head of one row; the row stands at position `start + row` and sees itself and all before it."""
    row, head = tl.program_id(0), tl.program_id(1)
    d = tl.arange(0, HEAD)
    q = tl.load(q_ptr + (row * heads + head) * HEAD + d) * scale
    length = start + row + 1
    kv_head = head // (heads // kv_heads)
    largest, total = float("-inf"), 0.0
    y = tl.zeros((HEAD,), dtype=tl.float32)
    for first in range(0, length, BLOCK):
        keys = first + tl.arange(0, BLOCK)
        at = (keys[:, None] * kv_heads + kv_head) * HEAD + d[None, :]
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


@triton.jit
def sample_kernel(logits_ptr, noise_ptr, token_ptr, n, temperature, BLOCK: tl.constexpr):
    """The likeliest token; above temperature 0 with Gumbel noise, which draws by the probabilities."""
    largest, token = float("-inf"), 0
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        scores = tl.load(logits_ptr + at, mask=at < n, other=float("-inf"))
        if temperature > 0:
            noise = tl.load(noise_ptr + at, mask=at < n, other=0.5)
            scores = scores / temperature - tl.log(-tl.log(noise))
        score, index = tl.max(scores, axis=0, return_indices=True)
        if score > largest:
            largest, token = score, start + index
    tl.store(token_ptr, token)


class Kernels:
    """The model's operations as Triton kernels, for one sequence: x is [rows, numbers]."""

    @staticmethod
    def rms_norm(x, weight, eps):
        y = torch.empty_like(x)
        n = x.shape[-1]
        rms_norm_kernel[(len(x),)](x, weight, y, n, eps, BLOCK=triton.next_power_of_2(n))
        return y

    @staticmethod
    def linear(x, weight, residual=None, out=None):
        (rows, n_in), n_out = x.shape, len(weight)
        y = torch.empty(rows, n_out, device=x.device) if out is None else out
        add = residual is not None
        other = residual if add else x
        if rows == 1:
            grid = (triton.cdiv(n_out, 32),)
            matvec_kernel[grid](x, weight, other, y, n_out, n_in, ADD=add, BLOCK_N=32, BLOCK_K=64)
        else:
            grid = (triton.cdiv(rows, 16), triton.cdiv(n_out, 32))
            matmul_kernel[grid](
                x, weight, other, y, rows, n_out, n_in, ADD=add, BLOCK_M=16, BLOCK_N=32, BLOCK_K=16
            )
        return y

    @staticmethod
    def swiglu(gate, up):
        y = torch.empty_like(gate)
        swiglu_kernel[(triton.cdiv(y.numel(), 256),)](gate, up, y, y.numel(), BLOCK=256)
        return y

    @staticmethod
    def rotary(x, cos, sin, out=None):
        rows, heads, size = x.shape
        y = torch.empty_like(x) if out is None else out
        rotary_kernel[(rows, heads)](x, cos, sin, y, heads, HALF=size // 2)
        return y

    @staticmethod
    def attention(q, k, v, start):
        rows, heads, size = q.shape
        y = torch.empty_like(q)
        attention_kernel[(rows, heads)](
            q, k, v, y, start, size**-0.5, heads, k.shape[1], HEAD=size, BLOCK=32
        )
        return y

    @staticmethod
    def sample(logits, noise, temperature):
        token = torch.empty(1, dtype=torch.int32, device=logits.device)
        sample_kernel[(1,)](logits, noise, token, logits.numel(), float(temperature), BLOCK=512)
        return token


class Eager:
    """The same in PyTorch; dimensions before the rows are sequences."""

    @staticmethod
    def rms_norm(x, weight, eps):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight

    @staticmethod
    def linear(x, weight, residual=None, out=None):
        y = F.linear(x, weight)
        y = y if residual is None else y + residual
        return y if out is None else out.copy_(y)

    @staticmethod
    def swiglu(gate, up):
        return F.silu(gate) * up

    @staticmethod
    def rotary(x, cos, sin, out=None):
        first, second = x.chunk(2, dim=-1)
        cos, sin = cos.unsqueeze(-2), sin.unsqueeze(-2)
        y = torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
        return y if out is None else out.copy_(y)

    @staticmethod
    def attention(q, k, v, start):
        # PyTorch's causal mask begins at the first key: right for rows from 0 on.
        assert start == 0 or q.shape[-3] == 1
        q, k, v = (each.transpose(-3, -2) for each in (q, k, v))
        shared = q.shape[-3] // k.shape[-3]
        k, v = k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=q.shape[-2] > 1)
        return y.transpose(-3, -2)

    @staticmethod
    def sample(logits, noise, temperature):
        if temperature > 0:
            logits = logits / temperature - torch.log(-torch.log(noise))
        return logits.reshape(-1).argmax().reshape(1)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        dim, self.heads, self.kv_heads = (
            config[name] for name in ("hidden_size", "num_attention_heads", "num_key_value_heads")
        )
        self.size = dim // self.heads
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, self.kv_heads * self.size, bias=False)
        self.v_proj = nn.Linear(dim, self.kv_heads * self.size, bias=False)
        self.o_proj = nn.Linear(dim, dim, bias=False)

    def forward(self, ops, x, residual, cos, sin, cache, start):
        rows = x.shape[-2]
        split = (*x.shape[:-1], -1, self.size)
        keys, values = (None, None) if cache is None else cache[:, start : start + rows]
        q = ops.rotary(ops.linear(x, self.q_proj.weight).view(split), cos, sin)
        k = ops.rotary(ops.linear(x, self.k_proj.weight).view(split), cos, sin, out=keys)
        flat = None if values is None else values.view(rows, -1)
        v = ops.linear(x, self.v_proj.weight, out=flat).view(split)
        if cache is not None:
            k, v = cache[:, : start + rows]
        y = ops.attention(q, k, v, start)
        return ops.linear(y.reshape(x.shape), self.o_proj.weight, residual)


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        dim, hidden = config["hidden_size"], config["intermediate_size"]
        self.gate_proj = nn.Linear(dim, hidden, bias=False)
        self.up_proj = nn.Linear(dim, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, dim, bias=False)

    def forward(self, ops, x, residual):
        gate, up = ops.linear(x, self.gate_proj.weight), ops.linear(x, self.up_proj.weight)
        return ops.linear(ops.swiglu(gate, up), self.down_proj.weight, residual)


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.eps = config["rms_norm_eps"]
        self.input_layernorm = nn.RMSNorm(config["hidden_size"])
        self.self_attn = Attention(config)
        self.post_attention_layernorm = nn.RMSNorm(config["hidden_size"])
        self.mlp = MLP(config)

    def forward(self, ops, x, *places):
        y = ops.rms_norm(x, self.input_layernorm.weight, self.eps)
        x = self.self_attn(ops, y, x, *places)
        y = ops.rms_norm(x, self.post_attention_layernorm.weight, self.eps)
        return self.mlp(ops, y, x)


class Llama(nn.Module):
    """Parameters have the names of Hugging Face's files."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        dim, layers = config["hidden_size"], config["num_hidden_layers"]
        self.model = nn.ModuleDict()
        self.model["embed_tokens"] = nn.Embedding(config["vocab_size"], dim)
        self.model["layers"] = nn.ModuleList(Layer(config) for _ in range(layers))
        self.model["norm"] = nn.RMSNorm(dim)
        if not config["tie_word_embeddings"]:
            self.lm_head = nn.Linear(dim, config["vocab_size"], bias=False)
        size = dim // config["num_attention_heads"]
        turns = config["rope_theta"] ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
        angles = torch.outer(
            torch.arange(config["max_position_embeddings"], dtype=torch.float64), turns
        )
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)

    def new_cache(self):
        """Keys and values of every layer: [layers, 2, positions, heads, numbers]."""
        config = self.config
        size = config["hidden_size"] // config["num_attention_heads"]
        shape = (config["max_position_embeddings"], config["num_key_value_heads"], size)
        return torch.zeros(config["num_hidden_layers"], 2, *shape, device=self.cos.device)

    def forward(self, ops, tokens, cache=None, start=0):
        """Logits of the tokens, which stand at `start` and after; the cache has those before."""
        rows = tokens.shape[-1]
        x = self.model["embed_tokens"](tokens)
        cos, sin = self.cos[start : start + rows], self.sin[start : start + rows]
        for i, layer in enumerate(self.model["layers"]):
            x = layer(ops, x, cos, sin, None if cache is None else cache[i], start)
        x = ops.rms_norm(x, self.model["norm"].weight, self.config["rms_norm_eps"])
        tied = self.config["tie_word_embeddings"]
        return ops.linear(x, self.model["embed_tokens"].weight if tied else self.lm_head.weight)


def byte_characters():
    """The character of each byte in a tokenizer's file: one that can be seen."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + i) for i, byte in enumerate(unseen)}


class Tokenizer:
    """Byte-level BPE, as GPT-2's, of a tokenizer.json."""

    PIECES = re.compile(
        r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
    )

    def __init__(self, path):
        model = json.loads(Path(path).read_text(encoding="utf-8"))["model"]
        if model["type"] != "BPE":
            raise ValueError(f"{path} is a tokenizer of type {model['type']}; this reads BPE")
        merges = (each.split(" ") if isinstance(each, str) else each for each in model["merges"])
        self.ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
        self.ids = model["vocab"]
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


def write(ops, model, tokenizer, prompt, count, temperature=0.0):
    """Prints the prompt and what follows, token by token. @returns all tokens, and tokens a second."""
    tokens = tokenizer.encode(prompt)
    cache = model.new_cache()
    text = codecs.getincrementaldecoder("utf-8")("replace")
    print(prompt, end="", flush=True)
    rows, start, began = tokens, 0, None
    for _ in range(count):
        logits = model(ops, torch.tensor(rows, device=DEVICE), cache, start)
        noise = torch.rand(logits.shape[-1], device=DEVICE) if temperature > 0 else logits[-1]
        token = int(ops.sample(logits[-1:], noise, temperature).item())
        # The first step computes the whole prompt, and compiles.
        began = began or time.perf_counter()
        start += len(rows)
        rows = [token]
        tokens.append(token)
        print(text.decode(tokenizer.bytes_of(token)), end="", flush=True)
    print()
    return tokens, (count - 1) / (time.perf_counter() - began)


def load():
    config = json.loads((FOLDER / CONFIG).read_text())
    model = Llama(config)
    weights = load_file(FOLDER / WEIGHTS)
    model.load_state_dict({name: weight.float() for name, weight in weights.items()})
    return model.to(DEVICE).requires_grad_(False), Tokenizer(FOLDER / TOKENIZER)


def main():
    model, tokenizer = load()
    ops = Kernels if USE_TRITON else Eager
    with torch.no_grad():
        tokens, speed = write(ops, model, tokenizer, PROMPT, NEW_TOKENS, TEMPERATURE)
        print(f"{speed:.1f} tokens/s with {ops.__name__}")

        # All tokens at once, through both.
        all_tokens = torch.tensor(tokens, device=DEVICE)
        logits, expected = model(Kernels, all_tokens), model(Eager, all_tokens)
        print("logits agree:", torch.allclose(logits, expected, atol=5e-5, rtol=0))

        # The likeliest token, and one that is drawn with the same noise.
        noise = torch.rand(expected.shape[-1], device=DEVICE)
        for temperature in (0.0, 0.7):
            drawn, likely = (each.sample(expected[-1:], noise, temperature) for each in (Kernels, Eager))
            torch.testing.assert_close(drawn.long(), likely)

        cache = model.new_cache()
        model(Kernels, all_tokens[:-1], cache)
        last = all_tokens[-1:]
        for each in (Kernels, Eager):
            step = model(each, last, cache, len(tokens) - 1)
            print(f"one more token, {each.__name__}:", torch.allclose(step, expected[-1:], atol=5e-5, rtol=0))  # fmt: skip
        if DEVICE == "cuda":
            for each in (Kernels, Eager):
                ms = triton.testing.do_bench(lambda: model(each, last, cache, len(tokens) - 1))
                print(f"{each.__name__}: {ms:.4g} ms a token")


if __name__ == "__main__":
    main()
