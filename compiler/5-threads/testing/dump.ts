/** For developers: prints the distributed IR and the WGSL of a test kernel. */
import * as kernels from '../../4-distribute/testing/kernels';
import type { Func } from '../../ir/ir';
import { printIr } from '../../ir/printer';
import { BASELINE_TARGET } from '../../target';
import { compileFunc } from './run';

const [name = 'vectorAdd', json = '[]', target = '{}'] = process.argv.slice(2);
const make = (kernels as unknown as Record<string, (...args: unknown[]) => Func>)[name]!;
const func = make(...(JSON.parse(json) as unknown[]));
try {
  const kernel = compileFunc(func, { ...BASELINE_TARGET, ...(JSON.parse(target) as object) });
  console.log(printIr(func));
  console.log(kernel.wgsl);
} catch (error) {
  console.log(printIr(func));
  throw error;
}
