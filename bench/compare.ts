/**
 * Compares: of ours and of the hand-written WGSL the fastest variant each, found by a short run,
 * then both in turns; and ours with each peer by the wall clock, because a peer owns its queue. On
 * a software adapter all of it by CPU time. Every variant's result is checked before its time
 * counts.
 */
import type { BenchDevice, Numbers, Work } from './device';
import { summary } from './device';
import type { Frontend } from './frontend';
import { fromHalves } from './halves';
import { buffersOf, prepareLaunches } from './ours';
import { gpuSeconds } from './peers/gpuTime';
import type { Job, Peer } from './peers/peer';
import { digits, type Row } from './report';
import type { Floats, WorkItem } from './work';

export interface Settings {
  readonly rounds: number;
  readonly checkBounds: boolean;
  /** Whether hand-written WGSL is compared with, too. */
  readonly wgsl: boolean;
  readonly peers: readonly Peer[];
  readonly where: 'dawn' | 'chromium';
  readonly toggles: string;
  readonly record: (row: Row) => void;
  readonly say: (text: string) => void;
}

/** Prepares a work; `comment` goes behind its WGSL. */
type Make = (comment: string) => Promise<Work>;

interface Variant {
  readonly what: string;
  readonly make: Make;
  /** Pipelines of the same text; one but for the fastest on a software adapter. */
  readonly works: readonly [Work, ...Work[]];
  readonly seconds: number;
  readonly error: number;
}

