/** Copies of a run's tensors go to the data worker, without another copy on the way. */
import type { Dtype } from '../numerics/dtypes';
import { LimitedHolder, type Holder } from '../runtime/hold';
import type { FromProgram } from './dataProtocol';
import { postThrough } from './ports';

export function holderFor(port: MessagePort, share: number): Holder {
  const send = (data: FromProgram, transfer: Transferable[]): void =>
    postThrough(port, data, transfer);
  return new LimitedHolder(
    share,
    `${crypto.randomUUID().slice(0, 8)}-`,
    (id, { dtype, shape }, bytes) =>
      send({ type: 'hold', id, dtype: dtype as Dtype, shape, bytes }, [bytes]),
    () => send({ type: 'begin' }, []),
  );
}
