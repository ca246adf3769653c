/**
 * What a subgroup reads or writes of shared memory by one `subgroupMatrixLoad` or `subgroupMatrixStore`: lines of a
 * matrix, `stride` entries apart. Which lane touches which word nobody says.
 */

export interface MatrixAccess {
  readonly kind: 'read' | 'write';
  readonly array: string;
  /** The part of an array of parts; '' where the array has none. */
  readonly part: string;
  /** In entries of the array, as are the strides. */
  readonly first: string;
  readonly stride: string;
  readonly lines: number;
  /** Bytes of a line. */
  readonly bytes: number;
}

const TYPE = /subgroup_matrix_(left|right|result)<(\w+), (\d+), (\d+)>/;
const BYTES: Readonly<Record<string, number>> = { f16: 2, f32: 4, i8: 1, u8: 1, i32: 4, u32: 4 };

/** Of the matrices that a text declares: their types, by their names. */
export function matrixTypes(lines: readonly string[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const line of lines) {
    const declared = /^\s*(?:var|let) (\w+)(?:: | = subgroupMatrixLoad<)(subgroup_matrix_\w+<.*?>)/;
    const [, name, type] = declared.exec(line) ?? [];
    if (name && type) types.set(name, type);
  }
  return types;
}

/** Null where the line has none. @throws where one is not understood. */
export function matrixAccess(
  text: string,
  types: ReadonlyMap<string, string>,
): MatrixAccess | null {
  if (!/subgroupMatrix(Load|Store)/.test(text)) return null;
  const place = String.raw`\(&(\w+)(?:\[(.*?)\])?, (.*?), `;
  const load = new RegExp(
    `^(?:let )?\\w+ = subgroupMatrixLoad<(.*>), (row|col)_major>${place}(\\S+)\\);$`,
  );
  const store = new RegExp(`^subgroupMatrixStore<(row|col)_major>${place}(\\w+), (\\S+)\\);$`);
  const loaded = load.exec(text);
  const stored = store.exec(text);
  if (loaded) {
    const [, type, major, array, part = '', first, stride] = loaded;
    return access('read', type!, major!, { array: array!, part, first: first!, stride: stride! });
  }
  const type = types.get(stored?.[5] ?? '');
  if (!stored || !type) throw new Error(`not understood: ${text}`);
  const [, major, array, part = '', first, , stride] = stored;
  return access('write', type, major!, { array: array!, part, first: first!, stride: stride! });
}

function access(
  kind: 'read' | 'write',
  type: string,
  major: string,
  place: Pick<MatrixAccess, 'array' | 'part' | 'first' | 'stride'>,
): MatrixAccess {
  // WGSL names columns before rows: left<T, K, M>, right<T, N, K>, result<T, N, M>.
  const [, , element, columns, rows] = TYPE.exec(type) ?? [];
  const size = BYTES[element ?? ''];
  if (size === undefined) throw new Error(`not understood: ${type}`);
  const [lines, line] = major === 'row' ? [rows, columns] : [columns, rows];
  return { ...place, kind, lines: Number(lines), bytes: Number(line) * size };
}
