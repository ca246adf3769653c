/**
 * The compiler worker: what the text says while it is typed. It never waits for Python or the GPU. An
 * exception in the compiler is an answer, not the end; `CompilerHost` watches for worse.
 */
import { createCompiler } from '../../compiler/pipeline';
import { checkProgram } from '../runtime/check';
import { browserParser } from './browserParser';
import type { FromCompilerWorker, ToCompilerWorker } from './protocol';

const post = (message: FromCompilerWorker): void => self.postMessage(message);

const ready = browserParser().then((parser) => ({ parser, compiler: createCompiler(parser) }));
ready.then(
  () => post({ type: 'ready' }),
  () => {},
);

self.addEventListener('message', (event: MessageEvent<ToCompilerWorker>) => {
  void answer(event.data);
});

async function answer(message: ToCompilerWorker): Promise<void> {
  const { id } = message;
  try {
    const { parser, compiler } = await ready;
    switch (message.type) {
      case 'check':
        post({ type: 'checked', id, ...checkProgram(message.files, parser, compiler) });
        return;
      case 'compile':
        post({ type: 'compiled', id, result: compiler.compile(message.request) });
        return;
      default:
        unreachable(message);
    }
  } catch (error) {
    post({ type: 'crashed', id, message: error instanceof Error ? error.message : String(error) });
  }
}

function unreachable(message: never): never {
  throw new Error(`unknown message ${JSON.stringify(message)}`);
}
