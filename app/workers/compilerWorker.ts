/**
 * The compiler worker: what the text says while it is typed. It never waits for Python or the GPU.
 * An exception in the compiler is an answer, not the end; `CompilerHost` watches for worse.
 */
import { languageApi, mergeApis, type Api } from '../../compiler/language/api';
import { compileWithFacts, type CompiledWithFacts } from '../../compiler/language/facts';
import { answer as ask } from '../../compiler/language/index';
import { withRepair } from '../../compiler/language/repair';
import type { Compiler } from '../../compiler/pipeline';
import type { CompileRequest } from '../../compiler/program';
import { checkProgram } from '../../compiler/language/checkProgram';
import { browserCompiler } from './browserCompiler';
import { SITE_FILES } from '../siteFiles';
import { browserParser } from './browserParser';
import { packResult } from './packedLog';
import type { FromCompilerWorker, ToCompilerWorker } from './protocol';

const post = (message: FromCompilerWorker): void => self.postMessage(message);

const ready = browserParser().then((parser) => ({ parser, compiler: browserCompiler(parser) }));
ready.then(
  () => post({ type: 'ready' }),
  (error: unknown) => post({ type: 'unavailable', message: describe(error) }),
);

self.addEventListener('message', (event: MessageEvent<ToCompilerWorker>) => {
  void answer(event.data);
});

let api: Promise<Api> | null = null;

/**
 * Milliseconds that a question waits for the packages' names: what is typed is checked behind it.
 */
const PACKAGES_PATIENCE = 500;

/**
 * Names of the Python packages, loaded with the first question; without them, the language alone.
 */
function packages(baseUrl: string): Promise<Api> {
  api ??= fetchApi(baseUrl).catch(() => {
    api = null;
    return languageApi();
  });
  const alone = new Promise<Api>((resolve) =>
    setTimeout(() => resolve(languageApi()), PACKAGES_PATIENCE),
  );
  return Promise.race([api, alone]);
}
async function fetchApi(baseUrl: string): Promise<Api> {
  const response = await fetch(new URL(SITE_FILES.pythonApi, baseUrl));
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return mergeApis((await response.json()) as Api, languageApi());
}

async function answer(message: ToCompilerWorker): Promise<void> {
  const { id } = message;
  try {
    const { parser, compiler } = await ready;
    switch (message.type) {
      case 'check':
        post({
          type: 'checked',
          id,
          ...checkProgram(message.files, parser, compiler, message.launched),
        });
        return;
      case 'compile': {
        const { result, facts } = repaired(compiler, message.request);
        const packed = packResult(result);
        self.postMessage(
          { type: 'compiled', id, result: packed.result, facts } satisfies FromCompilerWorker,
          packed.transfer,
        );
        return;
      }
      case 'language': {
        const api = await packages(message.baseUrl);
        post({ type: 'language', id, answer: ask(message.request, parser, api) });
        return;
      }
      default:
        unreachable(message);
    }
  } catch (error) {
    post({ type: 'crashed', id, message: describe(error) });
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Diagnostics of lowering for the kernel in view have quick fixes like those of the text. */
function repaired(compiler: Compiler, request: CompileRequest): CompiledWithFacts {
  const { result, facts } = compileWithFacts(compiler, request);
  if (result.kind === 'regroup') return { result, facts };
  const { files } = request.program;
  const diagnostics = result.diagnostics.map((each) => withRepair(each, files));
  return { result: { ...result, diagnostics }, facts };
}

function unreachable(message: never): never {
  throw new Error(`unknown message ${JSON.stringify(message)}`);
}
