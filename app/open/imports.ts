/** The import statements of a text, by a scan of its lines: no parser, so no wait for one. */
import { scan, START, type ScanState } from './lineState';

export interface Import {
  /** Dots in front: 0 for an absolute import. */
  readonly level: number;
  /** Segments of the module; none for `from . import x`. */
  readonly module: readonly string[];
  /** Names that are imported from it; null for `import module`. */
  readonly names: readonly string[] | null;
  /** Whether it stands in the body of a `try`, so that the file may do without it. */
  readonly isTried: boolean;
}
interface Statement {
  readonly text: string;
  readonly isTried: boolean;
}

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const IDENTIFIER = new RegExp(`^${NAME}$`, 'u');
const DOTTED = `${NAME}(?:\\.${NAME})*`;
const PLAIN = new RegExp(`^import\\s+(.+)$`, 'u');
const FROM = new RegExp(`^from\\s+(\\.*)\\s*(${DOTTED})?\\s*import\\b\\s*(.*)$`, 'u');
const ONE = new RegExp(`^(${DOTTED})(?:\\s+as\\s+${NAME})?$`, 'u');

/** Statements that begin with `import` or `from`, of several lines as one, without comments. */
function statements(text: string): Statement[] {
  const found: Statement[] = [];
  let state: ScanState = START;
  let current: string | null = null;
  /** Indentations of the `try` statements around. */
  let tries: number[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const begins = !state.open;
    state = scan(line, state);
    const bare = line.replace(/#.*$/, '').replace(/\\$/, ' ').trim();
    if (begins && bare !== '') {
      const indent = line.search(/\S/);
      tries = tries.filter((each) => each < indent);
      if (/^try\s*:/.test(bare)) tries.push(indent);
    }
    if (begins) current = /^(?:import|from)\b/.test(bare) ? bare : null;
    else if (current !== null) current += ` ${bare}`;
    if (!state.open && current !== null) {
      const isTried = tries.length > 0;
      found.push(...current.split(';').map((each) => ({ text: each.trim(), isTried })));
      current = null;
    }
  }
  return found;
}

/** All imports, also those inside of functions and branches. */
export function importsOf(text: string): Import[] {
  return statements(text).flatMap(({ text: statement, isTried }): Import[] => {
    const plain = PLAIN.exec(statement);
    if (plain)
      return plain[1]!.split(',').flatMap((each) => {
        const name = ONE.exec(each.trim())?.[1];
        return name === undefined
          ? []
          : [{ level: 0, module: name.split('.'), names: null, isTried }];
      });
    const from = FROM.exec(statement);
    if (!from) return [];
    const [, dots = '', module, rest = ''] = from;
    if (dots === '' && module === undefined) return [];
    const names = rest
      .replaceAll(/[()]/g, ' ')
      .split(',')
      .map((each) => each.trim().split(/\s+/)[0]!)
      .filter((each) => each === '*' || IDENTIFIER.test(each));
    return [{ level: dots.length, module: module?.split('.') ?? [], names, isTried }];
  });
}

/** Modules that a text imports absolutely, by their first segment. */
export const topModules = (text: string): Set<string> =>
  new Set(importsOf(text).flatMap(({ level, module }) => (level === 0 ? [module[0]!] : [])));
