/** Exports: the file, a notebook, the shader as a module, a report, a picture. */
import { useState } from 'react';
import { useCompilation } from '../state/compilation';
import { useRun } from '../state/run';
import { copy } from './copy';
import * as files from './export/files';
import type { Shared } from './shared';

interface Way {
  readonly title: string;
  readonly says: string;
  readonly save: () => Promise<void> | void;
  /** For text that one pastes. */
  readonly copy?: () => Promise<void>;
  readonly option?: React.ReactNode;
  /** Why it cannot be had now. */
  readonly missing?: string | undefined;
}

export function Exports({ shared }: { readonly shared: Shared }): React.ReactNode {
  const [failure, setFailure] = useState<string | null>(null);
  const [quotes, setQuotes] = useState(true);
  const inView = useCompilation((state) => state.inView);
  const record = useRun((state) => state.record);
  const notRun = record ? undefined : 'Run the program first: there is nothing to report yet.';
  const ways: readonly Way[] = [
    {
      title: Object.keys(shared.files).length > 1 ? 'The files (.zip)' : 'The file (.py)',
      says: 'As it is. It runs on CUDA with Triton and PyTorch.',
      save: () => files.saveProgram(shared),
    },
    {
      title: 'A notebook for Colab (.ipynb)',
      says: 'The same program on an NVIDIA GPU: open it at colab.research.google.com, Upload.',
      save: () => files.saveNotebook(shared),
    },
    {
      title: inView ? `${inView.kernel} as a module (.zip)` : 'The kernel as a module (.zip)',
      says:
        'The WGSL of the specialization in view, with an ES module that creates the pipeline and runs ' +
        'it on your buffers. TypeScript types, no dependency.',
      save: () => files.saveModule(inView, quotes),
      option: (
        <label className="muted">
          <input
            type="checkbox"
            checked={quotes}
            onChange={(event) => setQuotes(event.currentTarget.checked)}
          />{' '}
          Python lines as comments in the WGSL
        </label>
      ),
      missing: inView ? undefined : 'No kernel is in view.',
    },
    {
      title: 'A report (.md)',
      says: 'Verdicts, times, charts as tables, what was printed, the adapter, the program.',
      save: () => files.saveReport(shared),
      copy: async () => void (await copy(files.report(shared), 'the report')),
      missing: notRun,
    },
    {
      title: 'A picture (.png)',
      says: 'The kernel, its verdicts and times, and the adapter, 1200 × 630.',
      save: () => files.saveCard(shared),
    },
  ];
  const attempt = (work: () => Promise<void> | void): void => {
    setFailure(null);
    Promise.resolve()
      .then(work)
      .catch((error: unknown) =>
        setFailure(error instanceof Error ? error.message : String(error)),
      );
  };
  return (
    <>
      <ul className="ways">
        {ways.map((way) => (
          <li key={way.title}>
            <div className="grow">
              <b>{way.title}</b>
              <p className="muted">{way.missing ?? way.says}</p>
              {way.missing ? null : way.option}
            </div>
            {way.copy ? (
              <button
                type="button"
                className="button"
                disabled={way.missing !== undefined}
                aria-label={`Copy ${way.title}`}
                onClick={() => attempt(way.copy!)}
              >
                Copy
              </button>
            ) : null}
            <button
              type="button"
              className="button"
              disabled={way.missing !== undefined}
              aria-label={`Save ${way.title}`}
              onClick={() => attempt(way.save)}
            >
              Save
            </button>
          </li>
        ))}
      </ul>
      {failure ? (
        <p className="notice fail" role="alert">
          {failure}
        </p>
      ) : null}
    </>
  );
}
