/**
 * `npm run audit`: queries npm's registry for known vulnerabilities of the packages in the lock
 * file, and fails on any in what is shipped, or on one of high severity in what builds and tests
 * it. It needs a network, so it is no part of `npm test`; where the registry gives no answer, it
 * says so and fails, because nothing was checked.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

interface Vulnerability {
  readonly name: string;
  readonly severity: 'info' | 'low' | 'moderate' | 'high' | 'critical';
  readonly range: string;
}
/** Outcome of `npm audit --json`: what it found, or why it could not look. */
export type Audit = { readonly found: readonly Vulnerability[] } | { readonly failure: string };

/** @param text what `npm audit --json` printed. */
export function readAudit(text: string): Audit {
  try {
    const { vulnerabilities, error, message } = JSON.parse(text) as {
      readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
      readonly error?: { readonly summary?: string };
      readonly message?: string;
    };
    if (vulnerabilities) return { found: Object.values(vulnerabilities) };
    return { failure: error?.summary || message || 'no answer' };
  } catch {
    return { failure: text.trim().split('\n')[0] || 'no answer' };
  }
}

const SEVERE = ['high', 'critical'];

/** Whether a vulnerability fails: any in what is shipped, severe ones in the rest. */
export const failing = ({ severity }: Vulnerability, shipped: boolean): boolean =>
  shipped || SEVERE.includes(severity);

function audit(...more: string[]): Audit {
  const run = spawnSync('npm', ['audit', '--json', ...more], {
    cwd: ROOT,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  return readAudit(run.stdout || run.stderr || '');
}

if (import.meta.main) {
  let wrong = 0;
  for (const shipped of [true, false]) {
    const what = shipped ? 'shipped' : 'installed';
    const outcome = audit(...(shipped ? ['--omit=dev'] : []));
    if ('failure' in outcome) {
      console.error(`${what}: nothing was checked: ${outcome.failure}`);
      wrong++;
      continue;
    }
    const bad = outcome.found.filter((each) => failing(each, shipped));
    wrong += bad.length;
    for (const { name, severity, range } of bad)
      console.error(`${what}: ${severity} in ${name} ${range}`);
    console.log(
      `${what}: ${outcome.found.length} known vulnerabilities, ${bad.length} of them fail`,
    );
  }
  process.exit(wrong === 0 ? 0 : 1);
}
