/** For tests: the gallery's kernels in tiles and in thread IR, after the last pass. */
import { CPU_FACTS } from '../machine';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outline } from '../1-parse/outline';
import type { Parser } from '../1-parse/parser';
import type { Func } from '../ir/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import { createCompiler } from '../pipeline';
import { DEFAULT_OPTIONS, type CompileRequest } from '../program';
import { settle } from '../regroup';
import { BASELINE_TARGET, type Target } from '../target';
import { gallerySignature } from './gallerySignatures';
import { MATRIX_TARGET } from './targets';

/**
 * Kinds of target that differ most: narrow subgroups on a CPU, matrices and halves, no subgroups.
 */
export const KINDS: readonly Target[] = [
  {
    ...BASELINE_TARGET,
    name: 'SwiftShader',
    machine: CPU_FACTS,
    subgroupSize: 4,
    sharedMemoryInStorage: true,
  },
  { ...MATRIX_TARGET, f16RoundsToNearest: true, f16PacksToNearest: true },
  BASELINE_TARGET,
];

export interface GalleryKernel {
  readonly file: string;
  readonly name: string;
  readonly request: CompileRequest;
}
export interface LoweredKernel {
  /** The request it was compiled for: binding groups may have been merged. */
  readonly request: CompileRequest;
  /** Tile IR after its last pass. */
  readonly tiles: Func;
  readonly threads: ThreadKernel;
}

const EXAMPLES = join(import.meta.dirname, '../../public/examples');

/**
 * Every kernel that a program of the gallery launches: as the live page specializes it, or as
 * `gallerySignatures` states.
 */
export function galleryKernels(parser: Parser, target: Target): GalleryKernel[] {
  const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.py'));
  return files.flatMap((file) => {
    const text = readFileSync(join(EXAMPLES, file), 'utf8');
    return outline({ [file]: text }, parser).flatMap(
      ({ name, program, guess }): GalleryKernel[] => {
        if (!text.includes(`${name}[`)) return [];
        const signature = gallerySignature(file, name);
        const specialization = signature ? { arguments: signature, numWarps: 4 } : guess;
        if (!specialization) throw new Error(`${file}: ${name} has no signature`);
        return [
          { file, name, request: { program, specialization, target, options: DEFAULT_OPTIONS } },
        ];
      },
    );
  });
}

/** A kernel after the last pass, in tiles and in threads. @throws where it does not compile. */
export function lowerToThreads(parser: Parser, first: CompileRequest): LoweredKernel {
  let tiles: Func | undefined;
  let threads: ThreadKernel | undefined;
  const { result, request } = settle(
    (each) =>
      createCompiler(parser).compile(
        each,
        {},
        (_, live) => (tiles = live),
        (_, live) => (threads = live),
      ),
    first,
  );
  if (result.kind !== 'compiled' || !tiles || !threads)
    throw new Error(result.kind === 'failed' ? result.diagnostics[0]?.message : result.kind);
  return { request, tiles, threads };
}
