/**
 * Message ports as our own code in a worker of programs uses them. A program can replace what the
 * prototypes hold, and what it puts there would be called with the port.
 *
 * Guarantee: after this module is loaded, no program gets hold of a port through these functions.
 */
const { apply } = Reflect;
const { postMessage } = MessagePort.prototype;
const { get: data } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data')!;

export function postThrough(
  port: MessagePort,
  message: unknown,
  transfer: readonly Transferable[] = [],
): void {
  apply(postMessage, port, [message, transfer]);
}

/** Data of an event, without a look at the event's own properties. */
export function dataOf<T>(event: MessageEvent<T>): T {
  return apply(data!, event, []) as T;
}
