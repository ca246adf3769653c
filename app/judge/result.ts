/**
 * The result of a check as a text: who gets it can run the same check again, with the same seed,
 * and compare. `hippocamp-result:1.DATA`, DATA being deflated JSON in base64url. It proves nothing
 * by itself: it holds the program, not a signature.
 */
import { deflateSync, strFromU8, strToU8 } from 'fflate';
import { fromBase64Url, inflated, toBase64Url } from '../deflated';
import type { ProgramFiles } from '../events';
import type { Problem } from './files';
import type { JudgeReport } from './report';

export interface CheckResult {
  /** SHA-256 of the problem's texts, in hexadecimal digits. */
  readonly problem: string;
  readonly entry: string;
  readonly files: ProgramFiles;
  readonly seed: number;
  readonly adapter: string;
  readonly outcome: 'accepted' | 'refused';
  /** Names of the checks that ran, and whether each held. */
  readonly checks: readonly (readonly [string, boolean])[];
}

const PREFIX = 'hippocamp-result:1.';
/** Bytes of JSON that a text may unfold to. */
const LARGEST = 8e6;

export async function problemDigest({ reference, checks }: Problem): Promise<string> {
  const bytes = strToU8(JSON.stringify([reference, checks]));
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function resultText(result: CheckResult): string {
  const packed = deflateSync(strToU8(JSON.stringify(result)), { level: 9 });
  return `${PREFIX}${toBase64Url(packed)}`;
}

/** @throws where the text is no result: a sentence for people. */
export function parseResult(text: string): CheckResult {
  const trimmed = text.trim();
  if (!trimmed.startsWith(PREFIX)) throw new Error(`a result begins with ${PREFIX}`);
  let value: unknown;
  try {
    const packed = fromBase64Url(trimmed.slice(PREFIX.length));
    value = JSON.parse(strFromU8(inflated(packed, LARGEST)));
  } catch {
    throw new Error('the result is cut off or was changed on the way');
  }
  if (!isResult(value)) throw new Error('the result is cut off or was changed on the way');
  return value;
}

function isResult(value: unknown): value is CheckResult {
  if (typeof value !== 'object' || value === null) return false;
  const { problem, entry, files, seed, adapter, outcome, checks } = value as Record<
    string,
    unknown
  >;
  return (
    [problem, entry, adapter].every((each) => typeof each === 'string') &&
    typeof files === 'object' &&
    files !== null &&
    Object.values(files).every((each) => typeof each === 'string') &&
    Object.hasOwn(files, entry as string) &&
    Number.isSafeInteger(seed) &&
    (outcome === 'accepted' || outcome === 'refused') &&
    Array.isArray(checks) &&
    checks.every(
      (each) => Array.isArray(each) && typeof each[0] === 'string' && typeof each[1] === 'boolean',
    )
  );
}

/** The result's text in a report that decided something. */
export async function withResult(
  report: JudgeReport,
  problem: Problem,
  { files, entry }: { readonly files: ProgramFiles; readonly entry: string },
): Promise<JudgeReport> {
  const { outcome, seed, checks, adapter } = report;
  if (outcome === 'undecided') return report;
  const result: CheckResult = {
    problem: await problemDigest(problem),
    entry,
    files,
    seed,
    adapter: adapter?.name ?? '',
    outcome,
    checks: checks.map(({ name, passed }) => [name, passed]),
  };
  return { ...report, result: resultText(result) };
}

/** In what a second check differs from the result; null where it is the same. */
export function differenceFrom(result: CheckResult, report: JudgeReport): string | null {
  if (report.outcome !== result.outcome)
    return `the result says ${result.outcome}; checked again, the program is ${report.outcome}`;
  const again = report.checks.map(({ name, passed }) => [name, passed] as const);
  for (const [i, [name, passed]] of result.checks.entries()) {
    const [other, now] = again[i] ?? ['', false];
    if (other !== name || now !== passed)
      return `the check “${name}” ${passed ? 'held' : 'failed'} in the result, and not here`;
  }
  return again.length === result.checks.length ? null : 'here more checks ran';
}
