/**
 * Replaces the page where it could not be drawn at all: what was kept may be the reason,
 * so each way out does without a part of it, and the visitor's programs can be saved first.
 */
import { Component } from 'react';
import { messageOf } from './panels/common/Boundary';
import { open, useDocument } from './state/document';
import { goHome } from './state/route';
import { forgetLayout } from './state/storage';
import { openDialog } from './state/view';

interface State {
  readonly failure: unknown;
  /** Outcome of the last way out. */
  readonly said: string | null;
}

export class RootBoundary extends Component<{ readonly children: React.ReactNode }, State> {
  override state: State = { failure: null, said: null };

  static getDerivedStateFromError(failure: unknown): State {
    return { failure: failure ?? new Error('unknown'), said: null };
  }

  private attempt(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.setState({ said: messageOf(error) }));
  }

  override render(): React.ReactNode {
    const { failure, said } = this.state;
    if (failure === null) return this.props.children;
    return (
      <main className="empty" role="alert">
        <h3>The page could not be drawn</h3>
        <p>
          This is a fault of the page, or of something that was kept. Your programs are kept. It
          said: <code>{messageOf(failure)}</code>
        </p>
        <div className="row ways-out">
          <button type="button" className="button primary" onClick={() => location.reload()}>
            Reload
          </button>
          <button
            type="button"
            className="button"
            onClick={() => {
              forgetLayout();
              location.reload();
            }}
          >
            Reset the layout
          </button>
          <button
            type="button"
            className="button"
            onClick={() => this.attempt(async () => this.setState({ said: await savePrograms() }))}
          >
            Export my programs (.zip)
          </button>
          <button
            type="button"
            className="button"
            onClick={() =>
              this.attempt(async () => {
                await openGallery();
                this.setState({ failure: null, said: null });
              })
            }
          >
            Open the gallery
          </button>
        </div>
        {said === null ? null : <p role="status">{said}</p>}
      </main>
    );
  }
}

async function savePrograms(): Promise<string> {
  const [{ listKept }, { exportAll }] = await Promise.all([
    import('./programs/kept'),
    import('./programs/transfer'),
  ]);
  const all = await listKept();
  if (all.length === 0) return 'No program is kept here: unchanged examples are not.';
  exportAll(all);
  return `${all.length} saved as hippocamp.zip.`;
}

/** Leaves the program that was open for the first example. */
async function openGallery(): Promise<void> {
  goHome();
  await open(useDocument.getState().examples[0]?.file ?? 'vector_add.py');
  openDialog('gallery');
}
