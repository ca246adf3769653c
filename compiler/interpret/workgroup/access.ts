/** Steps that load, store and update variables and arrays. */
import { memoryOf } from '../../ir/thread/ir';
import type { ThreadOp, ThreadValue } from '../../ir/thread/ir';
import type { ThreadOpName } from '../../ir/thread/ops';
import type { WorkgroupCompiler } from './compile';
import { scalarFunction } from './components';
import type { Plane, Step } from './lanes';
import type { Memory } from './memory';

/**
 * Kinds of access to a word of memory: the same for all components. Atomic updates may meet in
 * any order; an atomic load or store has to be kept apart from them like any other.
 */
type Touch = 'read' | 'write' | 'atomic';

/** The operations that thread.atomic_rmw does. */
const UPDATES: Readonly<Record<string, ThreadOpName>> = {
  add: 'thread.add',
  and: 'thread.and',
  or: 'thread.or',
  xor: 'thread.xor',
  max: 'thread.max',
  min: 'thread.min',
};

export function accessStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const place = new Place(c, op);
  const values = place.rest.map((value) => c.register(value).planes);
  switch (op.name) {
    case 'thread.load':
    case 'thread.atomic_load':
      return loadStep(c, op, place);
    case 'thread.store':
    case 'thread.atomic_store':
      return storeStep(place, values[0]!);
    case 'thread.load_component': {
      const [out] = c.result(op).planes;
      const [component] = values[0]!;
      return place.each('read', 1, component, (word, i) => {
        out![i] = word < 0 ? 0 : place.memory.get(word);
      });
    }
    case 'thread.store_component': {
      const [component] = values[0]!;
      const [value] = values[1]!;
      return place.each('write', 1, component, (word, i) => {
        if (word >= 0) place.memory.set(word, value![i]!);
      });
    }
    case 'thread.atomic_rmw':
      return updateStep(c, op, place, values[0]![0]!);
    case 'thread.atomic_cas': {
      const [old, done] = op.results.map((result) => c.register(result).planes[0]!);
      const [compare, value] = values.map(([plane]) => plane!);
      return place.each('atomic', 1, undefined, (word, i) => {
        const before = word < 0 ? 0 : place.memory.get(word);
        old![i] = before;
        done![i] = word >= 0 && before === compare![i]! ? 1 : 0;
        if (done![i] === 1) place.memory.set(word, value![i]!);
      });
    }
    default:
      throw new Error(`${op.name} is no access`);
  }
}

function loadStep(c: WorkgroupCompiler, op: ThreadOp, place: Place): Step {
  const { planes } = c.result(op);
  const { memory } = place;
  return place.each('read', planes.length, undefined, (word, i) => {
    for (let p = 0; p < planes.length; p++) planes[p]![i] = word < 0 ? 0 : memory.get(word + p);
  });
}
function storeStep(place: Place, planes: readonly Plane[]): Step {
  const { memory } = place;
  return place.each('write', planes.length, undefined, (word, i) => {
    if (word < 0) return;
    for (let p = 0; p < planes.length; p++) memory.set(word + p, planes[p]![i]!);
  });
}
function updateStep(c: WorkgroupCompiler, op: ThreadOp, place: Place, value: Plane): Step {
  const [out] = c.result(op).planes;
  const { memory } = place;
  const { element } = memory.type;
  const name = UPDATES[String(op.attributes['kind'])];
  const update = name ? scalarFunction(name, [element, element], element)! : undefined;
  return place.each('atomic', 1, undefined, (word, i) => {
    const before = word < 0 ? 0 : memory.get(word);
    out![i] = before;
    if (word >= 0) memory.set(word, update ? update(before, value[i]!, 0) : value[i]!);
  });
}

/** Registers of an operation's memory, indices and further operands. */
class Place {
  readonly memory: Memory;
  readonly rest: readonly ThreadValue[];
  readonly #indices: readonly Plane[];
  readonly #strides: readonly number[];

  constructor(
    private readonly c: WorkgroupCompiler,
    private readonly op: ThreadOp,
  ) {
    const { shape } = memoryOf(op.operand(0));
    this.memory = c.memory(op.operand(0));
    const indices = op.operands.slice(1, 1 + shape.length);
    this.#indices = indices.map((index) => c.register(index).planes[0]!);
    this.#strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
    this.rest = op.operands.slice(1 + shape.length);
  }

  /**
   * Runs `body` for each lane with the first word of its element, or of its component; -1 where
   * that is outside. A load outside of a storage buffer gives 0 and a store does nothing; of other
   * memory it is a fault.
   */
  each(
    touch: Touch,
    words: number,
    component: Plane | undefined,
    body: (word: number, lane: number) => void,
  ): Step {
    const { memory, op, c } = this;
    const { shadow, laneStride, stride, count } = memory;
    const number = shadow?.numberOf(op) ?? 0;
    const at = new Float64Array(c.state.lanes);
    const banks = c.state.countBanks && memory.type.space === 'workgroup';
    return (lanes, n) => {
      for (let k = 0; k < n; k++) {
        const i = lanes[k]!;
        const element = this.#element(i);
        let word = -1;
        if (element < count)
          word = i * laneStride + element * stride + (component ? component[i]! : 0);
        else if (memory.type.space !== 'storage')
          c.state.findings.add(
            'outside',
            op,
            `element ${element} of ${count} of ${memory.name}`,
            memory,
          );
        at[i] = word;
        if (shadow && word >= 0) for (let w = 0; w < words; w++) shadow[touch](word + w, i, number);
        body(word, i);
      }
      if (banks) countConflicts(c, op, lanes, n, at, words);
    };
  }
  #element(lane: number): number {
    const indices = this.#indices;
    if (indices.length === 1) return indices[0]![lane]!;
    const { shape } = this.memory.type;
    let element = 0;
    for (let d = 0; d < indices.length; d++) {
      const index = indices[d]![lane]!;
      if (index >= shape[d]!) return Infinity;
      element += index * this.#strides[d]!;
    }
    return element;
  }
}

const BANKS = 32;
/** Rounds in which a warp's words come out of the banks, beyond those that so many words need. */
function countConflicts(
  { state }: WorkgroupCompiler,
  op: ThreadOp,
  lanes: Int32Array,
  n: number,
  at: Float64Array,
  words: number,
): void {
  let found = state.banks.get(op);
  if (!found) state.banks.set(op, (found = { accesses: 0, conflicts: 0 }));
  for (let k = 0; k < n;) {
    const warp = Math.floor(lanes[k]! / BANKS);
    const seen = new Set<number>();
    const load = new Uint32Array(BANKS);
    for (; k < n && Math.floor(lanes[k]! / BANKS) === warp; k++)
      for (let w = 0; w < words; w++) {
        const word = at[lanes[k]!]! + w;
        if (word < 0 || seen.has(word)) continue;
        seen.add(word);
        load[word % BANKS]!++;
      }
    found.accesses++;
    found.conflicts += Math.max(...load, 0) - Math.ceil(seen.size / BANKS);
  }
}
