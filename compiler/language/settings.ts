/**
 * The settings of a launch that its author chose as numbers: constexprs that size tiles or order
 * the grid, and Triton's launch options. Each with the place of its number in the text, so that it
 * can be changed there.
 *
 * Guarantee: a change of one of them, to a number that `allowedValue` admits, is a program that
 * real Triton takes apart from limits of a GPU's memory. A number that the grid repeats as a number
 * of its own is no setting: the two would part. No two settings have the same place: a number that
 * several parameters read is one setting, with all their names.
 */
import { child, childrenOf, textOf, type TreeNode } from '../1-parse/tree';
import type { Location } from '../ir/location';
import {
  allowedValue,
  type LaunchSetting,
  type LaunchSettings,
  type SettingRole,
} from './settingValues';
import {
  calledFunction,
  decoratorsOf,
  nodesOf,
  type Project,
  targetAt,
  type Target,
} from './project';

/** Null where the file has no launch of that kernel at the line, or in all. */
export function settingsOf(
  project: Project,
  file: string,
  kernel: string,
  line: number,
): LaunchSettings | null {
  const found = launchAt(project, file, kernel, line);
  if (!found) return null;
  const { call, callee } = found;
  const reader = new Reader(project, file, call, callee);
  const definition = callee.symbol.definition!;
  const autotuned = tunersOf(project, callee).length > 0;
  const loops = ['for_statement', 'while_statement'].some(
    (type) => !nodesOf(definition, type).next().done,
  );
  const options = autotuned ? [] : reader.options();
  return { settings: onePlaceEach([...reader.constexprs(), ...options]), autotuned, loops };
}

/** The decorators that choose constexprs or options of a kernel. */
function tunersOf(project: Project, { file, symbol }: Target): string[] {
  const { text } = project.symbols(file);
  return decoratorsOf(symbol.definition!)
    .map((each) => textOf(each, text))
    .filter((each) => /\b(autotune|heuristics)\b/.test(each));
}

/** `BLOCK_M=SIZE, BLOCK_N=SIZE` are one number in the text. */
function onePlaceEach(settings: readonly LaunchSetting[]): LaunchSetting[] {
  const places = new Map<string, LaunchSetting>();
  for (const each of settings) {
    const { file, line, column } = each.location;
    // Keywords that are still to be written can all be written at one place.
    const place = JSON.stringify([file, line, column, each.before]);
    const other = places.get(place);
    // A constexpr that is called as an option is: Triton gives both the same number.
    if (!other && [...places.values()].some(({ name }) => name === each.name)) continue;
    if (!other) places.set(place, each);
    else if (other.name !== each.name)
      places.set(place, { ...other, name: `${other.name}=${each.name}` });
  }
  return [...places.values()];
}

/** The launch that stands on the line; else the file's only one of the kernel. */
function launchAt(
  project: Project,
  file: string,
  kernel: string,
  line: number,
): { readonly call: TreeNode; readonly callee: Target } | null {
  const launches = [...nodesOf(project.symbols(file).root, 'call')].flatMap((call) => {
    if (child(call, 'function')?.type !== 'subscript') return [];
    const callee = calledFunction(project, file, call);
    return callee?.symbol.name === kernel && callee.symbol.definition ? [{ call, callee }] : [];
  });
  const at = launches.filter(({ call }) => call.start.line <= line && line <= call.end.line);
  return at.at(-1) ?? (launches.length === 1 ? launches[0]! : null);
}

interface NumberAt {
  readonly value: number;
  readonly location: Location;
}

class Reader {
  readonly #text: string;
  readonly #list: readonly TreeNode[];
  readonly #splat: boolean;

  constructor(
    private readonly project: Project,
    private readonly file: string,
    private readonly call: TreeNode,
    private readonly callee: Target,
  ) {
    this.#text = project.symbols(file).text;
    const list = child(call, 'arguments');
    this.#list = list?.children.filter(({ named, type }) => named && type !== 'comment') ?? [];
    this.#splat = this.#list.some(({ type }) => type === 'dictionary_splat');
  }

  constexprs(): LaunchSetting[] {
    const { text } = this.project.symbols(this.callee.file);
    const list = child(this.callee.symbol.definition!, 'parameters');
    const parameters =
      list?.children.filter(({ named, type }) => named && !NO_PARAMETER.test(type)) ?? [];
    return parameters.flatMap((parameter, index): LaunchSetting[] => {
      const type = child(parameter, 'type');
      if (!type || !/\bconstexpr\b/.test(textOf(type, text))) return [];
      const name = textOf(
        child(parameter, 'name') ?? parameter.children.find(({ named }) => named)!,
        text,
      );
      const role = roleOf(name);
      if (!role) return [];
      const stated = this.#given(name, index);
      const given = stated === undefined ? this.#ofDefault(parameter, name) : stated;
      if (!given || !allowedValue(role, given.value)) return [];
      return [{ name, role, ...given, before: '' }];
    });
  }

