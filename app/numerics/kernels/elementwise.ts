/**
 * Elementwise operations through WebAssembly: a kernel for each operation and its dtypes, compiled
 * when it is first used, on pieces of the operands that fit a core's cache.
 *
 * Guarantee: results are those of `../elementwise` and `../dtypes`; what has no kernel is
 * refused before anything is written, and the caller takes that way.
 */
import { ITEM_SIZE, arrayType, computeArray, rawView } from '../dtypes';
import type { Dtype, Values } from '../dtypes';
import { resultDtype, reference } from '../elementwise';
import { count, gather, isContiguous, rawScalar, rowMajor, scatter } from '../operands';
import type { Operand } from '../operands';
import { OPERATIONS, chosen } from './arithmetic';
import { Body, I32, i32, i32x4, moduleOf, s, v } from './code';
import type { Code } from './code';
import { convertFour, hold, kindOf, loadFour, storeFour, truth, wrapped } from './elements';
import type { Four } from './elements';
import { OUT, PIECE, ROOM, TROUBLE, scratch } from './scratch';

type Run = (n: number) => void;
/** Null: there is no such kernel. */
const kernels = new Map<string, Run | null>();

/** A kernel's operation, its operands' dtypes, the one that it computes in, and the result's. */
interface Form {
  readonly op: 'unary' | 'binary' | 'where' | 'copy';
  readonly name: string;
  readonly compute: Dtype;
  readonly inputs: readonly Dtype[];
  readonly output: Dtype;
}

function kernel(form: Form): Run | null {
  const key = `${form.op} ${form.name} ${form.compute} ${form.inputs.join(' ')} ${form.output}`;
  const known = kernels.get(key);
  if (known !== undefined) return known;
  const made = compile(form);
  kernels.set(key, made);
  return made;
}

function compile(form: Form): Run | null {
  if (![form.compute, form.output, ...form.inputs].every(kindOf)) return null;
  const body = new Body(1);
  const at = body.local(I32);
  const trouble = body.local(I32);
  const address = (dtype: Dtype): Code =>
    s('i32.shl', body.get(at), i32(Math.log2(ITEM_SIZE[dtype])));
  let possible = true;
  body.loop(
    () => {
      const given = form.inputs.map((dtype, i) => loadFour(body, dtype, i * ROOM, address(dtype)));
      const result = computed(body, form, given, trouble);
      if (result) storeFour(body, form.output, OUT, address(form.output), result);
      else possible = false;
      body.set(at, s('i32.add', body.get(at), i32(4)));
    },
    s('i32.lt', body.get(at), body.get(0)),
  );
  if (!possible) return null;
  body.do([...i32(TROUBLE), ...body.get(trouble), 0x36, 2, 0]);
  const f = reference(form.op, form.name) ?? (() => 0);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(moduleOf(body)), {
    m: { m: scratch().memory, f },
  });
  return instance.exports['run'] as Run;
}

/** Result in the kind of the output's dtype; null where the operation has no kernel. */
function computed(body: Body, form: Form, given: readonly Four[], trouble: number): Four | null {
  const { op, name, compute, inputs, output } = form;
  const convert = (i: number, to: Dtype): Four => convertFour(body, inputs[i]!, to, given[i]!);
  if (op === 'copy') return convertFour(body, inputs[0]!, unrounded(output), given[0]!);
  const kind = kindOf(compute)!;
  const context = { body, kind, dtype: compute, trouble };
  let made: Four | null;
  if (op === 'where')
    made = chosen(context, convert(0, 'bool'), convert(1, compute), convert(2, compute));
  else if (name === 'pow') made = OPERATIONS['square']!(context, convert(0, compute), []);
  else
    made =
      OPERATIONS[name]?.(context, convert(0, compute), inputs[1] ? convert(1, compute) : []) ??
      null;
  if (!made) return null;
  made = hold(body, made);
  const result = resultDtype(name, compute);
  if (result === 'bool' && compute === 'bool') {
    // A sum of flags is one; of the complement only the lowest bit is.
    made = name === 'bitwise_not' ? [v('and', made[0]!, i32x4(1))] : truth(body, 'i32', made);
  } else if (kind === 'i32' && result !== output) made = hold(body, [wrapped(result, made[0]!)]);
  return convertFour(body, result, unrounded(output), made);
}

/** Storing rounds to the narrow floats. */
function unrounded(dtype: Dtype): Dtype {
  return dtype === 'float16' || dtype === 'bfloat16' ? 'float32' : dtype;
}

/** Elements of an operand, one after the other, as they are stored. */
function contiguous(operand: Operand, from: Uint8Array | null): Values {
  if (operand.v !== undefined) return rawScalar(operand.d, operand.v);
  if (!from) throw new Error('an operand without bytes');
  const { d, s: sizes = [], t: strides = [], o: offset = 0 } = operand;
  const raw = rawView(d, from);
  const n = count(sizes);
  if (isContiguous(sizes, strides)) return raw.subarray(offset, offset + n);
  if (strides.every((stride, i) => stride === 0 || sizes[i] === 1))
    return raw.subarray(offset, offset + 1);
  const out = new (arrayType(d))(n);
  gather(raw, out, sizes, strides, offset);
  return out;
}

