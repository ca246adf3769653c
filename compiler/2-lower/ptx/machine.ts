/**
 * The registers of an inline assembly while it is translated: each holds a tile (or a scalar), and
 * is read as whatever type an instruction says, with the bits that it has.
 */
import { apply } from '../calls';
import type { Context } from '../context';
import {
  BF16,
  FP16,
  FP32,
  FP64,
  INT1,
  INT32,
  INT64,
  INT8,
  UINT32,
  UINT64,
  bits,
  isFloating,
  isInt,
  isSigned,
  num,
  type NumberDtype,
} from '../dtypes';
import { where } from '../semantics/arithmetic';
import { bitcast, cast, constant } from '../semantics/convert';
import { isTensor, type Tensor } from '../values';
import { PtxError, PtxMistake, type Instruction, type Operand } from './parse';

const INT16 = num('int16');
const UINT8 = num('uint8');
const UINT16 = num('uint16');

/** The scalar types of PTX; its untyped bits are unsigned integers here. */
export const PTX_TYPES: Readonly<Record<string, NumberDtype>> = {
  pred: INT1,
  b8: UINT8,
  u8: UINT8,
  s8: INT8,
  b16: UINT16,
  u16: UINT16,
  s16: INT16,
  b32: UINT32,
  u32: UINT32,
  s32: INT32,
  b64: UINT64,
  u64: UINT64,
  s64: INT64,
  f16: FP16,
  bf16: BF16,
  f32: FP32,
  f64: FP64,
};
const UNSIGNED: Readonly<Record<number, NumberDtype>> = {
  1: INT1,
  8: UINT8,
  16: UINT16,
  32: UINT32,
  64: UINT64,
};
export function unsignedOf(width: number): NumberDtype {
  const dtype = UNSIGNED[width];
  if (!dtype) throw new PtxError(`a register of ${width} bits`);
  return dtype;
}

/** The bits of `x` as `dtype`: cut off, or filled up with zeros. */
export function reinterpret(cx: Context, x: Tensor, dtype: NumberDtype): Tensor {
  if (x.dtype === dtype) return x;
  if (dtype === INT1 || x.dtype === INT1) {
    if (isInt(dtype) && isInt(x.dtype)) return cast(cx, x, dtype);
    throw new PtxMistake('a predicate is no number');
  }
  const [from, to] = [bits(x.dtype), bits(dtype)];
  if (from === to) return bitcast(cx, x, dtype);
  const plain = bitcast(cx, x, unsignedOf(from));
  return bitcast(cx, cast(cx, plain, unsignedOf(to)), dtype);
}

interface Register {
  readonly width: number;
  value?: Tensor;
}

export class Machine {
  readonly #scopes: Map<string, Register>[] = [new Map()];

  constructor(
    readonly cx: Context,
    readonly shape: readonly number[],
  ) {}

  open(): void {
    this.#scopes.push(new Map());
  }
  close(): void {
    if (this.#scopes.length === 1) throw new PtxMistake('a } without {');
    this.#scopes.pop();
  }
  declare(name: string, width: number, value?: Tensor): void {
    this.#scopes.at(-1)!.set(name, value ? { width, value } : { width });
  }
  #register(name: string): Register {
    for (const scope of [...this.#scopes].reverse()) {
      const found = scope.get(name);
      if (found) return found;
    }
    if (name.startsWith('%')) throw new PtxError(`the special register ${name}`);
    throw new PtxMistake(`the register ${name} is not declared`);
  }
  /** How many bits an operand has; undefined of a number. */
  width(operand: Operand): number | undefined {
    return operand.kind === 'register' ? this.#register(operand.name).width : undefined;
  }

  constant(value: bigint | number, dtype: NumberDtype): Tensor {
    return constant(this.cx, value, dtype, this.shape);
  }
  read(operand: Operand, dtype: NumberDtype): Tensor {
    switch (operand.kind) {
      case 'register': {
        const { value } = this.#register(operand.name);
        if (!value) throw new PtxMistake(`${operand.name} is read before it is written`);
        return reinterpret(this.cx, value, dtype);
      }
      case 'integer':
        if (!isFloating(dtype)) return this.constant(operand.value, dtype);
        // The number gives the bits of a float.
        return reinterpret(this.cx, this.constant(operand.value, unsignedOf(bits(dtype))), dtype);
      case 'float': {
        if (operand.bits !== undefined && operand.width === bits(dtype)) {
          const plain = this.constant(operand.bits, unsignedOf(operand.width));
          return reinterpret(this.cx, plain, dtype);
        }
        if (!isFloating(dtype)) throw new PtxMistake('a float stands where an integer is needed');
        return this.constant(operand.value, dtype);
      }
      case 'vector':
        return this.#pack(operand.items, dtype);
      default:
        throw new PtxError(operand.kind === 'address' ? 'a memory address' : 'a pair as a source');
    }
  }
  /** `{low, …, high}` as one number. */
  #pack(items: readonly Operand[], dtype: NumberDtype): Tensor {
    const whole = unsignedOf(bits(dtype));
    const each = bits(dtype) / items.length;
    let result: Tensor | undefined;
    items.forEach((item, i) => {
      const part = cast(this.cx, this.read(item, unsignedOf(each)), whole);
      const amount = this.constant(BigInt(each * i), whole);
      const moved = i === 0 ? part : this.emit('arith.shli', part, amount);
      result = result ? this.emit('arith.ori', result, moved) : moved;
    });
    if (!result) throw new PtxError('an empty vector');
    return reinterpret(this.cx, result, dtype);
  }
  emit(name: Parameters<Context['builder']['binary']>[0], a: Tensor, b: Tensor): Tensor {
    return { ...a, handle: this.cx.builder.binary(name, a.handle, b.handle) };
  }

