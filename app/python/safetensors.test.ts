/**
 * The package safetensors: what it writes it reads, its bytes are the format's, and a damaged file
 * is refused with the cause, where Python can catch it.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { startPython, type TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 60_000);

const HEAD = `
import json
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load, load_file, load_model, save, save_file

def file_of(header, data=b"", size=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if size is None else size).to_bytes(8, "little") + text + data

def entry(dtype="F32", shape=(2,), offsets=(0, 8), **more):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets), **more}

def refused(data, name="bad.safetensors"):
    with open(name, "wb") as file:
        file.write(data)
    for read in (lambda: load(data), lambda: load_file(name)):
        try:
            read()
            print("accepted")
        except SafetensorError as error:
            print(str(error).removeprefix("Error while deserializing header: "))
`;
function run(source: string): string[] {
  const { output, errors, outcome } = python.run(HEAD + source);
  expect(errors).toBe('');
  expect(outcome).toBe('ok');
  return output.trimEnd().split('\n');
}

it('reads what it wrote: every dtype, scalars, empty tensors, metadata', () => {
  const lines = run(`
tensors = {
    name: torch.arange(6).reshape(2, 3).to(getattr(torch, name))
    for name in "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()
}
tensors |= {"scalar": torch.tensor(2.5), "empty": torch.empty(0, 3), "8": torch.tensor([1.0, -2.0]).to(torch.float8_e4m3fn)}
save_file(tensors, "all.safetensors", metadata={"of": "us"})
found = load_file("all.safetensors")
print(sorted(found) == sorted(tensors))
for name, tensor in tensors.items():
    same = found[name]
    if (same.dtype, same.shape) != (tensor.dtype, tensor.shape) or same.float().tolist() != tensor.float().tolist():
        print("differs:", name)
with safe_open("all.safetensors", framework="pt", device="cpu") as file:
    print(file.metadata(), file.keys() == sorted(tensors), file.get_slice("int32")[1].tolist())
    print(file.get_slice("int32").get_shape(), file.get_slice("int32").get_dtype())
`);
  expect(lines).toEqual(['True', "{'of': 'us'} True [3, 4, 5]", '[2, 3] I32']);
});

it('writes the bytes of the format: wide elements first, the header padded to 8', () => {
  const lines = run(`
data = save({"b": torch.tensor([1, 2], dtype=torch.int8), "a": torch.tensor([1.0]), "c": torch.tensor(7, dtype=torch.int32)})
size = int.from_bytes(data[:8], "little")
print(size % 8, json.loads(data[8 : 8 + size]))
print(data[8 + size :].hex())
`);
  expect(lines).toEqual([
    "0 {'a': {'dtype': 'F32', 'shape': [1], 'data_offsets': [0, 4]}, 'c': {'dtype': 'I32', 'shape': [], 'data_offsets': [4, 8]}, 'b': {'dtype': 'I8', 'shape': [2], 'data_offsets': [8, 10]}}",
    '0000803f070000000102',
  ]);
});

it('has the values of the bytes: PyTorch 2.13’s of the same', () => {
  const lines = run(`
def values(dtype, data, size, **more):
    tensor = load(file_of({"a": entry(dtype, (len(data) // size,), (0, len(data)), **more)}, data))["a"]
    print((tensor.float() if dtype.startswith("F8") else tensor).tolist())
values("BF16", bytes.fromhex("cfac22fc807fc0ff"), 2)
values("F8_E5M2", bytes.fromhex("095066a77cfd"), 1)
values("F8_E4M3", bytes.fromhex("523be6557eff"), 1)
values("I64", bytes.fromhex("a2a6a723e78ff5e8bac2281c4418fb80"), 8)
values("U64", bytes.fromhex("f927ced914b4ea036199023d9aa190d2"), 8)
values("U16", bytes.fromhex("5aa2e073"), 2)
values("U32", bytes.fromhex("0702f5a3c49364cc"), 4, more=1)
values("F64", bytes.fromhex("f86efbcdd92e2042"), 8)
values("BOOL", bytes.fromhex("000100"), 1)
`);
  expect(lines).toEqual([
    '[-5.8832938520936295e-12, -3.3646083643305683e+36, inf, nan]',
    '[0.000152587890625, 32.0, 1536.0, -0.02734375, inf, nan]',
    '[10.0, 1.375, -56.0, 13.0, 448.0, nan]',
    '[-1660262664717752670, -9152695136891125062]',
    '[282235928310589433, 15172804828431817057]',
    '[41562, 29664]',
    '[2750743047, 3429143492]',
    '[34752751357.716736]',
    '[False, True, False]',
  ]);
});

it('keeps any name, metadata of any text, and tensors that lie side by side', () => {
  const lines = run(`
names = ["", "a/b\\"\\\\ü😀\\n", "__metadata", "\u2028"]
metadata = {"ü\\n": "{[\\"[{"}
data = save({name: torch.tensor(i) for i, name in enumerate(names)}, metadata)
print({name: tensor.item() for name, tensor in load(data).items()} == {name: i for i, name in enumerate(names)})
with open("names.safetensors", "wb") as file:
    file.write(data)
print(safe_open("names.safetensors", "pt").metadata() == metadata)
whole = torch.arange(4)
print({name: tensor.tolist() for name, tensor in load(save({"a": whole[:2], "b": whole[2:]})).items()})
`);
  expect(lines).toEqual(['True', 'True', "{'a': [0, 1], 'b': [2, 3]}"]);
});

it('writes no file that it does not read', () => {
  const lines = run(`
def said(call):
    try:
        print(load(call()))
    except Exception as error:
        print(type(error).__name__, error)
whole = torch.arange(4)
said(lambda: save({"a": whole}, metadata={"epoch": 3}))
said(lambda: save({"__metadata__": whole}))
said(lambda: save({1: whole}))
said(lambda: save({"a": whole[:3], "b": whole[2:], "c": torch.arange(2)}))
`);
  expect(lines).toEqual([
    "TypeError metadata 'epoch': 3 is no str by a str",
    'SafetensorError `__metadata__` is no name of a tensor: files have their metadata there',
    'TypeError 1 is no name of a tensor: a str is expected',
    expect.stringMatching(/^RuntimeError Some tensors share memory.*: \[\['a', 'b'\]\]\.$/),
  ]);
});

describe('refuses', () => {
  it.each([
    ['an empty file', `b""`, /^header too small: 0 bytes/],
    ['a length above the limit', `file_of({}, size=2**40)`, /^header too large/],
    ['a header longer than the file', `file_of({}, size=1000)`, /^invalid header length: 1000/],
    ['another beginning', `file_of(b"[]")`, /^invalid header start/],
    ['no JSON', `file_of(b"{nothing}")`, /^invalid JSON in header/],
    ['bytes that are no text', `file_of(b'{"\\xff": 1}')`, /^invalid UTF-8 in header/],
    ['a deep nest', `file_of(b'{"a":' + b"[" * 200000)`, /^invalid JSON in header/],
    ['a name twice', `file_of(b'{"a": 1, "a": 2}')`, /duplicate key `a`/],
    ['metadata of numbers', `file_of({"__metadata__": {"a": 1}})`, /__metadata__ holds texts/],
    ['an unknown dtype', `file_of({"a": entry("F12")}, bytes(8))`, /unknown dtype 'F12' of `a`/],
    ['a dtype that is a list', `file_of({"a": entry([])}, bytes(8))`, /unknown dtype \[\]/],
    [
      'fewer fields',
      `file_of({"a": {"dtype": "F32", "shape": [2]}}, bytes(8))`,
      /has not all of the fields/,
    ],
    ['a negative size', `file_of({"a": entry(shape=(-2,))}, bytes(8))`, /shape \[-2\] of `a`/],
    ['a size of True', `file_of({"a": entry(shape=(True, 2))}, bytes(8))`, /shape \[True, 2\]/],
    [
      'a shape of another size',
      `file_of({"a": entry(shape=(3,))}, bytes(8))`,
      /F32 \[3\] has 12 bytes, and its place 8/,
    ],
    [
      'offsets in the wrong order',
      `file_of({"a": entry(offsets=(8, 0))}, bytes(8))`,
      /^invalid offset for tensor `a`/,
    ],
    [
      'tensors that overlap',
      `file_of({"a": entry(), "b": entry(offsets=(4, 12))}, bytes(12))`,
      /^invalid offset for tensor `b`: it begins at 4, and the one before ends at 8/,
    ],
    [
      'a gap',
      `file_of({"a": entry(), "b": entry(offsets=(12, 20))}, bytes(20))`,
      /^invalid offset for tensor `b`/,
    ],
    [
      'data that are cut off',
      `file_of({"a": entry()}, bytes(7))`,
      /file not fully covered: the tensors have 8 bytes, and the file 7/,
    ],
    ['bytes of no tensor', `file_of({"a": entry()}, bytes(9))`, /file not fully covered/],
  ])('%s', (_, data, cause) => {
    const lines = run(`refused(${data})`);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(cause);
  });

  it('a file that is not there, a name that is not in it, and a shape that does not fit', () => {
    const lines = run(`
save_file({"weight": torch.zeros(2, 3), "more": torch.zeros(1)}, "model.safetensors")
def said(call):
    try:
        call()
        print("accepted")
    except Exception as error:
        print(type(error).__name__, str(error).replace("\\n", " "))
said(lambda: load_file("none.safetensors"))
with safe_open("model.safetensors", "pt") as file:
    said(lambda: file.get_tensor("bias"))
said(lambda: load_model(torch.nn.Linear(3, 2), "model.safetensors"))
said(lambda: torch.nn.Linear(4, 2, bias=False).load_state_dict({"weight": load_file("model.safetensors")["weight"]}))
said(lambda: save({"a": torch.zeros(2, 3).t()}))
shared = torch.zeros(2)
said(lambda: save({"a": shared, "b": shared}))
`);
    expect(lines[0]).toBe('FileNotFoundError No such file or directory: "none.safetensors"');
    expect(lines[1]).toBe('SafetensorError File does not contain tensor bias');
    expect(lines[2]).toMatch(/^RuntimeError .*bias.*more/);
    expect(lines[3]).toMatch(/^RuntimeError .*size mismatch for weight/);
    expect(lines[4]).toMatch(/^ValueError .*non contiguous tensor: `a`/);
    expect(lines[5]).toMatch(/^RuntimeError Some tensors share memory/);
  });
});