  options(): LaunchSetting[] {
    const options = [
      ['num_warps', 'warps'],
      ['num_stages', 'stages'],
    ] as const;
    return options.flatMap(([name, role]): LaunchSetting[] => {
      const keyword = this.#keyword(name);
      if (keyword) {
        const given = this.#number(keyword);
        return given ? [{ name, role, ...given, before: '' }] : [];
      }
      const last = this.#list.at(-1);
      if (this.#splat || !last) return [];
      const { line, column } = last.end;
      const location = { file: this.file, line, column, endLine: line, endColumn: column };
      return [{ name, role, value: null, location, before: `, ${name}=` }];
    });
  }

  #keyword(name: string): TreeNode | undefined {
    const found = this.#list.find(
      (each) =>
        each.type === 'keyword_argument' && textOf(child(each, 'name')!, this.#text) === name,
    );
    return found && child(found, 'value');
  }
  /** Null: the launch gives it, but not as a number that can be changed; undefined: not given. */
  #given(name: string, index: number): NumberAt | null | undefined {
    const before = this.#list.slice(0, index + 1);
    if (before.some(({ type }) => type === 'list_splat')) return null;
    const positional = before[index];
    const value =
      positional && positional.type !== 'keyword_argument' && positional.type !== 'dictionary_splat'
        ? positional
        : this.#keyword(name);
    if (!value) return this.#splat ? null : undefined;
    return this.#number(value, name) ?? null;
  }
  /** Null also where a decorator gives the parameter another value. */
  #ofDefault(parameter: TreeNode, name: string): NumberAt | null {
    const value = child(parameter, 'value');
    if (value?.type !== 'integer') return null;
    const word = new RegExp(`\\b${name}\\b`);
    if (tunersOf(this.project, this.callee).some((text) => word.test(text))) return null;
    const literal = this.#literal(this.callee.file, value);
    return this.#gridRepeats(name, literal) ? null : literal;
  }

  /** A literal, or the one literal that a name of the program is bound to. */
  #number(value: TreeNode, name?: string): NumberAt | undefined {
    const found = this.#literalOf(value);
    return found && name !== undefined && this.#gridRepeats(name, found) ? undefined : found;
  }
  #literalOf(value: TreeNode): NumberAt | undefined {
    if (value.type === 'integer') return this.#literal(this.file, value);
    if (value.type !== 'identifier') return undefined;
    const target = targetAt(this.project, this.file, value);
    if (target?.symbol.kind !== 'variable' || target.symbol.bindings.length !== 1) return undefined;
    const bound = target.symbol.value;
    return bound?.type === 'integer' ? this.#literal(target.file, bound) : undefined;
  }
  #literal(file: string, node: TreeNode): NumberAt {
    const { text } = this.project.symbols(file);
    const { start, end } = node;
    return {
      value: numberOf(node, text),
      location: {
        file,
        line: start.line,
        column: start.column,
        endLine: end.line,
        endColumn: end.column,
      },
    };
  }
  /**
   * The grid, or what it is computed from, has the same number as a literal of its own, and does
   * not read it from where the launch does.
   */
  #gridRepeats(name: string, { value, location }: NumberAt): boolean {
    const seen = new Set<TreeNode>();
    let repeats = false;
    const reads = (file: string, node: TreeNode): boolean => {
      if (seen.has(node)) return false;
      seen.add(node);
      const { text } = this.project.symbols(file);
      const own = textOf(node, text);
      if (own.includes(`"${name}"`) || own.includes(`'${name}'`)) return true;
      for (const each of [...nodesOf(node, 'integer')]) {
        const { line, column } = each.start;
        if (file === location.file && line === location.line && column === location.column)
          return true;
        repeats ||= numberOf(each, text) === value;
      }
      return [...nodesOf(node, 'identifier')].some((each) => {
        // A tensor's shape has numbers of the problem.
        if (each.parent?.type === 'attribute') return false;
        const target = targetAt(this.project, file, each);
        const inner = target && (target.symbol.value ?? target.symbol.definition);
        // A parameter's definition is its function.
        return inner && target.symbol.kind !== 'parameter' ? reads(target.file, inner) : false;
      });
    };
    const grids = childrenOf(child(this.call, 'function')!, 'subscript');
    return !grids.some((grid) => reads(this.file, grid)) && repeats;
  }
}

const numberOf = (node: TreeNode, text: string): number =>
  Number(textOf(node, text).replaceAll('_', ''));

/** Named nodes of a parameter list that no argument is for. */
const NO_PARAMETER = /^(comment|keyword_separator|positional_separator)$/;

/** By the names that Triton's own programs use; null: the number belongs to the problem. */
function roleOf(name: string): SettingRole | null {
  if (/^num_warps$/i.test(name)) return 'warps';
  if (/^(num_)?stages$/i.test(name)) return 'stages';
  if (/^split(_?k|s)?$/i.test(name)) return 'split';
  if (/^group(_size)?_?m$/i.test(name)) return 'order';
  if (/^(block|tile|chunk)(_?size)?(_?[a-z0-9]+)?$/i.test(name)) return 'block';
  return /^B[MNK]$/.test(name) ? 'block' : null;
}
