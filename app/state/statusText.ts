/** The status in the top bar, as text: what the page does now, and never less than that. */
import type { AdapterInfo } from '../events';
import type { SessionState } from './session';
import { visibleText } from './visibleText';

const MEGABYTE = 1e6;

/** The page's current activity, in one line. */
export function statusText(state: SessionState): string {
  const { phase, loading, adapter, running, queued, draining } = state;
  switch (phase) {
    case 'loading': {
      const { text, loaded, total } = loading;
      const amount =
        total > MEGABYTE
          ? ` ${Math.floor(loaded / MEGABYTE)} of ${Math.ceil(total / MEGABYTE)} MB`
          : '';
      const what = /^(loading|starting|preparing)/i.test(text) ? text : `loading ${text}`;
      return `${what}${amount}${queued ? ', then runs' : ''}`;
    }
    case 'running':
      return (
        visibleText(running?.progress?.text ?? '') ||
        (draining ? 'running, while the GPU finishes stopped work' : 'running')
      );
    case 'failed':
      return 'Python stopped working';
    case 'ready':
      if (draining) return 'stopped; the GPU finishes its work';
      if (!adapter) return 'Python ready';
      return adapter.kind === 'webgpu'
        ? `Python ready · ${adapterTitle(adapter)} · WebGPU`
        : 'no WebGPU: runs on the interpreter (slower)';
    default: {
      const unknown: never = phase;
      return unknown;
    }
  }
}

/** `SwiftShader (Google)`: the device before its vendor, as a person writes them. */
export function adapterTitle({ name, vendor }: AdapterInfo): string {
  const title = (text: string): string =>
    text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  const device = name.toLowerCase().startsWith(`${vendor.toLowerCase()} `)
    ? name.slice(vendor.length + 1)
    : name;
  if (vendor === '' || device === name) return title(name);
  return `${device === 'swiftshader' ? 'SwiftShader' : title(device)} (${title(vendor)})`;
}
