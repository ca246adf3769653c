/**
 * Check in the page: the program in view, run in its worker as Run does it, and called from a
 * harness in another worker, which judges what it did (`app/judge`). One check is made at a time.
 *
 * Guarantee: verdicts, and accesses out of range, are the harness's; of what the program's own
 * worker sends only its output, its errors and its launches are shown.
 */
import type { ProgramEvent } from '../events';
import { harnessProgram, solutionProgram, type HarnessTexts, type Problem } from '../judge/files';
import { Relay } from '../judge/relay';
import { outOfRange } from '../judge/report';
import { ProgramHost } from '../workers/programHost';
import type { ProgramMessage } from '../workers/protocol';
import { useDocument } from './document';
import type { RunRecord } from './record';
import { addToCheck, runPlan } from './session';
import { runOptions } from './settings';

/** Seeds are drawn below this: short enough to be typed. */
const SEEDS = 2 ** 30;

let host: ProgramHost | null = null;
let take: (message: ProgramMessage) => void = () => {};

/** The harness's worker is kept from check to check, until `endHarness`. */
function harnessHost(): ProgramHost {
  host ??= new ProgramHost(
    (message) => take(message),
    undefined,
    undefined,
    undefined,
    undefined,
    false,
  );
  return host;
}

export function endHarness(): void {
  take = () => {};
  host?.end();
  host = null;
}

/** Whether the program's worker may put an event into a check's record. */
function isProgramsOwn(event: ProgramEvent): boolean {
  if (event.type === 'verdict' || event.type === 'measured') return false;
  return event.type !== 'diagnostic' || !outOfRange([event.diagnostic]);
}

/**
 * Checks the program in view.
 * @param onEnded gets the record and the seed when the check has ended, whatever is in view then.
 * @param seed what inputs are drawn from; a new one where it is absent.
 */
export function check(
  texts: HarnessTexts,
  problem: Problem,
  onEnded: (record: RunRecord, seed: number) => void,
  seed: number = Math.floor(Math.random() * SEEDS),
): void {
  const relay = new Relay();
  runPlan({
    files: () => {
      const { files, entry } = useDocument.getState();
      startHarness(texts, problem, { files, entry }, seed, relay);
      return solutionProgram(texts, { files, entry }).files;
    },
    entry: solutionProgram(texts, { files: {}, entry: '' }).entry,
    exchange: (text) => relay.exchange('solution', text),
    accepts: isProgramsOwn,
    onEnded: (record) => {
      relay.end('solution');
      onEnded(record, seed);
    },
  });
}

function startHarness(
  texts: HarnessTexts,
  problem: Problem,
  solution: { readonly files: Readonly<Record<string, string>>; readonly entry: string },
  seed: number,
  relay: Relay,
): void {
  const { files, entry } = harnessProgram(texts, problem, solution, seed);
  const running = harnessHost();
  take = (message) => {
    if (message.type === 'failed') relay.end('harness');
    if (message.type !== 'event') return;
    const { event } = message;
    const counts =
      event.type === 'verdict' ||
      event.type === 'measured' ||
      event.type === 'calibration' ||
      event.type === 'diagnostic';
    if (counts) addToCheck(event);
    if (event.type === 'finished') relay.end('harness');
  };
  running.run(files, entry, { ...runOptions(), seed, check: false }, 'harness', (text) =>
    relay.exchange('harness', text),
  );
}
