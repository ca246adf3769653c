/**
 * The script of `device.html`: measures at a click, shows the report as it grows, and copies it.
 * Nothing leaves the page.
 */
import { openGpu } from '../app/runtime/gpu/gpuDevice';
import { reportDevice } from './deviceReport';
import { reportText } from './deviceText';
import { openFrontend } from './frontend';

/** Samples of each side; a row takes a second or two of them on a GPU. */
const ROUNDS = 9;

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}
const [measure, stop, copy] = ['measure', 'stop', 'copy'].map((id) =>
  element<HTMLButtonElement>(id),
) as [HTMLButtonElement, HTMLButtonElement, HTMLButtonElement];
const bar = element<HTMLProgressElement>('progress');
const report = element<HTMLTextAreaElement>('report');
function say(text: string): void {
  element('status').textContent = text;
}

let running: AbortController | null = null;

async function run(signal: AbortSignal): Promise<void> {
  say('Opening the device …');
  // The adapter is requested again: `openGpu` keeps the one of its device to itself.
  const opened = await openGpu(navigator.gpu as GPU | undefined);
  if (!opened.ok) {
    say(`Nothing to measure: ${opened.reason}.`);
    return;
  }
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) {
    say('Nothing to measure: WebGPU found no adapter on this machine.');
    return;
  }
  const { device } = opened.gpu;
  const lost = device.lost.then(({ message }) => {
    throw new Error(`the device was lost: ${message}`);
  });
  try {
    const measured = reportDevice(await openFrontend(), opened.gpu, adapter, {
      where: 'chromium',
      agent: navigator.userAgent,
      seed: crypto.getRandomValues(new Uint32Array(1))[0]! >>> 2,
      rounds: ROUNDS,
      signal,
      say: (text) => say(text.trim()),
      progress: (soFar, done, total) => {
        [bar.max, bar.value] = [total, done];
        report.value = reportText(soFar);
        copy.disabled = false;
      },
    });
    const { stopped } = await Promise.race([measured, lost]);
    say(stopped ? 'Stopped.' : 'Done.');
  } finally {
    // `lost` resolves then; nobody waits for it any more.
    lost.catch(() => {});
    device.destroy();
  }
}

measure.addEventListener('click', () => {
  if (running) return;
  running = new AbortController();
  [measure.disabled, stop.disabled] = [true, false];
  run(running.signal)
    .catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
    .finally(() => {
      running = null;
      [measure.disabled, stop.disabled] = [false, true];
    });
});
stop.addEventListener('click', () => {
  running?.abort();
  stop.disabled = true;
  say('Stopping after this row …');
});
copy.addEventListener('click', () => {
  navigator.clipboard.writeText(report.value).then(
    () => say('Copied.'),
    () => {
      report.select();
      say('This browser does not let the page copy: the text is selected, copy it by hand.');
    },
  );
});
