/**
 * Faults planted into every pass of the pipeline, on kernels that the pass changes: check mode
 * names the pass, and no other. The faults stand in `testing/plants`.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from './1-parse/parser';
import { testParser } from './1-parse/testing/testParser';
import { checkPasses } from './interpret/checkPasses';
import type { PassCheck } from './interpret/checkPasses';
import type { ExtraPass } from './pipeline';
import { createCompiler, PIPELINE } from './pipeline';
import type { Plant } from './testing/plants';
import { PLANTS } from './testing/plants';
import type { PlantedKernel } from './testing/plants/kernels';
import { plantedKernel } from './testing/plants/kernels';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

/** The pass's index in the pipeline. */
function indexOf({ pass, nth = 0 }: Plant): number {
  const found = PIPELINE.flatMap(({ name }, i) => (name === pass ? [i] : []))[nth];
  if (found === undefined) throw new Error(`no pass ${pass} (${nth})`);
  return found;
}

interface Checked {
  readonly checks: readonly PassCheck[];
  /** Passes that changed the IR, by index. */
  readonly changed: ReadonlySet<number>;
  /** The compiler's message where a pass cannot follow. */
  readonly refused: string | undefined;
}
function check(name: PlantedKernel, extra: readonly ExtraPass[]): Checked {
  const { request, ...launch } = plantedKernel(parser, name);
  const options = { ...request.options, verify: false };
  const changed = new Set<number>();
  let refused: string | undefined;
  const checks = checkPasses({
    ...launch,
    specialization: request.specialization,
    instrumented: options.instrumentation !== undefined,
    compile: (...observers) => {
      const result = createCompiler(parser, extra).compile(
        { ...request, options },
        {},
        ...observers,
      );
      if (result.kind === 'regroup') throw new Error('binding groups meet');
      if (result.kind === 'failed') refused = result.diagnostics[0]!.message;
      for (const record of result.log) if (record.changed) changed.add(record.index);
      return result;
    },
  });
  return { checks, changed, refused };
}
const bad = (checks: readonly PassCheck[]): readonly PassCheck[] =>
  checks.filter(({ verdict }) => verdict === 'different' || verdict === 'failed');

/** The findings without a fault: none, but for launches that are out of range. */
const sound = new Map<PlantedKernel, Checked>();
function soundCheck(name: PlantedKernel): Checked {
  const found = sound.get(name) ?? check(name, []);
  sound.set(name, found);
  return found;
}

function faultOf(plant: Plant): ExtraPass {
  const { run, runThreads, runText } = plant;
  return {
    name: 'fault',
    into: indexOf(plant),
    // It does not even admit that it changed something.
    ...(run && { run: (func) => (run(func), false) }),
    ...(runThreads && { runThreads: (kernel) => (runThreads(kernel), false) }),
    ...(runText && { runText }),
  };
}

describe('check mode', () => {
  it('has a fault to find in every pass of the pipeline', () => {
    const planted = new Set(PLANTS.map(indexOf));
    const missing = PIPELINE.flatMap(({ name }, i) => (planted.has(i) ? [] : [name]));
    // It prints text, which no interpreter runs: `e2e/passes.test.ts` compares it on a GPU.
    expect(missing).toEqual(['emit']);
  });

  it.each(PLANTS)('names $pass, which $fault ($kernel)', (plant) => {
    const without = soundCheck(plant.kernel);
    expect(without.changed, 'the pass changes the kernel').toContain(indexOf(plant));
    const known = bad(without.checks).map(({ name }) => name);
    expect(known).toEqual(/out of range/.test(plant.kernel) ? ['lower'] : []);

    const { checks, refused } = check(plant.kernel, [faultOf(plant)]);
    const named = plant.named ?? plant.pass;
    if (plant.verdict === 'refused') expect(refused).toContain(`in pass ${named}: `);
    else expect(refused).toBeUndefined();
    const found = bad(checks).filter(({ name }) => !known.includes(name));
    const seen = plant.verdict !== 'refused' && !plant.unseen;
    expect(found.map(({ name, verdict }) => [name, verdict])).toEqual(
      seen ? [[named, plant.verdict ?? 'different']] : [],
    );
    if (seen && !plant.named) expect(found[0]!.index).toBe(indexOf(plant));
    if (plant.message) expect(found[0]!.message).toMatch(plant.message);
  });
});
