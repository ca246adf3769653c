/** The order of a call's steps, in one thread: `Atomics.wait` is played by the test. */
import { afterEach, expect, it, vi } from 'vitest';
import { plainError, Responder, type ToEngine } from './channel';

afterEach(() => vi.restoreAllMocks());

function responderOn(handle: (method: string, args: readonly unknown[]) => unknown) {
  const responder = new Responder(handle);
  const control = new Int32Array(new SharedArrayBuffer(8));
  let data = new Uint8Array(new SharedArrayBuffer(32));
  responder.receive({ type: 'channel', control: control.buffer, data: data.buffer });
  return {
    responder,
    control,
    send: (message: ToEngine) => responder.receive(message),
    grow: (bytes: number) => {
      data = new Uint8Array(new SharedArrayBuffer(bytes));
      responder.receive({ type: 'grow', data: data.buffer });
    },
    text: () => new TextDecoder().decode(data.slice(0, control[1])),
  };
}
const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 5));

it('answers one after the other, requests room, and carries errors', async () => {
  const order: string[] = [];
  const side = responderOn(async (method, args) => {
    if (method === 'slow') await settled();
    order.push(method);
    if (method === 'fail')
      throw Object.assign(new RangeError('no'), { diagnostics: [{ code: 1 }] });
    return method === 'long' ? 'x'.repeat(100) : args;
  });
  side.send({ type: 'request', method: 'slow', args: [], wait: false });
  side.send({ type: 'request', method: 'quick', args: [1], wait: true });
  await settled();
  await settled();
  expect(order).toEqual(['slow', 'quick']);
  expect(JSON.parse(side.text())).toEqual({ ok: true, value: [1] });
  side.send({ type: 'request', method: 'long', args: [], wait: true });
  await settled();
  const asked = side.control[1]!;
  expect(asked).toBeGreaterThan(100);
  side.grow(asked);
  await settled();
  expect((JSON.parse(side.text()) as { value: string }).value).toHaveLength(100);
  side.send({ type: 'request', method: 'fail', args: [], wait: true });
  await settled();
  expect(JSON.parse(side.text())).toEqual({
    ok: false,
    error: { name: 'RangeError', message: 'no', diagnostics: [{ code: 1 }] },
  });
  expect(plainError('text')).toEqual({ name: 'Error', message: 'text' });
});