export async function compareWork(
  frontend: Frontend,
  bench: BenchDevice,
  item: WorkItem,
  settings: Settings,
): Promise<void> {
  const { rounds, record, say } = settings;
  const buffers = buffersOf(bench, item);
  const out = buffers[item.inputs.length]!;

  /** The time of a variant that is right. */
  const tried = async (what: string, make: Make): Promise<Variant> => {
    const start = performance.now();
    const work = await make('');
    bench.poison(out);
    let seconds = await bench.once(work);
    if (bench.busy) {
      // A glance by the wall clock at a machine with other work once chose the slower of two by
      // far.
      const glance = (): Promise<number> => bench.cost(() => bench.wall(work, 1), 1);
      seconds = Math.min(await glance(), await glance());
    }
    const error = item.error(await outputOf(bench, item, out));
    say(
      `  ${item.name}, ${what}: ${(seconds * 1e3).toFixed(3)} ms, error ${error.toExponential(1)}, ` +
        `ready in ${((performance.now() - start) / 1000).toFixed(1)} s`,
    );
    if (!(error <= item.close)) throw new Error(`${item.name}, ${what}, is wrong by ${error}`);
    return { what, make, works: [work], seconds, error };
  };
  const fastest = async (
    side: string,
    all: readonly { readonly what: string; readonly make: Make }[],
  ): Promise<Variant | null> => {
    const right: Variant[] = [];
    for (const { what, make } of all) {
      try {
        right.push(await tried(`${side} ${what}`, make));
      } catch (error) {
        say(`  ${item.name}, ${side} ${what}: ${String(error)}`);
        if (/is wrong by/.test(String(error))) throw error;
      }
    }
    right.sort((a, b) => a.seconds - b.seconds);
    // Close results are measured again; on a GPU, whose clock was perhaps low then, all are.
    const near =
      bench.warmSeconds > 0
        ? right
        : right.filter((each) => each.seconds < right[0]!.seconds * 1.5).slice(0, 2);
    const copied: Variant[] = [];
    for (const each of near) copied.push({ ...each, works: await copiesOf(bench, each) });
    if (copied.length < 2) return copied[0] ?? null;
    const pipelines = copied.flatMap(({ works }) => works);
    // Three samples of each, by one pipeline or by three.
    const times = await bench.turns(pipelines, Math.ceil((3 * copied.length) / pipelines.length));
    const medians = copied.map(
      ({ works }) => summary(works.flatMap((work) => times[pipelines.indexOf(work)]!)).median,
    );
    return copied[medians.indexOf(Math.min(...medians))] ?? null;
  };

  const ours = await fastest(
    'ours',
    item.launches.map(({ what, launch, choices }) => ({
      what: choices ? `${what}, tuned: ${JSON.stringify(choices)}` : what,
      make: (comment) =>
        prepareLaunches(
          frontend,
          bench,
          item.text,
          launch,
          buffers,
          settings.checkBounds,
          choices,
          comment,
        ),
    })),
  );
  if (!ours) throw new Error(`${item.name}: no configuration of ours runs`);
  const common = {
    name: item.name,
    where: settings.where,
    adapter: bench.target.name,
    toggles: settings.toggles,
    error: ours.error,
    bytes: item.bytes,
    flops: item.flops,
  };
  const theirs = await fastest(
    'WGSL',
    (settings.wgsl ? item.shaders : []).map(({ what, wgsl, workgroups, buffers: bound }) => ({
      what,
      make: async (comment) => {
        const all = bound ? bound.map((i) => buffers[i]!) : buffers;
        return [await bench.dispatch(wgsl + comment, all, workgroups)];
      },
    })),
  );
  if (theirs) {
    const [mine, other]: [number[], number[]] = [[], []];
    for (const [i, work] of ours.works.entries()) {
      const pair = [work, theirs.works[i]!];
      const [some = [], more = []] = await bench.turns(pair, Math.ceil(rounds / ours.works.length));
      mine.push(...some);
      other.push(...more);
    }
    record({
      ...common,
      against: 'wgsl',
      ...ratios(mine, other),
      note: `${bench.busy ? 'CPU time, ' : ''}${ours.what} against ${theirs.what}`,
    });
  }
  // By GPU timestamps where nothing hand-written is: the libraries' rows state the wall clock of a
  // queue.
  if (!theirs && (settings.peers.length === 0 || (settings.wgsl && !bench.busy))) {
    const [mine = []] = await bench.turns([ours.works[0]], rounds);
    record({ ...common, against: 'nothing', ours: summary(mine).median, note: ours.what });
  }
  for (const peer of settings.peers) {
    try {
      await againstPeer(bench, item, ours.works, peer, settings, common);
    } catch (error) {
      say(
        `  ${item.name}, ${peer.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      record({ ...common, against: peer.name, failure: String(error).slice(0, 300) });
    }
  }
  for (const buffer of buffers) buffer.destroy();
}

/** Wall-clock milliseconds of a turn, at least. */
const TURN = 40;
/** On hardware, which takes its time to raise its clock. */
const HARDWARE_TURN = 100;
/** Runs of a turn, and bytes that they hold until they are waited for, at most. */
const MOST_RUNS = 256;
const MOST_BYTES = 4 * 2 ** 30;

async function againstPeer(
  bench: BenchDevice,
  item: WorkItem,
  works: readonly Work[],
  peer: Peer,
  settings: Settings,
  common: Pick<Row, 'name' | 'where' | 'adapter' | 'toggles' | 'error' | 'bytes' | 'flops'>,
): Promise<void> {
  if (item.shape.kind === 'ours') return;
  const given = item.peerInputs?.() ?? item.inputs.filter(isFloats);
  const jobs = await peer.prepare(item.shape, given);
  // A work that a device refuses (memory that is not there) is not computed: such times prove
  // nothing.
  const refused: string[] = [];
  const note = (event: Event): void => {
    refused.push((event as GPUUncapturedErrorEvent).error.message);
  };
  const devices = new Set(jobs.map(({ device }) => device));
  for (const device of devices) device.addEventListener('uncapturederror', note);
  try {
    const tried = `${item.name}, ${peer.name}`;
    const job = await fastestOf(bench, item, jobs, (text) => settings.say(`  ${tried}${text}`));
    if (!job) return;
    const held = 4 * item.output + (job.between ?? 0);
    const most = Math.min(MOST_RUNS, Math.max(4, Math.floor(MOST_BYTES / held)));
    const runsOf = (seconds: number): number =>
      Math.min(most, Math.ceil(turn / 1000 / Math.max(seconds, 1e-6)));
    const turn = bench.warmSeconds > 0 ? HARDWARE_TURN : TURN;
    const work = works[0]!;
    // Both have run: on a CPU that is warm enough, and a library may take a second there.
    const glances = bench.busy ? 1 : 2;
    if (!bench.busy) await job.wall(2);
    const theirRuns = runsOf((await job.wall(glances)) / glances);
    const ourRuns = runsOf((await bench.wall(work, glances)) / glances);
    // As often as in a turn once, so that the pools of both have what a turn needs.
    const warm = performance.now() + 1000 * bench.warmSeconds;
    do {
      await job.wall(theirRuns);
      await bench.wall(work, ourRuns);
    } while (performance.now() < warm);
    const mine: number[] = [];
    const other: number[] = [];
    const turns = bench.busy ? COPIES : Math.max(3, Math.ceil(settings.rounds / 2));
    for (let round = 0; round < turns; round++) {
      const ours = works[round % works.length]!;
      mine.push(await bench.cost(() => bench.wall(ours, ourRuns), ourRuns));
      other.push(await bench.cost(() => job.wall(theirRuns), theirRuns));
    }
    const gpu = bench.busy ? null : await onTheGpu(bench, job, work, theirRuns);
    if (refused.length > 0) throw new Error(`its device refused commands: ${refused[0]}`);
    settings.record({
      ...common,
      against: peer.name,
      ...ratios(mine, other),
      ...(gpu ? { gpu: gpu.theirs / gpu.ours } : {}),
      note:
        `${bench.busy ? 'CPU time' : 'wall clock'}, ${ourRuns} and ${theirRuns} queued` +
        (gpu ? `, on the GPU ${micro(gpu.ours)} against ${micro(gpu.theirs)} µs` : '') +
        (job.what ? `, ${job.what}` : ''),
    });
  } finally {
    for (const device of devices) device.removeEventListener('uncapturederror', note);
    for (const job of jobs) job.release();
  }
}

/**
 * Both by GPU timestamps, in turns: what either's queueing takes is left out. Null where that is
 * not to be had.
 */
async function onTheGpu(
  bench: BenchDevice,
  job: Job,
  work: Work,
  runs: number,
): Promise<{ readonly ours: number; readonly theirs: number } | null> {
  // Browsers report tens of microseconds at a time, of each pass.
  if (bench.quantum > 2000) return null;
  const [mine, other]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    const theirs = await gpuSeconds(job, Math.ceil(Math.min(runs, 64) / 2));
    if (theirs === null) return null;
    other.push(theirs);
    const [times = []] = await bench.turns([work], 1, 0);
    mine.push(...times);
  }
  return { ours: summary(mine).median, theirs: summary(other).median };
}
const micro = (seconds: number): string => digits(seconds * 1e6);

/** The fastest of those that are right; null of none. @throws what the first says where none is. */
async function fastestOf(
  bench: BenchDevice,
  item: WorkItem,
  jobs: readonly Job[],
  say: (text: string) => void,
): Promise<Job | null> {
  const right: { readonly job: Job; readonly seconds: number }[] = [];
  const failures: unknown[] = [];
  for (const job of jobs)
    try {
      const { vendor, architecture, device } = job.device.adapterInfo;
      const own = bench.device.adapterInfo;
      if (vendor !== own.vendor || architecture !== own.architecture || device !== own.device)
        throw new Error(`it opened another adapter: ${vendor} ${architecture} ${device}`);
      const error = item.error(await job.result());
      if (!(error <= 10 * item.close + 1e-6)) throw new Error(`its result differs by ${error}`);
      let seconds = 0;
      if (jobs.length > 1) {
        await job.wall(2);
        seconds = await bench.cost(() => job.wall(4), 4);
        const took = `${(seconds * 1e3).toFixed(3)} ms, error ${error.toExponential(1)}`;
        say(`, ${job.what ?? ''}: ${took}`);
      }
      right.push({ job, seconds });
    } catch (error) {
      failures.push(error);
      if (jobs.length > 1) say(`, ${job.what ?? ''}: ${String(error)}`);
    }
  if (right.length === 0 && failures.length > 0) throw failures[0];
  right.sort((a, b) => a.seconds - b.seconds);
  return right[0]?.job ?? null;
}

/** Pipelines of a variant on a software adapter. */
const COPIES = 3;

/**
 * The place of a software adapter's code and constants makes a pipeline up to a fifth slower than
 * the same one made again: one of each side would choose the variant, and decide the ratio, for a
 * whole run.
 */
async function copiesOf(
  bench: BenchDevice,
  { works, make }: Variant,
): Promise<readonly [Work, ...Work[]]> {
  const copies: [Work, ...Work[]] = [works[0]];
  while (bench.busy && copies.length < COPIES) copies.push(await make(`// ${copies.length}\n`));
  return copies;
}

function isFloats(data: Numbers): data is Floats {
  return data instanceof Float32Array;
}

/** Contents of a work's output buffer. */
export async function outputOf(
  bench: BenchDevice,
  { output, outputType }: WorkItem,
  buffer: GPUBuffer,
): Promise<Floats> {
  const bytes = await bench.read(buffer);
  if (outputType === 'f32') return new Float32Array(bytes, 0, output);
  if (outputType === 'i32') return Float32Array.from(new Int32Array(bytes, 0, output));
  return fromHalves(new Uint16Array(bytes, 0, output));
}

/** Times of both, and theirs ÷ ours turn by turn. */
function ratios(
  mine: readonly number[],
  other: readonly number[],
): Pick<Row, 'ratio' | 'low' | 'high' | 'ours' | 'theirs'> {
  const each = summary(mine.map((time, i) => other[i]! / time));
  return {
    ratio: each.median,
    low: each.low,
    high: each.high,
    ours: summary(mine).median,
    theirs: summary(other).median,
  };
}
