/** The setting for offline use, and the offer of a new version. */
import { formatBytes } from '../panels/common/format';
import { keepSite, reload, removeSite, useOffline, type Offline } from './page';

/** In the status bar, while there is one. */
export function NewVersion(): React.ReactNode {
  const update = useOffline((state) => state.update);
  return update ? (
    <span className="hint">
      new version ready{' '}
      <button type="button" className="link" onClick={() => void reload()}>
        Reload
      </button>
    </span>
  ) : null;
}

/** One sentence each. */
function sentence(offline: Offline): string {
  switch (offline.kind) {
    case 'unavailable':
      return 'This browser keeps no pages here: a private window, a setting, or a site without HTTPS.';
    case 'soon':
      return 'Will be kept when the page is idle.';
    case 'costly':
      return 'Not downloaded: the connection is slow or metered.';
    case 'removed':
      return 'Nothing is kept; the page needs a network.';
    case 'keeping':
      return offline.total === 0
        ? 'Downloading.'
        : `Downloading: ${formatBytes(offline.kept)} of ${formatBytes(offline.total)}.`;
    case 'kept':
      return `Lessons, gallery, Python and panels work without a network. ${formatBytes(offline.bytes)} are kept in this browser.`;
    case 'failed':
      return `Not kept: ${offline.reason}.`;
    default: {
      const unknown: never = offline;
      return unknown;
    }
  }
}

/** Programs stay, whatever is pressed here. */
export function OfflineSetting(): React.ReactNode {
  const { offline, update } = useOffline();
  const { kind } = offline;
  const keeps = kind === 'costly' || kind === 'removed' || kind === 'failed';
  return (
    <div className="setting">
      <p className="name">Offline use</p>
      <p className="help">
        {sentence(offline)}
        {isolated() ? '' : ` ${NOT_ISOLATED}`}
      </p>
      <p className="row">
        {keeps ? (
          <button type="button" className="button small" onClick={() => void keepSite()}>
            Keep for offline use
          </button>
        ) : null}
        {kind === 'kept' || kind === 'keeping' || kind === 'failed' ? (
          <button type="button" className="button small" onClick={() => void removeSite()}>
            Remove the kept files
          </button>
        ) : null}
        {update ? (
          <button type="button" className="button small" onClick={() => void reload()}>
            Reload into the new version
          </button>
        ) : null}
      </p>
    </div>
  );
}

const isolated = (): boolean => globalThis.crossOriginIsolated;
/** Consequences for a visitor, where the host sends no headers. */
const NOT_ISOLATED =
  'This page is not cross-origin isolated: Stop replaces Python’s worker, and clocks are coarser. A page that is kept is isolated from its next visit on.';
