/** Reports of proofs beside what the table of kernels has for them. */
import type { ProofReport } from '../report';
import type { WrongKernel } from './kernelTable';

interface Found {
  readonly check: string;
  readonly line: number | undefined;
  readonly message: string;
}

function findingsOf({ sections }: ProofReport, wanted: (verdict: string) => boolean): Found[] {
  return sections.flatMap(({ check, findings }) =>
    findings
      .filter(({ verdict }) => wanted(verdict))
      .map(({ location, message }) => ({ check, line: location?.line, message })),
  );
}
const fails = (verdict: string): boolean => verdict === 'fails';
const textOf = ({ check, line, message }: Found): string => `${check}, line ${line}: ${message}`;

/** Accusations of a right kernel, and what its proof lacks; none where it holds. */
export function accusations(report: ProofReport): string[] {
  const sweeps = findingsOf(report, (verdict) => verdict === 'holds').filter(
    ({ check, message }) =>
      check === 'sweep' && message === 'agrees with its reference in 25 cases',
  );
  return [
    ...findingsOf(report, fails).map(textOf),
    ...report.errors.map(({ message }) => `error: ${message}`),
    ...(sweeps.length === 1 ? [] : ['no sweep agrees with its reference in 25 cases']),
  ];
}

/** Why a wrong kernel is not found as the table states: what is found in its place. */
export function misses(kernel: WrongKernel, report: ProofReport): string[] {
  const { check, line, message } = kernel;
  const found = findingsOf(report, fails);
  const isFound = found.some(
    (each) => each.check === check && each.line === line && each.message.includes(message),
  );
  return isFound ? [] : [`not found: ${textOf({ check, line, message })}`, ...found.map(textOf)];
}
