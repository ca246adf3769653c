/** Latest wins, crashes and hangs, with workers that are played by the test. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CompilerHost, Superseded, type CompilerWorkerLike } from './compilerHost';
import type { FromCompilerWorker, ToCompilerWorker } from './protocol';

class FakeWorker implements CompilerWorkerLike {
  readonly sent: ToCompilerWorker[] = [];
  terminated = false;
  onmessage: CompilerWorkerLike['onmessage'] = null;
  onerror: CompilerWorkerLike['onerror'] = null;
  postMessage(message: ToCompilerWorker): void {
    this.sent.push(message);
  }
  terminate(): void {
    this.terminated = true;
  }
  answer(answer: FromCompilerWorker): void {
    this.onmessage?.({ data: answer } as MessageEvent<FromCompilerWorker>);
  }
  get lastId(): number {
    return this.sent.at(-1)!.id;
  }
}

describe('CompilerHost', () => {
  let workers: FakeWorker[];
  let host: CompilerHost;
  beforeEach(() => {
    vi.useFakeTimers();
    workers = [];
    host = new CompilerHost(() => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker;
    }, 1000);
  });
  afterEach(() => {
    host.dispose();
    vi.useRealTimers();
  });
  const checked = (id: number): FromCompilerWorker => ({
    type: 'checked',
    id,
    diagnostics: [],
    kernels: [],
  });

  it('lets a newer check replace one that did not start', async () => {
    const first = host.check({ 'a.py': '1' });
    const second = host.check({ 'a.py': '2' });
    const third = host.check({ 'a.py': '3' });
    await expect(second).rejects.toBeInstanceOf(Superseded);
    workers[0]!.answer(checked(workers[0]!.lastId));
    await first;
    const last = workers[0]!.sent.at(-1)!;
    expect(last.type === 'check' && last.files['a.py']).toBe('3');
    workers[0]!.answer(checked(last.id));
    expect((await third).kernels).toEqual([]);
  });

  it('starts the worker again when it dies, and goes on with what waits', async () => {
    const first = host.check({ 'a.py': '1' });
    const second = host.check({ 'a.py': '2' });
    workers[0]!.onerror?.({ message: 'stack overflow' } as ErrorEvent);
    await expect(first).rejects.toThrow('stack overflow');
    expect(workers).toHaveLength(2);
    workers[1]!.answer(checked(workers[1]!.lastId));
    await second;
  });

  it('starts the worker again when it hangs', async () => {
    const first = host.check({ 'a.py': '1' });
    const failure = expect(first).rejects.toThrow(/took too long/);
    vi.advanceTimersByTime(1000);
    await failure;
    expect(workers[0]!.terminated).toBe(true);
    const second = host.check({ 'a.py': '2' });
    workers[1]!.answer(checked(workers[1]!.lastId));
    await second;
  });

  it('rejects with what the worker says of a crash in the compiler', async () => {
    const first = host.check({ 'a.py': '1' });
    workers[0]!.answer({ type: 'crashed', id: workers[0]!.lastId, message: 'boom' });
    await expect(first).rejects.toThrow('boom');
  });
});
