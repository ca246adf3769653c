/** What threads tell each other through workgroup memory, with its bank conflicts: counted and drawn. */
import { BANKS } from '../../../compiler/inspect/constants';
import type { ExchangeReport, LayoutReport } from '../../../compiler/inspect/layouts';
import { formatCount } from '../common/format';
import { Site } from '../common/Site';
import { number, TableHead } from '../common/TableHead';
import { useLayout } from './state';

type Report = Extract<LayoutReport, { ok: true }>;

/** Accesses of one line and kind that cost the same, as one row. */
export interface ExchangeRow {
  readonly first: ExchangeReport;
  readonly count: number;
}

export function rowsOf(exchanges: readonly ExchangeReport[]): ExchangeRow[] {
  const rows = new Map<string, { first: ExchangeReport; count: number }>();
  for (const one of exchanges) {
    const { location, kind, words, counted } = one;
    const place = location ? `${location.file}:${location.line}` : '';
    const key = [place, kind, words, counted?.trips, counted?.ideal, counted?.threads].join(' ');
    const row = rows.get(key);
    if (row) row.count++;
    else rows.set(key, { first: one, count: 1 });
  }
  return [...rows.values()];
}

export function Exchanges({ report }: { readonly report: Report }): React.ReactNode {
  const shown = useLayout((state) => state.exchange);
  const rows = rowsOf(report.exchanges);
  const row = rows[shown] ?? rows[0];
  return (
    <section className="layout-section" aria-label="Bank conflicts">
      <h3>Workgroup memory: bank conflicts</h3>
      {rows.length === 0 ? (
        <p className="muted pad">
          {report.inStorage
            ? 'On this adapter, which computes on the CPU, threads exchange through a storage buffer, which has no banks.'
            : 'The threads of this kernel exchange nothing through memory.'}
        </p>
      ) : (
        <>
          <div className="scroll-x">
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
                        onClick={() => useLayout.setState({ exchange: index })}
                      >
                        {first.kind} of {first.words * 4} B
                      </button>
                    </td>
                    <td>{first.location ? <Site site={first.location} /> : null}</td>
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
            Read off the shader itself, for all threads of the workgroup. WebGPU does not say how
            workgroup memory is built: counted is with {BANKS} banks of 4 bytes, as most GPUs have
            {report.subgroupSize === null ? ', and 32 threads at a time' : ''}.
          </p>
          {row?.first.counted ? <Banks one={row.first} /> : null}
        </>
      )}
    </section>
  );
}

function Conflicts({ one }: { readonly one: ExchangeReport }): React.ReactNode {
  if (!one.counted) return <span className="muted">depends on data</span>;
  const { trips, ideal } = one.counted;
  if (trips === ideal) return <span className="sign pass">✓ none</span>;
  return (
    <span className="sign warn">
      ! {formatCount(trips - ideal)} ({Number((trips / Math.max(1, ideal)).toPrecision(3))}×)
    </span>
  );
}

/** The words that the first subgroup wants of each bank. */
function Banks({ one }: { readonly one: ExchangeReport }): React.ReactNode {
  const banks = Array.from({ length: BANKS }, () => new Set<number>());
  for (const word of one.counted?.first ?? []) {
    if (word === null) continue;
    for (let i = 0; i < one.words; i++) banks[(word + i) % BANKS]!.add(word + i);
  }
  const most = Math.max(1, ...banks.map(({ size }) => size));
  return (
    <figure className="banks" aria-label="Words that the first subgroup wants of each bank">
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
        {one.words === 4 ? ', which go 8 at a time' : ''}
      </figcaption>
    </figure>
  );
}
