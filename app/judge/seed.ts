/** Seeds of checks. */

/** Seeds are drawn below this: short enough to be typed. */
const SEEDS = 2 ** 30;
export const newSeed = (): number => Math.floor(Math.random() * SEEDS);
