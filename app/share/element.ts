/**
 * `<hippocamp-kernel>`: a Triton program in any page, as one small module (`embed.js`).
 *
 *   <script type="module" src="https://…/embed.js"></script>
 *   <hippocamp-kernel panel="output,wgsl" readonly theme="dark" height="480">
 *     <script type="text/x-python"> … </script>
 *   </hippocamp-kernel>
 *
 * Attributes: `src` (the address of a `.py`) or `code`, else the text inside; `panel`, names with
 * commas; `readonly`; `editor="no"` for panels without the text; `theme`: system, light, dark,
 * contrast; `height` in pixels. It makes an iframe of the Hippocamp that this module came from, and
 * runs nothing until its Run is pressed.
 */
import { encode } from './codec';
import { dedentLines } from './dedent';

const HEIGHT = 480;

class HippocampKernel extends HTMLElement {
  static readonly observedAttributes = [
    'src',
    'code',
    'panel',
    'readonly',
    'editor',
    'theme',
    'height',
  ];
  private turn = 0;
  private readonly root = this.attachShadow({ mode: 'open' });

  connectedCallback(): void {
    // The text inside may not be parsed yet.
    queueMicrotask(() => void this.draw());
  }
  attributeChangedCallback(): void {
    if (this.isConnected) queueMicrotask(() => void this.draw());
  }

  private async draw(): Promise<void> {
    const mine = ++this.turn;
    const file = this.getAttribute('src')?.split('/').at(-1)?.split('?')[0] ?? '';
    const entry = /^[\w-]+\.py$/.test(file) ? file : 'main.py';
    let payload: string;
    try {
      payload = encode({ name: entry, entry, files: { [entry]: await this.program() } });
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
      return;
    }
    if (mine !== this.turn) return;
    const query = new URLSearchParams({ embed: '1' });
    for (const [attribute, name] of [
      ['panel', 'panels'],
      ['theme', 'theme'],
    ] as const) {
      const value = this.getAttribute(attribute);
      if (value) query.set(name, value);
    }
    if (this.hasAttribute('readonly')) query.set('readonly', '1');
    if (this.getAttribute('editor') === 'no') query.set('editor', '0');
    const frame = document.createElement('iframe');
    frame.src = `${new URL('.', import.meta.url).href}#/s/${payload}?${query.toString()}`;
    frame.title = this.getAttribute('aria-label') ?? `Triton program ${entry}`;
    frame.allow = 'cross-origin-isolated; clipboard-write';
    frame.loading = 'lazy';
    const height = Number(this.getAttribute('height'));
    const box = 'display:block;box-sizing:border-box;width:100%;height:';
    const pixels = height > 0 ? height : HEIGHT;
    frame.style.cssText = `${box}${pixels}px;border:1px solid #c3cdcc;border-radius:6px`;
    this.style.display ||= 'block';
    this.root.replaceChildren(frame);
  }

  private async program(): Promise<string> {
    const src = this.getAttribute('src');
    if (src !== null) {
      const response = await fetch(new URL(src, document.baseURI));
      if (!response.ok) throw new Error(`${src} could not be loaded (HTTP ${response.status})`);
      return response.text();
    }
    const code = this.getAttribute('code');
    if (code !== null) return code;
    const script = this.querySelector('script')?.textContent ?? this.textContent ?? '';
    return dedentLines(script.replaceAll('<\\/script', '</script'));
  }

  private fail(message: string): void {
    const said = document.createElement('p');
    said.textContent = `hippocamp-kernel: ${message}`;
    this.root.replaceChildren(said);
  }
}

if (!customElements.get('hippocamp-kernel'))
  customElements.define('hippocamp-kernel', HippocampKernel);
