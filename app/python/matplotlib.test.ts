/** Hippocamp's small matplotlib: figures reach the output, and what it lacks is an error. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startPython, type TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 120_000);

/** The figures of a program, as text. */
function figures(source: string) {
  const result = python.run(`import matplotlib.pyplot as plt\nimport torch\n${source}`);
  const found = result.events.flatMap((event) => (event.type === 'figure' ? [event] : []));
  const svg = found.map(({ image }) =>
    Buffer.from(image.replace('data:image/svg+xml;base64,', ''), 'base64').toString(),
  );
  return { ...result, names: found.map(({ name }) => name), svg };
}
const pathsOf = (svg: string): number[][][] =>
  [...svg.matchAll(/<path d="([^"]*)"/g)].map(([, d]) =>
    [...d!.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(([, x, y]) => [Number(x), Number(y)]),
  );

describe('a figure', () => {
  it('is in the output once when it is saved and shown, and again when it changed', () => {
    const made = figures(`
plt.plot([1, 2, 3], [10, 20, 30], label="a < b")
plt.legend()
plt.savefig("time.png", dpi=150)
plt.show()
plt.plot([1, 2])
plt.savefig("more.svg")
plt.title("late")
plt.show()
import os
print(os.path.exists("time.png"), open("more.svg").read()[:4], plt.get_fignums())
`);
    expect(made).toMatchObject({ outcome: 'ok', output: 'False <svg []\n' });
    expect(made.names).toEqual(['time.png', 'more.svg', 'Figure 1']);
    expect(made.errors).toContain('time.png is shown in the output and not written');
    expect(made.svg[0]).toContain('a &lt; b');
    expect(made.svg[2]).toContain('>late<');
  });

  it('has points where the scales put them: lines, logarithms, tensors, gaps', () => {
    const made = figures(`
fig, (left, right) = plt.subplots(1, 2)
left.plot(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, 1.0, 4.0], requires_grad=True), "r--")
right.plot([1, 10, 1000], [1, 100, float("nan")])
right.set_xscale("log")
right.set_yscale("log")
plt.show()
print(left.get_xlim(), [round(each, 3) for each in right.get_xlim()])
`);
    expect(made.output).toBe('(-0.1, 2.1) [0.708, 1412.538]\n');
    const [a, b] = pathsOf(made.svg[0]!) as [number[][], number[][]];
    expect(a).toHaveLength(3);
    const rise = (line: number[][], i: number) => line[i]![1]! - line[i + 1]![1]!;
    expect(rise(a, 1) / rise(a, 0)).toBeCloseTo(3, 1);
    // The third point has no place, and of three decades the second point has a third.
    expect(b).toHaveLength(2);
  });

  it('shows bars from their foot, names as ticks, and an image with its colours', () => {
    const made = figures(`
plt.bar(["torch", "triton"], [1.0, 2.0], color=["tab:red", "0.5"])
plt.show()
plt.imshow(torch.tensor([[0.0, 1.0], [2.0, 3.0]]), cmap="gray")
plt.show()
`);
    const [bars, image] = made.svg as [string, string];
    const heights = [...bars.matchAll(/<rect [^>]*height="([\d.]+)" fill="(#d62728|rgb[^"]*)"/g)];
    expect(heights.map(([, , color]) => color)).toEqual(['#d62728', 'rgb(128 128 128)']);
    expect(Number(heights[1]![1]) / Number(heights[0]![1])).toBeCloseTo(2, 2);
    expect(bars).toMatch(/>torch<.*>triton</);
    expect(image).toContain('href="data:image/png;base64,');
  });

  it('is gone with its run', () => {
    expect(figures('plt.plot([1, 2])').names).toEqual([]);
    expect(figures('print(plt.get_fignums())\nplt.show()')).toMatchObject({
      output: '[]\n',
      names: [],
    });
  });
});

it('shows pictures that a notebook displays', () => {
  const made = figures(`
from IPython.core.display import Image, SVG, display
from IPython.core.debugger import set_trace
fig, ax = plt.subplots()
ax.plot([1, 2])
fig.savefig("a.svg")
print("first")
display(Image("a.svg"), SVG("<svg/>"), Image(filename="figs/gone.png"), Image(b"GIF8"), fig)
`);
  expect(made).toMatchObject({
    outcome: 'ok',
    names: ['a.svg', 'a.svg', 'Image'],
    output:
      'first\nfigs/gone.png: this picture is no file of the program\nImage: only PNG and SVG are shown\n',
  });
  expect(made.svg[2]).toBe('<svg/>');
});

it.each([
  ['plt.contourf([[1]])', 'small matplotlib has no plt.contourf'],
  ['plt.plot([1], [1], gapcolor="r")', 'has no gapcolor= of plot'],
  ['plt.gca().quiver(1)', 'has no Axes.quiver'],
  ['plt.xscale("symlog")', "has no scale 'symlog'"],
  ['plt.imshow([[1]], cmap="turbo")', "has no colormap 'turbo'"],
  ['plt.plot([1, 2], [1])', 'x and y must have same first dimension'],
  ['import matplotlib.animation', 'no such module'],
  ['import io\nplt.savefig(io.BytesIO())', 'has no savefig to a file object as png'],
])('%s is an error that names it', (line, message) => {
  const made = figures(line);
  expect(made.outcome).toBe('error');
  expect(made.errors).toContain(message);
});
