/** The trace that was dropped or chosen last: the dialog lists its launches. */
import { create } from 'zustand';
import { notify } from '../programs/notices';
import { openDialog } from '../state/view';
import { OpenFault } from './fault';
import { TraceReader, type Trace } from './trace';

export interface TraceState {
  readonly name: string;
  readonly trace: Trace | null;
}
export const useTrace = create<TraceState>(() => ({ name: '', trace: null }));

/** Reads a trace piece by piece, and opens the dialog; a failure is a sentence. */
export async function openTrace(file: File): Promise<void> {
  try {
    useTrace.setState({ name: file.name, trace: await readTrace(file) });
    openDialog('trace');
  } catch (error) {
    const why = error instanceof OpenFault ? error.message : `${String(error)}.`;
    notify({ text: `${file.name} was not opened. ${why}` });
  }
}

/** @throws OpenFault */
export async function readTrace(file: Blob): Promise<Trace> {
  const reader = new TraceReader();
  const decoder = new TextDecoder();
  const take = (bytes: Uint8Array, last: boolean): void =>
    reader.add(decoder.decode(bytes, { stream: !last }));
  const first = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const packed = first[0] === 0x1f && first[1] === 0x8b;
  const stream = file.stream().getReader();
  // A member a record, as TritonParse writes them, which the browser's own stream does not read.
  const gunzip = packed ? new (await import('fflate')).Gunzip(take) : null;
  for (;;) {
    const { done, value } = await stream.read();
    if (done) break;
    try {
      if (gunzip) gunzip.push(value);
      else take(value, false);
    } catch (error) {
      if (error instanceof OpenFault) throw error;
      throw new OpenFault('It is no gzip file that can be read.', 'file');
    }
  }
  return reader.end();
}
