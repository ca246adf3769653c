"""Trains the small language models of the gallery on `text.txt`, and records what they write.

    python scripts/models/train.py            # tokenizer, weights, testdata/golden.json
    python scripts/models/train.py --golden   # testdata/golden.json alone, of the weights that are there

Runs under real PyTorch on the CPU (a minute or two), with Triton beside it for the import. The model's class is the
gallery program's own, so what is trained is what runs. Weights are rounded to float16 before anything is recorded.
"""

import argparse
import importlib.util
import json
import re
import sys
from collections import Counter
from pathlib import Path

import torch
import torch.nn.functional as F

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
EXAMPLES = ROOT / "public" / "examples"

VOCABULARY, CONTEXT = 384, 128
STEPS, BATCH, RATE = 1200, 8, 4e-3
LLAMA = {
    "hidden_size": 48,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "num_key_value_heads": 1,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": CONTEXT,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "tie_word_embeddings": True,
}


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def train_tokenizer(text, pieces, of_byte):
    """Byte-level BPE: the pair that stands together most often becomes a token, again and again."""
    words = Counter(tuple(of_byte[byte] for byte in piece.encode()) for piece in pieces.findall(text))
    tokens, merges = [of_byte[byte] for byte in range(256)], []
    while len(tokens) < VOCABULARY:
        pairs = Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        best = max(sorted(pairs), key=pairs.__getitem__)
        merges.append(" ".join(best))
        tokens.append("".join(best))
        joined = Counter()
        for word, count in words.items():
            parts, i = [], 0
            while i < len(word):
                both = word[i : i + 2] == best
                parts.append("".join(best) if both else word[i])
                i += 2 if both else 1
            joined[tuple(parts)] += count
        words = joined
    vocabulary = {token: number for number, token in enumerate(tokens)}
    return {"version": "1.0", "model": {"type": "BPE", "vocab": vocabulary, "merges": merges}}


def train(program, model, tokens):
    torch.manual_seed(0)
    for name, weight in model.named_parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.04)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.05)
    data = torch.tensor(tokens)
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, step / 50) * max(0.02, 1 - step / STEPS)
        starts = torch.randint(len(data) - CONTEXT, (BATCH,)).tolist()
        batch = torch.stack([data[start : start + CONTEXT + 1] for start in starts])
        logits = model(program.Eager, batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0 or step == STEPS - 1:
            print(f"step {step}: loss {loss.item():.4f}", flush=True)


def golden(program):
    """Greedy tokens, and the logits of the last one, by PyTorch."""
    torch.manual_seed(0)
    model, tokenizer = program.load()
    with torch.no_grad():
        tokens, _ = program.write(program.Eager, model, tokenizer, program.PROMPT, program.NEW_TOKENS)
        logits = model(program.Eager, torch.tensor(tokens))[-1]
        margins = model(program.Eager, torch.tensor(tokens)).topk(2).values.diff().abs()
    print(f"least margin between the first and the second token: {margins.min().item():.4f}")
    text = b"".join(map(tokenizer.bytes_of, tokens)).decode(errors="replace")
    return {"torch": torch.__version__, "tokens": tokens, "text": text, "logits": logits.tolist()}


def golden_gpt2(program):
    """The losses of its training, and its greedy tokens, by PyTorch."""
    tokenizer = program.Tokenizer(program.TOKENIZER)
    model = program.beginning(program.SMALL)
    losses = program.train(model, torch.tensor(tokenizer.encode(program.TEXT)), program.STEPS)
    with torch.no_grad():
        tokens, _ = program.write(program.Eager, model, tokenizer, program.PROMPT, program.NEW_TOKENS)
        margins = model(program.Eager, torch.tensor(tokens)).topk(2).values.diff().abs()
    print(f"least margin between the first and the second token: {margins.min().item():.4f}")
    text = b"".join(map(tokenizer.bytes_of, tokens)).decode(errors="replace")
    return {"torch": torch.__version__, "losses": losses, "tokens": tokens, "text": text}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--golden", action="store_true")
    only_golden = arguments.parse_args().golden
    torch.set_num_threads(2)
    # The repository's own reader and writer, where the package is not installed.
    package = ROOT / "app" / "python" / "safetensors"
    module("safetensors", package / "__init__.py").__path__ = [str(package)]
    module("safetensors.torch", package / "torch.py")
    program = module("small_llama", EXAMPLES / "small_llama.py")
    if not only_golden:
        text = re.sub(r"\n\n+", "\n", (HERE / "text.txt").read_text(encoding="utf-8"))
        tokenizer = train_tokenizer(text, program.Tokenizer.PIECES, program.byte_characters())
        (EXAMPLES / program.TOKENIZER).write_text(json.dumps(tokenizer, ensure_ascii=False) + "\n", encoding="utf-8")
        tokens = program.Tokenizer(EXAMPLES / program.TOKENIZER).encode(text)
        print(f"{len(text)} characters, {len(tokens)} tokens")
        (EXAMPLES / program.CONFIG).write_text(json.dumps(LLAMA, indent=2) + "\n")
        model = program.Llama(LLAMA)
        print(f"{sum(each.numel() for each in model.parameters())} weights")
        train(program, model, tokens)
        weights = {name: weight.half() for name, weight in model.state_dict().items()}
        sys.modules["safetensors.torch"].save_file(weights, EXAMPLES / program.WEIGHTS)
    learns = module("small_gpt2", EXAMPLES / "small_gpt2.py")
    recorded = {"small_llama": golden(program), "small_gpt2": golden_gpt2(learns)}
    (HERE / "testdata" / "golden.json").write_text(json.dumps(recorded, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
