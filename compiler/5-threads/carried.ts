/**
 * How a value's registers are carried around a loop or out of a branch: in vectors of four where
 * all of them are demanded, else each demanded register by itself.
 */
import type { Value } from '../ir/ir';
import type { ThreadValue } from '../ir/thread/ir';
import type { Lowering } from './context';
import type { Demanded } from './demandedElements';
import { PAIR } from './registers';

export class Carried {
  readonly #demanded: ReadonlyMap<Value, Demanded>;

  /**
   * `values`: the arguments or results that receive the registers. Their demand, and that of
   * `others`, one for each, decides which are carried.
   */
  constructor(
    private readonly t: Lowering,
    private readonly values: readonly Value[],
    others: readonly Value[] = [],
  ) {
    this.#demanded = new Map(
      values.map((value, i) => [
        value,
        union(demandedOf(t, value), demandedOf(t, others[i] ?? value)),
      ]),
    );
  }

  /** The registers for each value, as they are carried. */
  pack(registers: readonly (readonly ThreadValue[])[]): ThreadValue[] {
    return this.values.flatMap((value, i) => this.#packOne(value, registers[i]!));
  }
  #packOne(value: Value, registers: readonly ThreadValue[]): ThreadValue[] {
    const { t } = this;
    const demanded = this.#demanded.get(value)!;
    if (demanded !== 'all') return registers.filter((_, r) => demanded.has(r));
    if (!isPacked(t, value)) return [...registers];
    return Array.from({ length: registers.length / 4 }, (_, i) =>
      t.b.vector(registers.slice(4 * i, 4 * i + 4)),
    );
  }

  /** The registers of each value, of carried values. */
  unpack(carried: readonly ThreadValue[]): ThreadValue[][] {
    let at = 0;
    return this.values.map((value) => {
      const { t } = this;
      const count = t.count(value);
      const demanded = this.#demanded.get(value)!;
      const take = (): ThreadValue => carried[at++]!;
      if (demanded === 'all') {
        if (!isPacked(t, value)) return Array.from({ length: count }, take);
        return Array.from({ length: count / 4 }, () => t.b.components(take())).flat();
      }
      const none = t.notDemanded(t.registerTypeOf(value));
      return Array.from({ length: count }, (_, r) => (demanded.has(r) ? take() : none));
    });
  }

  /** A name for each carried value. */
  hints(): string[] {
    return this.values.flatMap((value) => {
      const { t } = this;
      const demanded = this.#demanded.get(value)!;
      const count =
        demanded === 'all' ? t.count(value) / (isPacked(t, value) ? 4 : 1) : demanded.size;
      return new Array<string>(count).fill(t.hint(value));
    });
  }
}

function demandedOf(t: Lowering, value: Value): Demanded {
  return value.type.kind === 'fragments' ? 'all' : t.demanded(value);
}
function union(a: Demanded, b: Demanded): Demanded {
  return a === 'all' || b === 'all' ? 'all' : new Set([...a, ...b].sort((x, y) => x - y));
}
function isPacked(t: Lowering, value: Value): boolean {
  if (value.type.kind === 'fragments') return false;
  return t.count(value) % 4 === 0 && t.registerTypeOf(value) !== PAIR;
}
