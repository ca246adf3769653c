/** The prove worker: `prove/proof.ts` with the page's compiler, for one proof. */
import { reportOf } from '../prove/proof';
import { browserCompiler } from './browserCompiler';
import { browserParser } from './browserParser';
import type { FromProveWorker, ToProveWorker } from './proveProtocol';

const post = (message: FromProveWorker): void => self.postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<ToProveWorker>) => {
  void browserParser()
    .then((parser) =>
      reportOf(data.runs, browserCompiler(parser), (text) => post({ type: 'progress', text })),
    )
    .then((report) => post({ type: 'report', report }))
    .catch((error: unknown) =>
      post({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
    );
});
