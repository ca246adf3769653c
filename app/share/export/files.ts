/** Makes the exports from the page's state and hands them to the browser's downloads. */
import { strToU8, zipSync } from 'fflate';
import { download, exportProgram, fileName } from '../../programs/transfer';
import type { SpecializationOption } from '../../state/specializations';
import { useCompilation } from '../../state/compilation';
import { useRun } from '../../state/run';
import { encode } from '../codec';
import type { Shared } from '../shared';
import { linkTo } from '../state';
import { drawCard } from './card';
import { compileForExport } from './compileForExport';
import { moduleFiles } from './module';
import { notebookOf } from './notebook';
import { reportOf } from './report';

/** The link's text as a file, for programs that are too large for a link. */
export function downloadShared(shared: Shared): void {
  download(`${fileName(shared.name)}.hippocamp`, encode(shared), 'text/plain');
}

export function saveProgram({ name, files }: Shared): void {
  exportProgram({ name, files });
}

export function saveNotebook(shared: Shared): void {
  const text = notebookOf({ ...shared, link: linkTo(shared).link });
  download(`${fileName(shared.name)}.ipynb`, text, 'application/x-ipynb+json');
}

/** @throws where the kernel cannot stand alone. */
export async function saveModule(
  inView: SpecializationOption | null,
  quotes: boolean,
): Promise<void> {
  if (!inView) throw new Error('No kernel is in view.');
  const exported = await compileForExport(inView.request, quotes);
  const outline = useCompilation.getState().kernels.find((one) => one.name === inView.kernel);
  const names = outline?.parameters.map((parameter) => parameter.name) ?? [];
  const { name, js, dts, wgsl } = moduleFiles(exported, names);
  const zip = zipSync({
    [`${name}.js`]: strToU8(js),
    [`${name}.d.ts`]: strToU8(dts),
    [`${name}.wgsl`]: strToU8(wgsl),
  });
  download(`${name}.zip`, new Uint8Array(zip), 'application/zip');
}

/** `Chrome 156 on Linux`, as far as the browser reports. */
function browserName(): string {
  const { userAgent } = navigator;
  const [, name, version] =
    /(Firefox|Edg|Chrome|Version)\/(\d+)/.exec(userAgent) ?? ([null, 'a browser', ''] as const);
  const system = /Windows|Mac OS|Android|iPhone|Linux/.exec(userAgent)?.[0] ?? '';
  const known = { Edg: 'Edge', Version: 'Safari' }[name ?? ''] ?? name;
  return `${known} ${version}${system ? ` on ${system}` : ''}`;
}

export function report(shared: Shared): string {
  return reportOf({
    ...shared,
    link: linkTo(shared).link,
    record: useRun.getState().record,
    browser: browserName(),
    date: new Date().toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }),
  });
}
export function saveReport(shared: Shared): void {
  download(`${fileName(shared.name)}.md`, report(shared), 'text/markdown');
}

export async function saveCard(shared: Shared): Promise<void> {
  const blob = await drawCard({
    name: shared.name,
    text: shared.files[shared.entry] ?? '',
    kernel: useCompilation.getState().inView?.kernel ?? null,
    record: useRun.getState().record,
  });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  download(`${fileName(shared.name)}.png`, bytes, 'image/png');
}