const asBytes = (values: Values): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** Repeats the first element of a piece, by copies of what is there. */
function repeat(memory: Uint8Array, base: number, size: number, length: number): void {
  for (let done = size; done < length; done *= 2)
    memory.copyWithin(base + done, base, base + Math.min(done, length - done));
}

/** Operations that the reference computes otherwise for some scalar. */
function isSquare(operand: Operand | undefined): boolean {
  return operand?.v === '2' || operand?.v === '2.0';
}

/**
 * One operation into `out`, whose bytes are `to`.
 * @returns whether there was a kernel; else nothing was done.
 * @throws ZeroDivisionError of integers.
 */
export function elementwise(
  op: Form['op'],
  name: string,
  compute: Dtype,
  operands: readonly Operand[],
  operandBytes: readonly (Uint8Array | null)[],
  out: Operand,
  to: Uint8Array,
): boolean {
  if (op !== 'copy' && op !== 'where' && (compute === 'float16' || compute === 'bfloat16'))
    return false;
  if (name === 'pow' && !isSquare(operands[1])) return false;
  const used = name === 'pow' ? operands.slice(0, 1) : operands;
  const run = kernel({ op, name, compute, inputs: used.map(({ d }) => d), output: out.d });
  if (!run) return false;
  const sizes = out.s ?? [];
  const strides = out.t ?? [];
  const offset = out.o ?? 0;
  const n = count(sizes);
  const values = used.map((operand, i) => contiguous(operand, operandBytes[i] ?? null));
  const inputs = values.map(asBytes);
  const raw = rawView(out.d, to);
  const dense = isContiguous(sizes, strides);
  const window = dense ? raw.subarray(offset, offset + n) : null;
  // An operand that is read after it was written, because it lies elsewhere in the same memory.
  const apart = window && !inputs.some((each) => overlaps(each, window));
  const target = apart ? window : new (arrayType(out.d))(n);
  inPieces(run, inputs, values, asBytes(target), n, ITEM_SIZE[out.d]);
  if (apart) return true;
  if (window) window.set(target as never);
  else scatter(raw, target, sizes, strides, offset);
  return true;
}

function overlaps(a: Uint8Array, b: Values): boolean {
  const same = a.byteOffset === b.byteOffset && a.byteLength === b.byteLength;
  return (
    a.buffer === b.buffer &&
    !same &&
    a.byteOffset < b.byteOffset + b.byteLength &&
    b.byteOffset < a.byteOffset + a.byteLength
  );
}

function inPieces(
  run: Run,
  inputs: readonly Uint8Array[],
  values: readonly Values[],
  out: Uint8Array,
  n: number,
  size: number,
): void {
  const { bytes: memory } = scratch();
  for (let from = 0; from < n; from += PIECE) {
    const length = Math.min(PIECE, n - from);
    inputs.forEach((each, i) => {
      const width = values[i]!.BYTES_PER_ELEMENT;
      const base = i * ROOM;
      if (values[i]!.length === 1 && n > 1) {
        if (from > 0) return;
        memory.set(each, base);
        repeat(memory, base, width, (length + 3) * width);
        return;
      }
      const start = from * width;
      memory.set(
        from === 0 && length === n ? each : each.subarray(start, start + length * width),
        base,
      );
      // The last vector may be of fewer than four: a divisor of 0 behind the end is none.
      if (length & 3) memory.fill(1, base + length * width, base + (length + 3) * width);
    });
    run(length);
    if (memory[TROUBLE]) throw new Error('ZeroDivisionError');
    const made = memory.subarray(OUT, OUT + length * size);
    out.set(made, from * size);
  }
}

/** Elements of a window in a dtype's compute form, through a kernel; null where there is none. */
export function converted(operand: Operand, from: Uint8Array, dtype: Dtype): Values | null {
  const form = unrounded(dtype);
  if (form !== dtype && operand.d !== dtype) return null;
  const n = count(operand.s ?? []);
  const out = computeArray(dtype, n);
  const to: Operand = { d: form, s: [n], t: [1], o: 0 };
  return elementwise('copy', '', form, [operand], [from], to, asBytes(out)) ? out : null;
}

/**
 * Stores what an operation computed, row by row in `dtype`'s compute form, one value alone
 * everywhere. @returns whether there was a kernel.
 */
export function stored(values: Values, dtype: Dtype, out: Operand, to: Uint8Array): boolean {
  const sizes = out.s ?? [];
  const t = values.length === 1 ? sizes.map(() => 0) : rowMajor(sizes);
  const from: Operand = { d: unrounded(dtype), s: sizes, t, o: 0 };
  return elementwise('copy', '', 'float32', [from], [asBytes(values)], out, to);
}
