/**
 * Verification of launches on a GPU (`compiler/inspect/verify.ts`): a launch's data is kept right
 * before it, only where that was asked for, and what the GPU left is read right behind it. What is
 * interpreted is the IR as lowering made it, before any pass.
 */
import { funcAfter } from '../../compiler/inspect/funcAfter';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { verifyLaunch, type Verification } from '../../compiler/inspect/verify';
import type { Compiler } from '../../compiler/pipeline';
import type { CompileRequest } from '../../compiler/program';
import type { AdapterInfo, ProgramEvent, VerifyRequest } from '../events';
import { COMPILER_VERSION } from './compilerVersion';
import type { Engine, EngineLaunch } from './engine';
import { inputsOf, storagesOf } from './launchInputs';
import { cpuCopy, type Storage } from './storage';

/** Bytes of all of a launch's tensors. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Bytes of a tensor whose values are written into a report. */
const MOST_REPORTED = 64 * 1024;

type VerificationEvent = Extract<ProgramEvent, { type: 'verification' }>;

/** Whether a launch is one of those that are to be verified. */
export function isWanted({ site }: EngineLaunch, { line }: VerifyRequest): boolean {
  return line === undefined || site.line === line;
}

/** @param launches makes the launch. */
export async function launchVerified(
  engine: Engine,
  launch: EngineLaunch,
  compiler: Compiler,
  request: CompileRequest,
  { sample, seed }: VerifyRequest,
  launches: () => void | Promise<void>,
): Promise<VerificationEvent> {
  const start = performance.now();
  const storages = storagesOf(launch);
  const bytes = storages.reduce((sum, storage) => sum + storage.bytes, 0);
  const room = bytes <= MOST_BYTES;
  if (room) await readAll(engine, storages);
  const inputs = inputsOf(launch, request, storages, room);
  await launches();
  if (room) await readAll(engine, storages);
  const results = room ? storages.map((storage) => cpuCopy(storage).slice()) : [];
  const found = interpreted(compiler, inputs, results, sample, seed);
  const { id, unit, site } = launch;
  return {
    type: 'verification',
    ...{ launch: id, kernel: unit.name, site, ...found },
    milliseconds: performance.now() - start,
    report: found.verdict === 'different' ? reportOf(engine.info, inputs, found, results) : null,
  };
}

async function readAll(engine: Engine, storages: readonly Storage[]): Promise<void> {
  for (const storage of storages) if (storage.fresh === 'gpu') await engine.read(storage);
}

function interpreted(
  compiler: Compiler,
  inputs: LaunchInputs,
  results: readonly Uint8Array[],
  sample: number,
  seed: number,
): Verification {
  const lowered = funcAfter(compiler, inputs.request, ({ index }) => index === 0);
  if (lowered.ok) return verifyLaunch(lowered.func, inputs, results, { sample, seed });
  const reason = lowered.diagnostics[0]?.message ?? 'the kernel does not compile again';
  const none = { programs: 0, of: 0, seed, left: 0, first: null, program: null };
  return { ...none, verdict: 'undecided', reason };
}

/** A text by which the difference can be seen again, elsewhere. */
function reportOf(
  info: AdapterInfo,
  inputs: LaunchInputs,
  found: Verification,
  results: readonly Uint8Array[],
): string {
  const { kernel, grid, request, args, storages } = inputs;
  const { first, program, programs, of, seed } = found;
  const place = first
    ? `${first.argument}[${first.index}]: ${first.before} by the interpreter, ${first.after} by the GPU`
    : '';
  const values = args.map((arg, i) =>
    arg.kind === 'scalar'
      ? `argument ${i}: ${String(arg.value)}`
      : `argument ${i}: storage ${arg.storage} + ${arg.address - storages[arg.storage]!.address} bytes`,
  );
  const tensors = storages.map(({ byteLength, contents }, i) => {
    const data =
      contents instanceof Uint8Array
        ? byteLength <= MOST_REPORTED
          ? base64(contents)
          : 'left out: too large'
        : JSON.stringify(contents);
    const left = byteLength <= MOST_REPORTED ? base64(results[i]!) : 'left out: too large';
    return `storage ${i}, ${byteLength} bytes\n  before: ${data}\n  after: ${left}`;
  });
  const files = Object.entries(request.program.files).map(
    ([name, text]) => `--- ${name}\n${text.trimEnd()}`,
  );
  return [
    `Hippocamp ${COMPILER_VERSION}: a launch whose result on the GPU is another than the interpreter’s`,
    `adapter: ${JSON.stringify(info)}`,
    `target: ${JSON.stringify(request.target)}`,
    `kernel: ${kernel}, grid ${grid.join(' × ')}`,
    `difference: ${place}${program ? `, program ${program.join(', ')}` : ''}`,
    `programs: ${programs} of ${of}, seed ${seed}`,
    `specialization: ${JSON.stringify(request.specialization)}`,
    `options: ${JSON.stringify(request.options)}`,
    ...values,
    ...tensors,
    ...files,
    '',
  ].join('\n');
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
