/** For tests: a fault for each pass of the pipeline, by the pass's name. */
import { DISTRIBUTE_PLANTS } from './distributePlants';
import type { Plant } from './plant';
import { OPTIMIZE_PLANTS } from './tilePlants';
import { THREAD_PLANTS } from './threadPlants';

export type { Plant } from './plant';
export const PLANTS: readonly Plant[] = [
  ...OPTIMIZE_PLANTS,
  ...DISTRIBUTE_PLANTS,
  ...THREAD_PLANTS,
];