  /** Writes a result; under a guard, where the guard holds. */
  write(operand: Operand, value: Tensor, by: Instruction): void {
    if (operand.kind === 'vector') {
      this.#unpack(operand.items, value, by);
      return;
    }
    if (operand.kind === 'pair') throw new PtxError('two destinations');
    if (operand.kind !== 'register') throw new PtxMistake('a destination must be a register');
    if (operand.name === '_') return;
    const register = this.#register(operand.name);
    let result = value;
    // A narrow integer fills a wider register by its sign.
    const narrow = isInt(value.dtype) && value.dtype !== INT1 && bits(value.dtype) < register.width;
    if (narrow) {
      const signed = isSigned(value.dtype);
      const wide = register.width === 64 ? INT64 : register.width === 32 ? INT32 : INT16;
      result = cast(this.cx, value, signed ? wide : unsignedOf(register.width));
    }
    if (register.width === 1 && result.dtype !== INT1)
      throw new PtxMistake('a number is no predicate');
    if (by.guard) {
      const condition = this.guard(by.guard);
      const old =
        register.value && reinterpret(this.cx, register.value, result.dtype as NumberDtype);
      if (old) result = where(this.cx, condition, result, old);
    }
    register.value = result;
  }
  guard(guard: NonNullable<Instruction['guard']>): Tensor {
    const value = this.read({ kind: 'register', name: guard.register }, INT1);
    return guard.negated ? this.not(value) : value;
  }
  not(x: Tensor): Tensor {
    return this.emit('arith.xori', x, this.constant(-1n, x.dtype as NumberDtype));
  }
  #unpack(items: readonly Operand[], value: Tensor, by: Instruction): void {
    const width = bits(value.dtype);
    const each = width / items.length;
    const plain = reinterpret(this.cx, value, unsignedOf(width));
    items.forEach((item, i) => {
      const amount = this.constant(BigInt(each * i), unsignedOf(width));
      const moved = i === 0 ? plain : this.emit('arith.shrui', plain, amount);
      this.write(item, cast(this.cx, moved, unsignedOf(each)), by);
    });
  }
}

/** Two numbers of 16 bits in a register of 32, the lower one first. */
export function halves(m: Machine, x: Tensor, type: NumberDtype): [Tensor, Tensor] {
  const upper = m.emit('arith.shrui', x, m.constant(16n, unsignedOf(32)));
  return [reinterpret(m.cx, x, type), reinterpret(m.cx, upper, type)];
}
export function joined(m: Machine, low: Tensor, high: Tensor): Tensor {
  const [a, b] = [low, high].map((x) => reinterpret(m.cx, x, unsignedOf(32))) as [Tensor, Tensor];
  return m.emit('arith.ori', a, m.emit('arith.shli', b, m.constant(16n, unsignedOf(32))));
}

/** Calls a function of our library. */
export function library(m: Machine, name: string, ...args: Tensor[]): Tensor {
  const result = apply(m.cx, { kind: 'function', id: `lib:${name}` }, args);
  if (!isTensor(result)) throw new Error(`${name} gives no tensor`);
  return result;
}
