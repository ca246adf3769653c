/** Compile time: from text to WGSL, warm, as in a page that has compiled before. */
import attentionText from './programs/attention.py';
import { BASELINE_TARGET } from '../compiler/target';
import { summary } from './device';
import type { Frontend } from './frontend';
import { compiled, requestOf } from './ours';

/** A GPU as visitors have: compile time must not depend on the adapter that is here. */
const TARGET = { ...BASELINE_TARGET, subgroupSize: 32, maxWorkgroupBytes: 32_768 } as const;

/** Milliseconds. The text differs every time, so that nothing is cached. */
export function compileTime(
  frontend: Frontend,
  quick: boolean,
): { readonly median: number; readonly note: string } {
  const launch = {
    kernel: 'attention_kernel',
    arguments: [
      ...[0, 1, 2, 3].map((buffer) => ({ tensor: 'float32', buffer })),
      { float: 0.125 },
      { int: 512 },
      ...[64, 64, 32, true, 1].map((constexpr) => ({ constexpr })),
    ],
    numWarps: 4,
    grid: [8, 4, 1] as const,
  };
  const times: number[] = [];
  const phases = new Map<string, number[]>();
  // The engine optimizes the compiler for about a hundred compilations.
  const warmups = quick ? 10 : 100;
  for (let i = -warmups; i < (quick ? 10 : 40); i++) {
    const start = performance.now();
    const request = requestOf(frontend, `${attentionText}\n# ${i}\n`, launch, TARGET, true);
    const result = frontend.compiler.compile(request);
    const milliseconds = performance.now() - start;
    compiled(result);
    if (i < 0 || result.kind !== 'compiled') continue;
    times.push(milliseconds);
    const own = new Map<string, number>();
    for (const pass of result.log)
      own.set(pass.phase, (own.get(pass.phase) ?? 0) + pass.milliseconds);
    for (const [phase, time] of own) phases.set(phase, [...(phases.get(phase) ?? []), time]);
  }
  const note = [...phases].map(([name, all]) => `${name} ${summary(all).median.toFixed(1)}`);
  return { median: summary(times).median, note: note.join(', ') };
}
