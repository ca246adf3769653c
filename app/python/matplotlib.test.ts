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
    const said = made.events.flatMap((event) =>
      event.type === 'diagnostic' ? [event.diagnostic] : [],
    );
    expect(said).toMatchObject([{ code: 'HC0907', severity: 'info', location: { line: 6 } }]);
    expect(said[0]!.message).toContain('time.png is shown in the output and not written');
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
    const heights = [...bars.matchAll(/<rect [^>]*height="([\d.]+)" fill="(#d62728|#808080)"/g)];
    expect(heights.map(([, , color]) => color)).toEqual(['#d62728', '#808080']);
    expect(Number(heights[1]![1]) / Number(heights[0]![1])).toBeCloseTo(2, 2);
    expect(bars).toMatch(/>torch<.*>triton</);
    expect(image).toContain('href="data:image/png;base64,');
  });

  it('shares scales where subplots say so, in cells as wide as their ratios', () => {
    const made = figures(`
fig, axes = plt.subplots(2, 2, sharex="col", sharey=True, gridspec_kw={"width_ratios": [3, 1]})
axes[0, 0].plot([0, 10], [0, 1])
axes[1, 0].plot([0, 100], [0, 1])
axes[0, 1].plot([0, 1], [-5, 5])
fig.suptitle("both")
plt.show()
print(axes[0, 0].get_xlim() == axes[1, 0].get_xlim() == (-5, 105), axes[1, 1].get_xlim(), axes[1, 0].get_ylim())
`);
    expect(made.output).toBe('True (-0.05, 1.05) (-5.5, 5.5)\n');
    const frames = [
      ...made.svg[0]!.matchAll(
        /<rect x="[\d.]+" y="([\d.]+)" width="([\d.]+)" height="[\d.]+" fill="none"/g,
      ),
    ];
    const [wide, narrow] = frames.filter(([, y]) => Number(y) < 100);
    expect(Number(wide?.[2]) - Number(narrow?.[2])).toBeCloseTo(640 / 2);
    // The ticks of inner axes have no labels.
    expect(made.svg[0]!.match(/>100</g)).toHaveLength(1);
  });

  it('marks some points, and labels bars where they end', () => {
    const made = figures(`
plt.plot(range(10), range(10), "o", markevery=3)
bars = plt.gca().barh(["a", "b"], [3, -7])
plt.bar_label(bars)
plt.bar_label(plt.bar(["a"], [4], bottom=1), label_type="center")
plt.bar_label(plt.bar(["b"], [4], bottom=2), fmt="{:.1f} ms")
plt.show()
`);
    expect(made.svg[0]!.match(/<circle/g)).toHaveLength(4);
    for (const label of ['3', '-7', '4', '6.0 ms'])
      expect(made.svg[0]).toMatch(new RegExp(`text-anchor="[^"]*"[^>]*>${label}<`));
  });

  it('takes colours of maps by share and by number, and names of them as CSS has them', () => {
    const made = figures(`
from matplotlib import cm
print(cm.viridis(0.5) == cm.viridis(0.5), cm.viridis(255) == cm.viridis(1.0), cm.tab10(1) == cm.tab10(0.15))
plt.rcParams.update({"lines.linewidth": 4, "font.size": 14})
plt.plot([1, 2], color=cm.tab10(1))
plt.plot([2, 1], color="RebeccaPurple")
plt.ylabel("time", color="tab:red")
plt.show()
`);
    expect(made.output).toBe('True True True\n');
    expect(made.svg[0]).toMatch(/stroke="#ff7f0e" stroke-width="4".*stroke="RebeccaPurple"/);
    expect(made.svg[0]).toMatch(/fill="#d62728"[^>]*>time</);
  });

  it('has words of a program as text, wherever they are put', () => {
    const evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>';
    const made = figures(`
e = '${evil}'
fig, ax = plt.subplots()
ax.plot([1, 2], label=e)
ax.bar([e], [1])
ax.set_title(e)
ax.set_xlabel(e)
ax.text(0, 1, e, ha=e, fontweight=e)
ax.legend(title=e)
fig.suptitle(e)
ax.bar_label(ax.bar([0], [1]), labels=[e])
plt.show()
`);
    expect(made).toMatchObject({ outcome: 'ok' });
    const tags = new Set([...made.svg[0]!.matchAll(/<(\w+)/g)].map(([, tag]) => tag));
    expect([...tags].sort()).toEqual(['clipPath', 'g', 'line', 'path', 'rect', 'svg', 'text']);
    const opened = [...made.svg[0]!.matchAll(/<\w[^>]*>/g)].map(([tag]) => tag);
    // The words are in values of attributes, too, but none of them makes one.
    expect(opened.some((tag) => tag.includes('onerror'))).toBe(true);
    for (const tag of opened) expect(tag.replace(/="[^"]*"/g, '=')).not.toMatch(/ (?:on\w+|href)=/);
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
  ['plt.plot([1], color="nocolour")', "'nocolour' is not a valid value for color"],
  ['plt.plot([1], color="url(#a)")', 'is not a valid value for color'],
  ['plt.plot([1, 2], markevery=0.1)', 'has no markevery=0.1'],
  ['plt.subplots(2, subplot_kw={"projection": "polar"})', 'has no projection= of add_subplot'],
  ['plt.subplots(2, gridspec_kw={"bogus": 1})', 'has no bogus= of subplots'],
  ['plt.figure(bogus=1)', 'has no bogus= of figure'],
  ['plt.savefig("a.svg", bogus=1)', 'has no bogus= of savefig'],
  ['plt.legend(bogus=1)', 'has no bogus= of legend'],
  ['plt.grid(bogus=1)', 'has no bogus= of grid'],
  ['plt.tick_params(labeltop=True)', 'has no labeltop= of tick_params'],
  ['plt.xticks([1], minor=True)', 'has no minor= of ticks'],
  ['plt.imshow([[1]], norm="log")', 'has no norm= of imshow'],
  ['plt.colorbar(plt.imshow([[1]]), orientation="horizontal")', 'has no orientation= of colorbar'],
  ['plt.annotate("a", (1, 1), (2, 2), "axes fraction")', "has no textcoords='axes fraction'"],
  ['plt.gca().set_aspect(2)', 'has no set_aspect(2)'],
  ['plt.plot([1])[0].set_dashes([1])', 'has no Line.set_dashes'],
  ['plt.rcParams["axes.prop_cycle"] = 1', "has no rcParams['axes.prop_cycle']"],
  ['a, b = plt.subplots(2, sharex=True)[1]\na.clear()', 'has no clear of axes that share a scale'],
  ['import matplotlib.animation', 'no such module'],
  ['import io\nplt.savefig(io.BytesIO())', 'has no savefig to a file object as png'],
])('%s is an error that names it', (line, message) => {
  const made = figures(line);
  expect(made.outcome).toBe('error');
  expect(made.errors).toContain(message);
});
