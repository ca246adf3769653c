/**
 * Register pressure: how many 32-bit registers a thread holds at most, by the live ranges of thread
 * IR. Values that share a variable count once, constants and arguments not at all. Drivers reorder
 * and spill, and keep addresses of their own: an estimate, to compare kernels and tile sizes by.
 */
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from './ir';
import { surveyThreads } from './survey';
import type { Survey } from './survey';
import { wordsOfType } from './types';

/** The most registers alive at once. @param survey of the function as it is. */
export function registerPressure(func: ThreadFunc, survey = surveyThreads(func)): number {
  return new Pressure(func, survey, Number(func.attributes['subgroupSize'] ?? 32)).peak;
}

/** @param visit gets the registers that are alive at each operation. */
export function visitPressure(
  func: ThreadFunc,
  visit: (op: ThreadOp, registers: number) => void,
): void {
  new Pressure(func, surveyThreads(func), Number(func.attributes['subgroupSize'] ?? 32), visit);
}

class Pressure {
  peak = 0;
  #words = 0;
  /** Whether each value is live, by its number. */
  readonly #live: Uint8Array;
  /** Values that became live in the region that is being walked. */
  #added: ThreadValue[] = [];

  constructor(
    func: ThreadFunc,
    private readonly survey: Survey,
    private readonly subgroupSize: number,
    private readonly visit?: (op: ThreadOp, registers: number) => void,
  ) {
    this.#live = new Uint8Array(survey.values);
    this.#block(func.body);
  }

  /** From the block's end to its start; values that are live after it are so already. */
  #block(block: ThreadBlock): void {
    for (let op = block.last; op; op = op.previous) this.#operation(op);
  }
  #operation(op: ThreadOp): void {
    for (const result of op.results) this.#add(result);
    this.peak = Math.max(this.peak, this.#words);
    this.visit?.(op, this.#words);
    for (const result of op.results) this.#remove(result);
    if (op.regions.length > 0) {
      // Values from outside are live until the last iteration.
      this.survey.fromOutside.get(op)?.forEach((value) => this.#add(value));
      this.#regions(op);
    }
    for (const value of op.operands) this.#add(value);
    this.peak = Math.max(this.peak, this.#words);
    this.visit?.(op, this.#words);
  }
  /**
   * Each region begins with what is live after the operation; before it, what any of them needs is.
   */
  #regions(op: ThreadOp): void {
    const around = this.#added;
    const before: ThreadValue[] = [];
    for (let i = op.regions.length - 1; i >= 0; i--) {
      const region = op.regions[i]!;
      this.#added = [];
      this.#block(region);
      for (const arg of region.args) this.#remove(arg);
      for (const value of this.#added) if (this.#remove(value)) before.push(value);
    }
    this.#added = around;
    for (const value of before) this.#add(value);
  }

  #add(given: ThreadValue): void {
    if (this.#live[given.index] !== 0) return;
    const value = wholeOf(given);
    if (this.#live[value.index] !== 0) return;
    const words = this.#wordsOf(value);
    if (words === 0) return;
    this.#live[value.index] = 1;
    this.#added.push(value);
    this.#words += words;
  }
  /** Returns whether it was live. */
  #remove(value: ThreadValue): boolean {
    if (this.#live[value.index] === 0) return false;
    this.#live[value.index] = 0;
    this.#words -= this.#wordsOf(value);
    return true;
  }
  #wordsOf(value: ThreadValue): number {
    if (value.definition?.name === 'thread.constant') return 0;
    return wordsOfType(value.type, this.subgroupSize);
  }
}

/** A component lives as long as its vector. */
function wholeOf(value: ThreadValue): ThreadValue {
  let whole = value;
  while (whole.definition?.name === 'thread.extract') whole = whole.definition.operand(0);
  return whole;
}
