/** Target-independent passes, in order. Each leaves what the kernel does to memory unchanged. */
import type { Func } from '../ir/ir';

/** Changes the function in place; says whether it changed anything. */
export type OptimizePass = (func: Func) => boolean;

export const OPTIMIZE_PASSES: readonly { readonly name: string; readonly run: OptimizePass }[] = [];
