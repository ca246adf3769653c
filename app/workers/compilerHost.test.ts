/** Latest wins, crashes and hangs, with workers that are played by the test. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CompileRequest } from '../../compiler/program';
import { CompilerHost } from './compilerHost';
import { Superseded, type CompilerWorkerLike } from './compilerLane';
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
  let loads: (string | null)[];
  beforeEach(() => {
    vi.useFakeTimers();
    workers = [];
    loads = [];
    const createWorker = (): FakeWorker => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker;
    };
    host = new CompilerHost(createWorker, 1000, 'http://localhost/', (why) => loads.push(why));
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

  it('compiles nothing that nobody wants any more when its turn comes', async () => {
    const request = (entry: string): CompileRequest =>
      ({ program: { files: {}, functions: {}, entry } }) as unknown as CompileRequest;
    let newest = 0;
    const ask = (turn: number) => {
      newest = turn;
      return host.compileSettled(request(`k${turn}`), () => turn === newest);
    };
    const [first, second, third] = [ask(1), ask(2), ask(3)];
    const replaced = [first, second].map((one) => expect(one).rejects.toBeInstanceOf(Superseded));
    const compiler = workers.at(-1)!;
    const compiled = (): FromCompilerWorker => ({
      type: 'compiled',
      id: compiler.lastId,
      result: { kind: 'failed', diagnostics: [], log: { passes: [], locations: [] } },
      facts: [],
    });
    compiler.answer(compiled());
    await Promise.all(replaced);
    const sent = compiler.sent.map((each) => each.type === 'compile' && each.request.program.entry);
    expect(sent).toEqual(['k1', 'k3']);
    compiler.answer(compiled());
    expect((await third).request.program.entry).toBe('k3');
  });

  it('starts the worker again when it dies, and goes on with what waits', async () => {
    workers[0]!.answer({ type: 'ready' });
    const opened = workers.length;
    const first = host.check({ 'a.py': '1' });
    const second = host.check({ 'a.py': '2' });
    workers[0]!.onerror?.({ message: 'stack overflow' } as ErrorEvent);
    await expect(first).rejects.toThrow('stack overflow');
    expect(workers).toHaveLength(opened + 1);
    workers.at(-1)!.answer(checked(workers.at(-1)!.lastId));
    await second;
  });

  it('starts the worker again when it hangs', async () => {
    workers[0]!.answer({ type: 'ready' });
    const first = host.check({ 'a.py': '1' });
    const failure = expect(first).rejects.toThrow(/took too long/);
    vi.advanceTimersByTime(1000);
    await failure;
    expect(workers[0]!.terminated).toBe(true);
    const second = host.check({ 'a.py': '2' });
    workers.at(-1)!.answer(checked(workers.at(-1)!.lastId));
    await second;
  });

  it('counts no time while the worker is downloaded', async () => {
    const first = host.check({ 'a.py': '1' });
    vi.advanceTimersByTime(500_000);
    expect(workers).toHaveLength(1);
    workers[0]!.answer({ type: 'ready' });
    vi.advanceTimersByTime(999);
    workers[0]!.answer(checked(workers[0]!.lastId));
    expect((await first).kernels).toEqual([]);
  });

  it('opens the second worker when the first is loaded, and says when both are', async () => {
    let both = false;
    void host.loaded.then(() => (both = true));
    expect(workers).toHaveLength(1);
    workers[0]!.answer({ type: 'ready' });
    expect(workers).toHaveLength(2);
    await Promise.resolve();
    expect(both).toBe(false);
    workers[1]!.answer({ type: 'ready' });
    await host.loaded;
    expect(loads).toEqual([null, null]);
  });

  it('tries again what could not be loaded, with the request that waits for it', async () => {
    const first = host.check({ 'a.py': '1' });
    workers[0]!.onerror?.({} as ErrorEvent);
    await host.loaded;
    expect(workers[0]!.terminated).toBe(true);
    expect(loads).toEqual(['its script could not be fetched']);
    vi.advanceTimersByTime(999);
    expect(workers).toHaveLength(1);
    vi.advanceTimersByTime(1);
    workers[1]!.answer({ type: 'unavailable', message: 'HTTP 502' });
    // Later each time.
    vi.advanceTimersByTime(1999);
    expect(workers).toHaveLength(2);
    vi.advanceTimersByTime(1);
    workers[2]!.answer({ type: 'ready' });
    workers[2]!.answer(checked(workers[2]!.lastId));
    expect((await first).kernels).toEqual([]);
    expect(loads).toEqual(['its script could not be fetched', 'HTTP 502', null]);
  });

  it('rejects with what the worker says of a crash in the compiler', async () => {
    const first = host.check({ 'a.py': '1' });
    workers[0]!.answer({ type: 'crashed', id: workers[0]!.lastId, message: 'boom' });
    await expect(first).rejects.toThrow('boom');
  });
});
