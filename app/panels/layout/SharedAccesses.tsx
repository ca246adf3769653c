/**
 * Communication of threads through workgroup memory, with its bank conflicts: counted and drawn.
 */
import { BANKS } from '../../../compiler/inspect/constants';
import type { SharedAccess } from '../../../compiler/inspect/bankConflicts';
import type { LayoutReport } from '../../../compiler/inspect/layouts';
import { formatCount } from '../common/format';
import { Site } from '../common/Site';
import { number, TableHead } from '../common/TableHead';
import { useLayout } from './state';

type Report = Extract<LayoutReport, { ok: true }>;

/** Accesses of one line and kind that cost the same, as one row. */
export interface SharedAccessRow {
  readonly first: SharedAccess;
  readonly count: number;
}

export function rowsOf(accesses: readonly SharedAccess[]): SharedAccessRow[] {
  const rows = new Map<string, { first: SharedAccess; count: number }>();
  for (const one of accesses) {
    const { location, kind, bytes, counted } = one;
    const place = `${location.file}:${location.line}`;
    const key = [place, kind, bytes, counted?.trips, counted?.ideal, counted?.threads].join(' ');
    const row = rows.get(key);
    if (row) row.count++;
    else rows.set(key, { first: one, count: 1 });
  }
  return [...rows.values()];
}

export function SharedAccesses({ report }: { readonly report: Report }): React.ReactNode {
  const shown = useLayout((state) => state.sharedAccess);
  const rows = rowsOf(report.sharedAccesses);
  const row = rows[shown] ?? rows[0];
  return (
    <section className="layout-section" aria-label="Bank conflicts">
      <h3>Workgroup memory: bank conflicts</h3>
      {rows.length === 0 ? (
        <p className="muted pad">
          {report.inStorage
            ? 'On this adapter, which computes on the CPU, threads communicate through a storage buffer, so bank conflicts don’t apply.'
            : 'The threads of this kernel communicate nothing through memory.'}
        </p>
      ) : (
        <>
          <div className="scroll-x" tabIndex={0}>
            <table className="data access-table">
              <TableHead
                columns={[
                  'access',
                  'line',
                  number('in the shader'),
                  number('threads'),
                  number('trips'),
                  number('conflicts'),
                ]}
              />
              <tbody>
                {rows.map(({ first, count }, index) => (
                  <tr key={index} className="launch-row" aria-selected={row?.first === first}>
                    <td>
                      <button
                        type="button"
                        className="link mono"
                        aria-pressed={row?.first === first}
                        onClick={() => useLayout.setState({ sharedAccess: index })}
                      >
                        {first.kind} of {first.bytes} B
                      </button>
                    </td>
                    <td>
                      <Site site={first.location} />
                    </td>
                    <td className="number">{formatCount(count)}×</td>
                    <td className="number">{first.counted ? first.counted.threads : ''}</td>
                    <td className="number">{first.counted ? first.counted.trips : ''}</td>
                    <td className="number">
                      <Conflicts one={first} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p className="muted pad">
            Evaluated from thread IR for all threads of the program, in the first iteration of its
            loops. WebGPU does not say how workgroup memory is built: counted is with {BANKS} banks
            of 4 bytes, as most GPUs have
            {report.subgroupSize === null ? ', and 32 threads at a time' : ''}.
          </p>
          {row?.first.counted ? <Banks one={row.first} /> : null}
        </>
      )}
    </section>
  );
}

function Conflicts({ one }: { readonly one: SharedAccess }): React.ReactNode {
  if (!one.counted) return <span className="muted">depends on data</span>;
  const { trips, ideal } = one.counted;
  if (trips === ideal) return <span className="sign pass">✓ none</span>;
  return (
    <span className="sign warn">
      ! {formatCount(trips - ideal)} ({Number((trips / Math.max(1, ideal)).toPrecision(3))}×)
    </span>
  );
}

/** The words that the first subgroup requests of each bank. */
function Banks({ one }: { readonly one: SharedAccess }): React.ReactNode {
  const banks = Array.from({ length: BANKS }, () => new Set<number>());
  const words = Math.max(1, one.bytes / 4);
  for (const word of one.counted?.first ?? []) {
    if (word === null) continue;
    for (let i = 0; i < words; i++) banks[(word + i) % BANKS]!.add(word + i);
  }
  const most = Math.max(1, ...banks.map(({ size }) => size));
  return (
    <figure className="banks" aria-label="Words that the first subgroup requests of each bank">
      {banks.map(({ size }, bank) => (
        <span key={bank} className="bank" title={`bank ${bank}: ${size} different words`}>
          <span
            className="bar"
            style={{ height: `${(size / most) * 48}px` }}
            data-many={size > 1}
          />
          <span className="muted">{size > 0 ? size : ''}</span>
        </span>
      ))}
      <figcaption className="muted">
        different words of each bank, for the first {one.counted?.first.length} threads
        {words > 1 ? `, which go ${BANKS / words} at a time` : ''}
      </figcaption>
    </figure>
  );
}
