/**
 * Inputs of a launch, for the panels that interpret it again: its arguments always, and what its
 * tensors held before it where a copy costs nothing but memory (the CPU's copy is fresh) or was
 * requested. Of a line's launches on one grid the first is kept, or each that has other arguments.
 */
import type { LaunchArgument, LaunchInputs, LaunchStorage } from '../../compiler/inspect/launch';
import type { CompileRequest } from '../../compiler/program';
import { arenaOf, type Engine, type EngineLaunch } from './engine';
import { interpreterArguments } from './interpretation';
import { cpuCopy, type Storage } from './storage';

/** Bytes of one launch's tensors, and of all launches of a run together. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_BYTES_OF_RUN = 192 * 1024 * 1024;
const MOST_LAUNCHES = 500;

export type SendInputs = (inputs: LaunchInputs, transfer: ArrayBuffer[]) => void;

export class InputKeeper {
  readonly #seen = new Set<string>();
  #left = MOST_BYTES_OF_RUN;

  constructor(
    private readonly send: SendInputs,
    /** Read back from the GPU what is only there. */
    private readonly readBack: boolean,
    /** Keep each of a line's launches that differ in scalars or tensors, not the first alone. */
    private readonly every = false,
  ) {}

  /** Call right before the launch. Waits only where something is read back. */
  keep(engine: Engine, launch: EngineLaunch, request: CompileRequest): void | Promise<void> {
    const { unit, grid, site } = launch;
    const line = `${unit.key} ${grid.join()} ${site.file}:${site.line}`;
    const shape = this.every ? `${line} ${argumentsKey(launch)}` : line;
    if (this.#seen.has(shape) || this.#seen.size >= MOST_LAUNCHES) return;
    this.#seen.add(shape);
    const storages = storagesOf(launch);
    const bytes = storages.reduce((sum, storage) => sum + storage.bytes, 0);
    const room = bytes <= MOST_BYTES && bytes <= this.#left;
    if (room) this.#left -= bytes;
    const done = (): void => this.#send(launch, request, storages, room);
    const stale = storages.filter((storage) => storage.fresh === 'gpu');
    if (!room || !this.readBack || stale.length === 0) return done();
    return (async () => {
      for (const storage of stale) await engine.read(storage);
      done();
    })();
  }

  #send(
    launch: EngineLaunch,
    request: CompileRequest,
    storages: readonly Storage[],
    room: boolean,
  ): void {
    const transfer: ArrayBuffer[] = [];
    const inputs = inputsOf(launch, request, storages, room, transfer);
    this.send(inputs, transfer);
  }
}

/**
 * A launch's inputs, with the contents that the CPU's copies have.
 * @param room whether contents are kept
 * @param transfer gets the buffers of the contents
 */
export function inputsOf(
  launch: EngineLaunch,
  request: CompileRequest,
  storages: readonly Storage[],
  room: boolean,
  transfer: ArrayBuffer[] = [],
): LaunchInputs {
  const kept = storages.map((storage): LaunchStorage => {
    const { address, bytes: byteLength, fresh } = storage;
    if (fresh === 'new') return { address, byteLength, contents: storage.fill };
    if (!room || (fresh !== 'cpu' && fresh !== 'both'))
      return { address, byteLength, contents: null };
    const contents = new Uint8Array(cpuCopy(storage));
    transfer.push(contents.buffer);
    const { low, high } = storage.fill;
    const fill = low === 0 && high === 0 ? {} : { fill: storage.fill };
    return { address, byteLength, contents, ...fill };
  });
  const values = interpreterArguments(launch.leaves);
  const args = launch.leaves.map((leaf, i): LaunchArgument => {
    if (leaf.kind === 'scalar') return { kind: 'scalar', value: values[i]! };
    const { shape = null, strides = null } = leaf;
    const storage = storages.indexOf(leaf.storage);
    return { kind: 'pointer', address: Number(values[i]!), storage, shape, strides };
  });
  const { id, unit, grid } = launch;
  return { launch: id, kernel: unit.name, key: unit.key, request, grid, args, storages: kept };
}

/** Scalars, and where tensors lie and how. */
function argumentsKey({ leaves }: EngineLaunch): string {
  const values = interpreterArguments(leaves);
  return leaves
    .map((leaf, i) =>
      leaf.kind === 'scalar'
        ? String(values[i])
        : [values[i], leaf.storage.bytes, leaf.shape, leaf.strides].join('/'),
    )
    .join(' ');
}

/** Storages that a launch can reach, each once. */
export function storagesOf(launch: EngineLaunch): Storage[] {
  const own = launch.leaves.flatMap((leaf) => (leaf.kind === 'pointer' ? [leaf.storage] : []));
  return [...new Set([...own, ...arenaOf(launch)])];
}
