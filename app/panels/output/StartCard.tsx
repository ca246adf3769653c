/** Before the first run: what this is, what to press, and what the panels will show. */
import { Fragment } from 'react';
import { useCompilation } from '../../state/compilation';
import { useSession } from '../../state/session';
import { adapterTitle } from '../../state/statusText';
import { choosePanel, useView, type PanelName } from '../../state/view';
import { RunAction } from '../common/Empty';
import { formatNumber, plural } from '../common/format';

export function StartCard(): React.ReactNode {
  const adapter = useSession((state) => state.adapter);
  const result = useCompilation((state) => state.result);
  const milliseconds = useCompilation((state) => state.milliseconds);
  // Beside the button: what becomes known while the page is read must not move what is pressed.
  const where =
    adapter === null
      ? 'through WebGPU'
      : adapter.kind === 'webgpu'
        ? `on ${adapterTitle(adapter)}, through WebGPU`
        : 'on the interpreter, because there is no WebGPU here';
  return (
    <div className="start-card">
      <h2>This is a Triton program. Run it in this browser.</h2>
      <p>
        It is ordinary Python: kernels with <code>@triton.jit</code>, and the host code that
        allocates tensors, launches them and checks them against PyTorch. Nothing is installed and
        nothing leaves this machine.
      </p>
      <div className="actions">
        <RunAction />
        <span className="muted">{where}</span>
      </div>
      <Guide />
      {result?.kind === 'compiled' ? (
        <dl className="facts">
          <div>
            <dt>already compiled</dt>
            <dd className="mono">{result.kernel.name}</dd>
          </div>
          {milliseconds === null ? null : (
            <div>
              <dt>in</dt>
              <dd>{formatNumber(milliseconds, 3)} ms</dd>
            </div>
          )}
          <PanelFact panel="passes">{plural(result.log.length, 'pass', 'passes')}</PanelFact>
          <PanelFact panel="wgsl">
            {plural(result.kernel.sourceMap.length, 'line')} of WGSL
          </PanelFact>
        </dl>
      ) : null}
    </div>
  );
}

/** Whether the page has the panel: an embedded one may have a few. */
const useOffers = (): ((panel: PanelName) => boolean) => {
  const only = useView((state) => state.only);
  return (panel) => only === null || only.includes(panel);
};

/** Contents of a panel, as the way to it; only text where the page has no such panel. */
function PanelFact(props: {
  readonly panel: PanelName;
  readonly children: React.ReactNode;
}): React.ReactNode {
  const offers = useOffers();
  return (
    <div>
      <dd>
        {offers(props.panel) ? (
          <button type="button" className="link" onClick={() => choosePanel(props.panel)}>
            {props.children}
          </button>
        ) : (
          props.children
        )}
      </dd>
    </div>
  );
}

const GUIDE = [
  ['compare', 'Compare', 'every check against PyTorch: errors, first mismatch, where'],
  ['timing', 'Timing', 'each launch on the GPU’s clock, and the benchmark’s chart'],
  ['passes', 'Passes', 'the kernel’s IR after every compiler pass, with diffs'],
  ['wgsl', 'WGSL', 'the shader that your browser runs, linked to your lines'],
] as const;

/** Introduction of the tabs, until there is something to show. */
function Guide(): React.ReactNode {
  const offers = useOffers();
  return (
    <dl className="panel-guide">
      {GUIDE.filter(([panel]) => offers(panel)).map(([panel, title, what]) => (
        <Fragment key={panel}>
          <dt>
            <button type="button" className="link" onClick={() => choosePanel(panel)}>
              {title}
            </button>
          </dt>
          <dd>{what}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
