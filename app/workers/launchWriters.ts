/** Which program of a launch wrote each element of a tensor: the launch as its event reports it. */
import { writersOf, type Writers } from '../../compiler/inspect/writers';
import type { Compiler } from '../../compiler/pipeline';
import { ITEM_SIZE, type Dtype } from '../numerics/dtypes';
import { AddressSpace } from '../runtime/addresses';
import { flattenArguments } from '../runtime/arguments';
import { interpreterArguments } from '../runtime/interpretation';
import { Storage } from '../runtime/storage';
import type { InspectQuestion } from './inspectProtocol';

/** Bytes between the storages' places, which stand for their addresses: none is so large. */
const APART = 2 ** 40;
const PATIENCE = 4000;

export function writersOfLaunch(
  compiler: Compiler,
  question: Extract<InspectQuestion, { kind: 'writers' }>,
): Writers {
  const { request, values, grid, place, shape } = question;
  const { func } = compiler.optimize(request, {});
  if (!func) return { known: false, reason: 'the kernel could not be compiled again here' };
  const places = new Map<number, Storage>();
  const storageOf = (id: number): Storage => {
    let found = places.get(id);
    if (!found) {
      const space = new AddressSpace((places.size + 1) * APART);
      places.set(id, (found = new Storage(id, 0, { device: space, host: space })));
    }
    return found;
  };
  const leaves = flattenArguments(request.specialization, values, [], storageOf);
  if (!places.has(place.storage))
    return { known: false, reason: 'the tensor is no argument of the launch' };
  return writersOf({
    func,
    args: interpreterArguments(leaves),
    grid,
    target: {
      address: storageOf(place.storage).address,
      bytes: APART,
      elementBytes: ITEM_SIZE[place.dtype as Dtype],
      offset: place.offset,
      strides: place.strides,
      shape,
    },
    patience: PATIENCE,
  });
}
