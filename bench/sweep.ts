/** Choices of distribution over configurations of a matmul: what the compiler's defaults come from. */
import matmulText from './programs/matmul.py';
import type { Choices } from '../compiler/4-distribute/index';
import type { BenchDevice } from './device';
import { summary } from './device';
import { compileWith, type Frontend } from './frontend';
import { prepare, requestOf } from './ours';
import { digits } from './report';
import { works } from './works';

export async function sweep(
  frontend: Frontend,
  bench: BenchDevice,
  quick: boolean,
  checkBounds: boolean,
): Promise<void> {
  const item = works(bench.target, quick, 1)
    .map((make) => make())
    .find(({ shape }) => shape.kind === 'matmul');
  if (!item) return;
  const buffers = [
    ...item.inputs.map((each) => bench.buffer(each.byteLength, each)),
    bench.buffer(4 * item.output),
  ];
  const choices: Partial<Choices>[] = [8, 16].flatMap((kPiece) =>
    [2, 4, 8].flatMap((unroll) =>
      ([1, 2] as const).flatMap((each) =>
        [0, 64].map((prefetchWords) => ({ kPiece, unroll, buffers: each, prefetchWords })),
      ),
    ),
  );
  for (const { what, launch } of item.launches.slice(0, 3)) {
    for (const choice of choices) {
      const request = requestOf(frontend, matmulText, launch, bench.target, checkBounds);
      const work = await prepare(bench, compileWith(frontend, request, choice), launch, buffers);
      bench.poison(buffers[2]!);
      const [times = []] = await bench.turns([work], 5);
      const error = item.error(new Float32Array(await bench.read(buffers[2]!), 0, item.output));
      const wrong = error <= item.close ? '' : ` WRONG by ${error}`;
      const rate = item.flops / summary(times).median / 1e9;
      console.log(`${digits(rate)} GFLOP/s  ${what} ${JSON.stringify(choice)}${wrong}`);
    }
  }
}
