/** The cases of `libdevice.json`: their kernels, and by how much results may miss. */
export interface LibdeviceCase {
  readonly name: string;
  readonly args: readonly (readonly number[])[];
  readonly wanted: readonly number[];
  /** Units in the last place, besides the half that rounding costs; 0: exact. */
  readonly ulps?: number;
  readonly absolute?: number;
}

/** Applies the function to 16 numbers of X, Y and Z, as many as it takes; the results go to F. */
export function libdeviceKernel({ name, args }: LibdeviceCase): string {
  const loads = ['X', 'Y', 'Z'].slice(0, args.length).map((pointer) => `tl.load(${pointer} + at)`);
  return `import triton
import triton.language as tl
from triton.language.extra import libdevice
@triton.jit
def kernel(X, Y, Z, F):
    at = tl.arange(0, 16)
    tl.store(F + at, libdevice.${name}(${loads.join(', ')}))
`;
}

/** Inputs where the results miss by more than they may. */
export function missed(one: LibdeviceCase, found: ArrayLike<number>): string[] {
  return one.wanted.flatMap((wanted, i) => {
    const got = found[i]!;
    const near = Math.fround(wanted);
    const unit = 2 ** Math.max(-149, Math.floor(Math.log2(Math.abs(wanted) || 1)) - 23);
    const bound = one.absolute ?? (one.ulps === 0 ? 0 : (one.ulps! + 0.5) * unit);
    const miss = Math.abs(got - (bound === 0 ? near : wanted));
    const at = one.args.map((column) => column[i]).join(', ');
    return miss <= bound ? [] : [`${one.name}(${at}): got ${got}, want ${wanted}`];
  });
}
