/**
 * The head of a table of data: a title for each column, to the right where its cells are numbers.
 */

/** A column of text, or one that says more of itself. */
export type Column =
  string | { readonly title: string; readonly number: boolean; readonly hint?: string | undefined };

export const number = (title: string, hint?: string): Column => ({ title, number: true, hint });

/** @param columns what is false is not there. */
export function TableHead(props: {
  readonly columns: readonly (Column | false)[];
}): React.ReactNode {
  return (
    <thead>
      <tr>
        {props.columns.map((column) => {
          if (column === false) return null;
          const {
            title,
            number: right,
            hint,
          } = typeof column === 'string' ? { title: column, number: false } : column;
          return (
            <th key={title} scope="col" className={right ? 'number' : undefined} title={hint}>
              {title}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
