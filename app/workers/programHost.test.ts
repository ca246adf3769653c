/** Stop, crashes, the spare, and who runs where, with workers that are played by the test. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunOptions } from '../events';
import { ProgramHost, type WorkerLike } from './programHost';
import type { FromProgramWorker, ProgramMessage, ToProgramWorker } from './protocol';

const OPTIONS: RunOptions = { adapter: 'webgpu', maxBytes: 1e9, check: false, seed: 0 };

class FakeWorker implements WorkerLike {
  readonly sent: ToProgramWorker[] = [];
  terminated = false;
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  postMessage(message: ToProgramWorker): void {
    this.sent.push(message);
  }
  terminate(): void {
    this.terminated = true;
  }
  say(message: FromProgramWorker): void {
    this.onmessage?.({ data: message } as MessageEvent<FromProgramWorker>);
  }
  get interrupt(): Uint8Array {
    const start = this.sent[0];
    if (start?.type !== 'start' || !start.interrupt) throw new Error('no interrupt buffer');
    return new Uint8Array(start.interrupt);
  }
}

describe('ProgramHost', () => {
  let workers: FakeWorker[];
  let heard: ProgramMessage[];
  let host: ProgramHost;
  let kept: (readonly [string, string])[];
  const finished = (): string[] =>
    heard.flatMap((message) =>
      message.type === 'event' && message.event.type === 'finished' ? [message.event.outcome] : [],
    );

  beforeEach(() => {
    vi.useFakeTimers();
    workers = [];
    heard = [];
    kept = [];
    host = new ProgramHost(
      (message) => heard.push(message),
      () => {
        const worker = new FakeWorker();
        workers.push(worker);
        return worker;
      },
      'http://localhost/',
      () => null,
      { get: (key) => Promise.resolve(`of ${key}`), set: (key, text) => kept.push([key, text]) },
    );
  });
  afterEach(() => {
    host.dispose();
    vi.useRealTimers();
  });

  it('sends a run before Python is ready, once', () => {
    host.run({ 'a.py': '' }, 'a.py', OPTIONS, 'a', {});
    expect(workers[0]!.sent.map((message) => message.type)).toEqual(['start', 'run']);
  });

  it('opens no spare for a host without, and ends it once its GPU is done', () => {
    const own: FakeWorker[] = [];
    const create = (): FakeWorker => {
      own.push(new FakeWorker());
      return own.at(-1)!;
    };
    const tunings = { get: () => Promise.resolve(''), set: () => {} };
    const events: ProgramMessage[] = [];
    const alone = new ProgramHost(
      (one) => events.push(one),
      create,
      '',
      () => null,
      tunings,
      false,
    );
    own[0]!.say({ type: 'ready' });
    alone.run({ 'a.py': '' }, 'a.py', OPTIONS, 'a', {});
    vi.advanceTimersByTime(20_000);
    expect(own).toHaveLength(1);
    alone.end();
    own[0]!.say({ type: 'retiring', busy: true });
    expect(own[0]!.terminated).toBe(false);
    own[0]!.say({ type: 'retiring', busy: false });
    expect(own[0]!.terminated).toBe(true);
    expect(own).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'event')).toEqual([]);
  });

  it('interrupts, and lets a program that reacts end by itself', () => {
    workers[0]!.say({ type: 'ready' });
    const run = host.run({ 'a.py': '' }, 'a.py', OPTIONS, 'a', {});
    host.stop();
    expect(workers[0]!.interrupt[0]).toBe(2);
    workers[0]!.say({
      type: 'event',
      run,
      event: { type: 'finished', outcome: 'stopped', milliseconds: 5 },
    });
    vi.advanceTimersByTime(1000);
    expect(workers[0]!.terminated).toBe(false);
    expect(finished()).toEqual(['stopped']);
  });

  it('replaces a worker that does not react by the warm spare', () => {
    workers[0]!.say({ type: 'ready' });
    host.run({ 'a.py': '' }, 'a.py', OPTIONS, 'a', {});
    vi.advanceTimersByTime(1000);
    expect(workers).toHaveLength(2);
    workers[1]!.say({ type: 'ready' });
    host.stop();
    vi.advanceTimersByTime(299);
    expect(finished()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(finished()).toEqual(['stopped']);
    vi.advanceTimersByTime(500);
    expect(workers[0]!.terminated).toBe(true);
    // The dead worker's last words are not heard.
    const before = heard.length;
    workers[0]!.say({
      type: 'event',
      run: 1,
      event: { type: 'print', stream: 'stdout', text: 'late' },
    });
    expect(heard).toHaveLength(before);
    host.run({ 'a.py': '' }, 'a.py', OPTIONS, 'a', {});
    expect(workers[1]!.sent.map((message) => message.type)).toEqual(['start', 'run']);
    expect(workers).toHaveLength(3);
  });

  it('keeps a stopped worker until its GPU is done, unheard', () => {
    workers[0]!.say({ type: 'ready' });
    const run = start();
    vi.advanceTimersByTime(1000);
    workers[1]!.say({ type: 'ready' });
    host.stop();
    vi.advanceTimersByTime(300);
    const before = heard.length;
    // That much is heard: the page must not look idle.
    const drained = (): boolean[] =>
      heard.flatMap((message) => (message.type === 'draining' ? [message.busy] : []));
    const asked = (): number => workers[0]!.sent.filter(({ type }) => type === 'retire').length;
    for (let turn = 1; turn <= 5; turn++) {
      expect(asked()).toBe(turn);
      workers[0]!.say({ type: 'retiring', busy: true });
      workers[0]!.say(finish(run));
      vi.advanceTimersByTime(1000);
    }
    expect(workers[0]!.terminated).toBe(false);
    expect(drained()).toEqual([true]);
    workers[0]!.say({ type: 'retiring', busy: false });
    expect(workers[0]!.terminated).toBe(true);
    expect(drained()).toEqual([true, false]);
    expect(heard).toHaveLength(before + 2);

    // Python went on instead: it does not answer.
    start();
    vi.advanceTimersByTime(1000);
    host.stop();
    vi.advanceTimersByTime(300);
    workers[1]!.say({ type: 'retiring', busy: true });
    vi.advanceTimersByTime(1000);
    expect(workers[1]!.terminated).toBe(false);
    vi.advanceTimersByTime(500);
    expect(workers[1]!.terminated).toBe(true);
    expect(drained()).toEqual([true, false, true, false]);
  });

  it('reports a crash, and goes on with another worker', () => {
    workers[0]!.say({ type: 'ready' });
    host.run({ 'a.py': '' }, 'a.py', OPTIONS, 'a', {});
    workers[0]!.onerror?.({ message: 'out of memory' } as ErrorEvent);
    expect(finished()).toEqual(['error']);
    expect(heard.some((m) => m.type === 'event' && m.event.type === 'diagnostic')).toBe(true);
    expect(heard.some((message) => message.type === 'failed')).toBe(false);
    host.run({ 'a.py': '' }, 'a.py', OPTIONS, 'a', {});
    expect(workers[1]!.sent.at(-1)!.type).toBe('run');
  });

  it('says that it failed where Python cannot be loaded', () => {
    workers[0]!.say({ type: 'failed', message: 'no JSPI' });
    expect(heard).toEqual([{ type: 'failed', message: 'no JSPI' }]);
  });

  it('does not look idle when a replacement is ready while a run waits for it', () => {
    workers[0]!.say({ type: 'ready' });
    host.run({ 'a.py': '' }, 'a.py', OPTIONS, 'a', {});
    host.stop();
    vi.advanceTimersByTime(300);
    host.run({ 'a.py': '' }, 'a.py', OPTIONS, 'a', {});
    heard.length = 0;
    workers[1]!.say({ type: 'ready' });
    expect(heard.filter((message) => message.type === 'ready')).toHaveLength(0);
  });

  const finish = (run: number): FromProgramWorker => ({
    type: 'event',
    run,
    event: { type: 'finished', outcome: 'ok', milliseconds: 5 },
  });
  const runsOf = (worker: FakeWorker | undefined): number[] =>
    worker?.sent.flatMap((message) => (message.type === 'run' ? [message.run] : [])) ?? [];
  const start = (program = 'a'): number => host.run({ 'a.py': '' }, 'a.py', OPTIONS, program, {});

  it('runs the same program in the same worker, and another one in another', () => {
    workers[0]!.say({ type: 'ready' });
    workers[0]!.say(finish(start()));
    vi.advanceTimersByTime(1000);
    workers[1]!.say({ type: 'ready' });
    workers[0]!.say(finish(start()));
    expect(runsOf(workers[0])).toEqual([1, 2]);
    const other = start('b');
    expect(workers[0]!.terminated).toBe(true);
    expect(runsOf(workers[1])).toEqual([other]);
    // Messages of the first program's worker about the other's run are dropped.
    const before = heard.length;
    workers[0]!.say(finish(other));
    expect(heard).toHaveLength(before);
    workers[1]!.say(finish(other));
    start('a');
    expect(runsOf(workers[1])).toEqual([other]);
  });

  it('replaces a worker that a run has spent, once another one is ready', () => {
    workers[0]!.say({ type: 'ready' });
    const run = start();
    workers[0]!.say(finish(run));
    workers[0]!.say({ type: 'idle', run, spent: true, replaced: [] });
    expect(workers[0]!.terminated).toBe(false);
    expect(workers).toHaveLength(2);
    workers[1]!.say({ type: 'ready' });
    expect(workers[0]!.terminated).toBe(true);
    const next = start();
    expect(runsOf(workers[0])).toEqual([run]);
    expect(runsOf(workers[1])).toEqual([next]);
  });

  it('hears that a worker is spent before it hears that the run has ended', () => {
    workers[0]!.say({ type: 'ready' });
    const run = start();
    vi.advanceTimersByTime(1000);
    workers[1]!.say({ type: 'ready' });
    workers[0]!.say({ type: 'idle', run, spent: true, replaced: [] });
    workers[0]!.say(finish(run));
    expect(finished()).toEqual(['ok']);
    expect(workers[0]!.terminated).toBe(true);
  });

  it('runs elsewhere what came before it was known that the worker is spent', () => {
    workers[0]!.say({ type: 'ready' });
    const run = start();
    workers[0]!.say(finish(run));
    const next = start();
    workers[0]!.say({ type: 'idle', run, spent: true, replaced: [] });
    expect(runsOf(workers[1])).toEqual([next]);
    workers[1]!.say(finish(next));
    expect(finished()).toEqual(['ok', 'ok']);
  });

  it('ends a worker that goes on after its run has ended', () => {
    workers[0]!.say({ type: 'ready' });
    const honest = start();
    workers[0]!.say(finish(honest));
    workers[0]!.say({ type: 'idle', run: honest, spent: false, replaced: [] });
    vi.advanceTimersByTime(20_000);
    workers[1]!.say({ type: 'ready' });
    expect(workers[0]!.terminated).toBe(false);
    // A program sends the event, and computes on.
    workers[0]!.say(finish(start()));
    vi.advanceTimersByTime(9000);
    expect(workers[0]!.terminated).toBe(false);
    vi.advanceTimersByTime(2000);
    expect(workers[0]!.terminated).toBe(true);
  });

  it('runs elsewhere what waits behind a program that goes on after its end', () => {
    workers[0]!.say({ type: 'ready' });
    workers[0]!.say(finish(start()));
    const next = start();
    vi.advanceTimersByTime(11_000);
    expect(workers[0]!.terminated).toBe(true);
    expect(runsOf(workers[1])).toEqual([next]);
  });

  it('keeps and finds tunings of each program, and calibrations that no program can send', async () => {
    const tuning = 'a'.repeat(64);
    const calibration = 'calibration-1';
    const keep = (key: string, text: string): FromProgramWorker => ({
      type: 'keep-tuning',
      key,
      text,
    });
    const { port1, port2 } = new MessageChannel();
    workers[0]!.say({ type: 'port', port: port2 });
    workers[0]!.say(keep(calibration, 'by the worker'));
    workers[0]!.say({ type: 'ready' });
    host.run({ 'a.py': '' }, 'a.py', OPTIONS, 'mine', {});
    workers[0]!.say(keep(calibration, 'by a program'));
    workers[0]!.say(keep(tuning, 'by a program'));
    workers[0]!.say(keep(`example:matmul.py ${tuning}`, 'by a program'));
    port2.onmessage?.({ data: keep(calibration, 'by the engine') } as MessageEvent);
    expect(kept).toEqual([
      [calibration, 'by the worker'],
      [`mine ${tuning}`, 'by a program'],
      [calibration, 'by the engine'],
    ]);
    workers[0]!.say({ type: 'find-tuning', id: 7, key: tuning });
    await Promise.resolve();
    expect(workers[0]!.sent.at(-1)).toEqual({ type: 'tuning', id: 7, text: `of mine ${tuning}` });
    expect(heard.filter((message) => message.type !== 'ready')).toEqual([]);
    port1.close();
  });

  it('believes what a start says only while it starts', () => {
    const { port1, port2 } = new MessageChannel();
    workers[0]!.say({ type: 'ready' });
    const run = start();
    heard.length = 0;
    workers[0]!.say({ type: 'failed', message: 'a program wrote this' });
    workers[0]!.say({ type: 'port', port: port2 });
    expect(port2.onmessage).toBeNull();
    expect(heard).toEqual([]);
    workers[0]!.say(finish(run));
    expect(finished()).toEqual(['ok']);
    port1.close();
    port2.close();
  });

  it('goes on with other workers where the data worker ended, after the run', () => {
    workers[0]!.say({ type: 'ready' });
    const run = start();
    vi.advanceTimersByTime(1000);
    workers[1]!.say({ type: 'ready' });
    host.renew();
    expect([workers[0]!.terminated, workers[1]!.terminated]).toEqual([false, true]);
    workers[0]!.say(finish(run));
    expect(finished()).toEqual(['ok']);
    const next = start();
    expect(workers[0]!.terminated).toBe(true);
    expect(runsOf(workers[2])).toEqual([next]);
  });

  it('opens the spare after a while even without a run', () => {
    workers[0]!.say({ type: 'ready' });
    expect(workers).toHaveLength(1);
    vi.advanceTimersByTime(5000);
    expect(workers).toHaveLength(2);
  });
});
