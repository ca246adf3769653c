/** A preview of a tensor as a table of numbers, indices at the edges. */
import type { Preview } from '../../events';
import { formatNumber } from '../common/format';

const MAX_COLUMNS = 16;
const MAX_ROWS = 32;

export function Values(props: {
  readonly preview: Preview;
  readonly label: string;
}): React.ReactNode {
  const { preview, label } = props;
  // A vector reads better wrapped into lines than as one endless row.
  const vector = preview.rows === 1;
  const columns = Math.min(vector ? 8 : MAX_COLUMNS, preview.columns);
  const total = vector ? Math.ceil(preview.columns / columns) : preview.rows;
  const rows = Math.min(MAX_ROWS, total);
  const stride = vector ? columns : preview.columns;
  const cut = rows < total || (!vector && columns < preview.columns);
  return (
    <div className="stack" style={{ gap: 8 }}>
      <div className="values" role="region" aria-label={label} tabIndex={0}>
        <table>
          {vector ? null : (
            <thead>
              <tr>
                <th />
                {Array.from({ length: columns }, (_, column) => (
                  <th key={column} scope="col">
                    {column * preview.columnStep}
                  </th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {Array.from({ length: rows }, (_, row) => (
              <tr key={row}>
                <th scope="row">
                  {vector ? row * columns * preview.columnStep : row * preview.rowStep}
                </th>
                {Array.from({ length: columns }, (_, column) => {
                  const value = preview.values[row * stride + column];
                  if (value === undefined) return <td key={column} />;
                  return (
                    <td key={column} className={typeof value === 'string' ? 'odd' : undefined}>
                      {formatNumber(value)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {cut || preview.rowStep > 1 || preview.columnStep > 1 ? (
        <span className="muted">A sample: the labels at the edges are true indices.</span>
      ) : null}
    </div>
  );
}
