/** Loops and branches of the interpreter. Carried values have tiles of their own and are copied. */
import type { Operation } from '../ir/ir';
import type { FuncCompiler, Step } from './compile';
import type { Tile } from '../ir/tile';
import { Tile as NewTile, copyTile, elementAt, setElement } from '../ir/tile';

/** Copies all at once: a target may be the source of a later copy. */
export function parallelCopy(targets: readonly Tile[], sources: readonly Tile[]): Step {
  const pairs = targets.map((to, i) => ({ to, from: sources[i]! })).filter((p) => p.to !== p.from);
  const written = new Set(pairs.map((p) => p.to));
  const first: Step[] = [];
  const then = pairs.map(({ to, from }): Step => {
    if (!written.has(from)) return () => copyTile(to, from);
    const copy = new NewTile(from.dtype, from.count);
    first.push(() => copyTile(copy, from));
    return () => copyTile(to, copy);
  });
  const steps = [...first, ...then];
  return () => {
    for (const step of steps) step();
  };
}

export function compileFor(compiler: FuncCompiler, op: Operation): Step {
  const body = op.region(0);
  const [lower, upper, step] = [0, 1, 2].map((i) => compiler.tile(op.operand(i))) as [
    Tile,
    Tile,
    Tile,
  ];
  const init = op.operands.slice(3).map((value) => compiler.tile(value));
  const counter = compiler.define(body.args[0]!, false);
  // The results share the tiles of the carried values: after the loop they hold the last ones.
  const carried = op.results.map((result, i) => {
    const tile = compiler.define(result, true);
    compiler.alias(body.args[i + 1]!, tile);
    return tile;
  });
  const start = parallelCopy(carried, init);
  const steps = compiler.block(body);
  const next = parallelCopy(
    carried,
    body.terminator.operands.map((value) => compiler.tile(value)),
  );
  const { tick } = compiler.state;
  const wide = counter.dtype === 'i64';
  return () => {
    const end = Number(elementAt(upper, 0));
    const by = Number(elementAt(step, 0));
    if (by <= 0) throw new Error('scf.for: the step must be positive');
    start();
    for (let i = Number(elementAt(lower, 0)); i < end; i += by) {
      if (wide) setElement(counter, 0, BigInt(i));
      else counter.data[0] = i;
      tick(steps.length);
      for (let s = 0; s < steps.length; s++) steps[s]!();
      next();
    }
  };
}

export function compileWhile(compiler: FuncCompiler, op: Operation): Step {
  const [before, after] = [op.region(0), op.region(1)];
  const init = op.operands.map((value) => compiler.tile(value));
  const carried = before.args.map((arg) => compiler.define(arg, false));
  const forwarded = op.results.map((result, i) => {
    const tile = compiler.define(result, true);
    compiler.alias(after.args[i]!, tile);
    return tile;
  });
  const start = parallelCopy(carried, init);
  const test = compiler.block(before);
  const [condition, ...values] = before.terminator.operands.map((value) => compiler.tile(value));
  const forward = parallelCopy(forwarded, values);
  const steps = compiler.block(after);
  const next = parallelCopy(
    carried,
    after.terminator.operands.map((value) => compiler.tile(value)),
  );
  const { tick } = compiler.state;
  return () => {
    start();
    for (;;) {
      tick(test.length + steps.length + 1);
      for (const step of test) step();
      forward();
      if (!condition!.data[0]) return;
      for (const step of steps) step();
      next();
    }
  };
}

export function compileIf(compiler: FuncCompiler, op: Operation): Step {
  const condition = compiler.tile(op.operand(0));
  const results = op.results.map((result) => compiler.define(result, true));
  const branches = op.regions.map((region) => {
    const steps = compiler.block(region);
    const sources = region.terminator.operands.map((value) => compiler.tile(value));
    return [...steps, parallelCopy(results, sources)];
  });
  const [then, otherwise] = branches as [Step[], Step[]];
  return () => {
    const steps = condition.data[0] ? then : otherwise;
    for (let s = 0; s < steps.length; s++) steps[s]!();
  };
}
