/** A random kernel with a random way to compile and launch it: all of it follows from the seed. */
import type { Func } from '../../ir/ir';
import { seededRandom } from '../../ir/random';
import { BASELINE_TARGET } from '../../target';
import type { Target } from '../../target';
import { randomTiles } from './randomTiles';
import type { RandomTiles, RandomTilesOptions } from './randomTiles';
import type { LaunchOptions } from './run';

export interface FuzzCase {
  readonly tiles: RandomTiles;
  readonly target: Target;
  readonly launch: LaunchOptions;
}

/** `adapter`: the target with all that the adapter has; others are cut down from it. */
export function fuzzCase(
  seed: number,
  adapter: Target,
  options: RandomTilesOptions = {},
): FuzzCase {
  const random = seededRandom(seed * 7919 + 1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const tiles = randomTiles(seed, options);
  const invocations = (most: number): Target => ({ ...BASELINE_TARGET, maxInvocations: most });
  const target = pick<Target>([
    invocations(64),
    invocations(128),
    BASELINE_TARGET,
    adapter,
    { ...adapter, f16: false },
  ]);
  const count = tiles.divisible.length;
  const groups = new Array<number>(count).fill(0);
  const shifts = new Array<number>(count).fill(0);
  // Numbered without gaps, several pointers to a group now and then.
  const merge = random();
  let next = 0;
  for (const { index, bytes } of tiles.pointers) {
    groups[index] = next > 0 && random() < (merge < 0.5 ? 0 : 0.5) ? next - 1 : next++;
    if (!tiles.divisible[index]) shifts[index] = bytes * Math.floor(random() * 5);
  }
  const launch: LaunchOptions = {
    numWarps: pick([1, 2, 4, 8, 16, 32]),
    groups,
    shifts,
    optimize: random() < 0.7,
    options: { checkBounds: random() < 0.6, linearGrid: random() < 0.2 },
  };
  // Now and then everything that has a few registers counts as large, and is written as loops.
  if (random() < 0.35) {
    const few = pick([1, 2, 4, 8]);
    const { make } = tiles;
    const rolled = (): Func => {
      const func = make();
      func.attributes['namedRegisters'] = few;
      return func;
    };
    return { tiles: { ...tiles, make: rolled }, target, launch };
  }
  return { tiles, target, launch };
}
