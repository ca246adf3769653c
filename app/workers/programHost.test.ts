/** Stop, crashes and the spare, with workers that are played by the test. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunOptions } from '../events';
import { ProgramHost, type WorkerLike } from './programHost';
import type { FromProgramWorker, ToProgramWorker } from './protocol';

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
  let heard: FromProgramWorker[];
  let host: ProgramHost;
  const finished = (): string[] =>
    heard.flatMap((message) =>
      message.type === 'event' && message.event.type === 'finished' ? [message.event.outcome] : [],
    );

  beforeEach(() => {
    vi.useFakeTimers();
    workers = [];
    heard = [];
    host = new ProgramHost(
      (message) => heard.push(message),
      () => {
        const worker = new FakeWorker();
        workers.push(worker);
        return worker;
      },
      'http://localhost/',
    );
  });
  afterEach(() => {
    host.dispose();
    vi.useRealTimers();
  });

  it('sends a run before Python is ready, once', () => {
    host.run({ 'a.py': '' }, 'a.py', OPTIONS);
    expect(workers[0]!.sent.map((message) => message.type)).toEqual(['start', 'run']);
  });

  it('interrupts, and lets a program that reacts end by itself', () => {
    workers[0]!.say({ type: 'ready' });
    const run = host.run({ 'a.py': '' }, 'a.py', OPTIONS);
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
    host.run({ 'a.py': '' }, 'a.py', OPTIONS);
    vi.advanceTimersByTime(1000);
    expect(workers).toHaveLength(2);
    workers[1]!.say({ type: 'ready' });
    host.stop();
    vi.advanceTimersByTime(299);
    expect(finished()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(finished()).toEqual(['stopped']);
    expect(workers[0]!.terminated).toBe(true);
    // The dead worker's last words are not heard.
    const before = heard.length;
    workers[0]!.say({
      type: 'event',
      run: 1,
      event: { type: 'print', stream: 'stdout', text: 'late' },
    });
    expect(heard).toHaveLength(before);
    host.run({ 'a.py': '' }, 'a.py', OPTIONS);
    expect(workers[1]!.sent.map((message) => message.type)).toEqual(['start', 'run']);
    expect(workers).toHaveLength(3);
  });

  it('tells of a crash, and goes on with another worker', () => {
    workers[0]!.say({ type: 'ready' });
    host.run({ 'a.py': '' }, 'a.py', OPTIONS);
    workers[0]!.onerror?.({ message: 'out of memory' } as ErrorEvent);
    expect(finished()).toEqual(['error']);
    expect(heard.some((m) => m.type === 'event' && m.event.type === 'diagnostic')).toBe(true);
    expect(heard.some((message) => message.type === 'failed')).toBe(false);
    host.run({ 'a.py': '' }, 'a.py', OPTIONS);
    expect(workers[1]!.sent.at(-1)!.type).toBe('run');
  });

  it('says that it failed where Python cannot be loaded', () => {
    workers[0]!.say({ type: 'failed', message: 'no JSPI' });
    expect(heard).toEqual([{ type: 'failed', message: 'no JSPI' }]);
  });

  it('does not look idle when a replacement is ready while a run waits for it', () => {
    workers[0]!.say({ type: 'ready' });
    host.run({ 'a.py': '' }, 'a.py', OPTIONS);
    host.stop();
    vi.advanceTimersByTime(300);
    host.run({ 'a.py': '' }, 'a.py', OPTIONS);
    heard.length = 0;
    workers[1]!.say({ type: 'ready' });
    expect(heard.filter((message) => message.type === 'ready')).toHaveLength(0);
  });

  it('opens the spare after a while even without a run', () => {
    workers[0]!.say({ type: 'ready' });
    expect(workers).toHaveLength(1);
    vi.advanceTimersByTime(5000);
    expect(workers).toHaveLength(2);
  });
});
