/**
 * The place of a compared tensor's element in the launch that stored it, as it can be run again.
 */
import { programOf, type LaunchInputs } from '../../../compiler/inspect/launch';
import type { TensorPlace } from '../../events';
import { unravel } from '../../inspection/elements';
import { ITEM_SIZE, type Dtype } from '../../numerics/dtypes';
import { useInputs } from '../../state/inputs';
import type { LaunchEvent } from '../../state/record';
import { useRun } from '../../state/run';
import { choosePanel, chooseSpecialization } from '../../state/view';
import { useDebugger, type StoreGoal } from '../debugger/state';
import type { Producer } from './useProducer';

/** Null where no single program stored it, or what the launch got is not known. */
export function storeOf(producer: Producer, flat: number): StoreGoal | null {
  const owner = producer.owners[flat];
  if (owner === undefined || owner < 0) return null;
  const inputs = inputsOf(producer.launch, useRun.getState().launches);
  const base = inputs && baseAddress(producer.launch, inputs, producer.place);
  if (!inputs || base === null) return null;
  const { offset, strides, dtype } = producer.place;
  const index = unravel(flat, producer.shape);
  const elements = index.reduce((sum, at, axis) => sum + at * strides[axis]!, offset);
  return {
    launch: inputs,
    program: programOf(inputs.grid, owner),
    address: base + elements * ITEM_SIZE[dtype as Dtype],
    element: `[${index.join(', ')}]`,
  };
}

/** The launch itself where its inputs were kept, else one of the same code and grid. */
export function inputsOf(
  { id, key, grid }: Pick<LaunchEvent, 'id' | 'key' | 'grid'>,
  launches: readonly LaunchInputs[],
): LaunchInputs | null {
  return (
    launches.find(({ launch }) => launch === id) ??
    launches.find((one) => one.key === key && one.grid.join() === grid.join()) ??
    null
  );
}

/** The address, in the inputs, of the storage that a place lies in. */
export function baseAddress(
  { values }: Pick<LaunchEvent, 'values'>,
  inputs: LaunchInputs,
  { storage }: Pick<TensorPlace, 'storage'>,
): number | null {
  // Constexprs are no arguments of the lowered function.
  const leaves = values.filter((value) => value !== null);
  const place = leaves.findIndex((value) => 'storage' in value && value.storage === storage);
  const arg = inputs.args[place];
  return arg?.kind === 'pointer' ? (inputs.storages[arg.storage]?.address ?? null) : null;
}

/** Opens the debugger at the store. */
export function debugElement(goal: StoreGoal): void {
  const { launch, program } = goal;
  chooseSpecialization({ kernel: launch.kernel, key: launch.key });
  useInputs.setState({ launch: launch.launch, program });
  useDebugger.setState({ goal });
  choosePanel('debugger');
}
