/** A file's outline for the editor: functions and classes as they nest, and names at the top. */
import { ancestors, child, comparePositions, textOf, type TreeNode } from '../1-parse/tree';
import { isJitted, type Place, placeOf, type Project } from './project';

export interface OutlineItem {
  readonly name: string;
  readonly kind: 'kernel' | 'function' | 'class' | 'variable';
  /** `(x_ptr, n, BLOCK)` of a function. */
  readonly detail: string;
  readonly place: Place;
  readonly namePlace: Place;
  readonly children: readonly OutlineItem[];
}

/** Functions and classes as they nest, and what is assigned at the top. */
export function outlineOf(project: Project, file: string): OutlineItem[] {
  const symbols = project.symbols(file);
  const items = (node: TreeNode): OutlineItem[] => {
    const scope = symbols.scopes.get(node);
    if (!scope) return [];
    const found: OutlineItem[] = [];
    for (const symbol of scope.symbols.values()) {
      const [bound] = symbol.bindings;
      if (!bound || symbol.scope !== scope) continue;
      const { definition, kind } = symbol;
      if ((kind === 'function' || kind === 'class') && definition) {
        const outer =
          definition.parent?.type === 'decorated_definition' ? definition.parent : definition;
        const list = child(definition, 'parameters');
        found.push({
          name: symbol.name,
          kind: isJitted(project, { file, symbol }) ? 'kernel' : kind,
          detail: list ? textOf(list, symbols.text).replace(/\s+/g, ' ') : '',
          place: placeOf(file, outer),
          namePlace: placeOf(file, bound),
          children: items(definition),
        });
      } else if (kind === 'variable' && scope.kind !== 'function' && scope.kind !== 'lambda') {
        const statement = [...ancestors(bound)].find(({ parent }) => parent?.type === 'module');
        found.push({
          name: symbol.name,
          kind: 'variable',
          detail: '',
          place: placeOf(file, scope.kind === 'module' ? (statement ?? bound) : bound),
          namePlace: placeOf(file, bound),
          children: [],
        });
      }
    }
    return found.sort((a, b) => comparePositions(a.place.start, b.place.start));
  };
  return items(symbols.root);
}
