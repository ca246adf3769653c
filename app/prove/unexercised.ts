/** Places that no launch of a run exercised (`compiler/proof/coverage.ts`), in sentences. */
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { Compiler } from '../../compiler/pipeline';
import { Coverage, type Uncovered } from '../../compiler/proof/coverage';
import type { Unexercised } from './report';

/** @param launches of the run, those of sweeps too. */
export function unexercisedOf(
  launches: readonly LaunchInputs[],
  compiler: Compiler,
  progress: (text: string) => void = () => {},
): Unexercised[] {
  if (launches.length > 0) progress('looking for what no launch exercised …');
  const coverage = new Coverage(compiler);
  for (const inputs of launches) coverage.add(inputs);
  return coverage.uncovered().map((one): Unexercised => {
    const { kind, kernel, location } = one;
    return { kind, kernel, operation: operationText(one), message: messageOf(one), location };
  });
}

function operationText(one: Uncovered): string {
  return one.kind === 'loop' ? 'loop' : `${one.access} of ${one.argument ?? 'memory'}`;
}

function messageOf(one: Uncovered): string {
  switch (one.kind) {
    case 'access':
      return 'no program of any launch came here: it is not tested';
    case 'mask':
      return one.isTile
        ? 'the mask was true in every lane: no launch had a partial tile here, and the edge is not tested'
        : 'the mask was true in every program: what it leaves out is not tested';
    default:
      return LOOPS[Math.min(one.iterations, 2)]!;
  }
}

/** By the most iterations. */
const LOOPS: readonly string[] = [
  'ran in no launch: its body is not tested',
  'ran at most once in every launch: what it carries to another iteration is not tested',
  'ran at most twice in every launch, and replaces a value that it carries: a third iteration is not tested',
];
