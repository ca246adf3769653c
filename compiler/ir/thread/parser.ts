/**
 * Parses the printed form of thread IR (`printer.ts`): the result prints as the text does. Every
 * operation's location is its line in the text. Throws `IrParseError` with the line; types and
 * structure beyond the syntax are the verifier's business.
 */
import type { UniformWord } from '../../program';
import type { Attribute } from '../ir';
import { FunctionReader } from '../functionReader';
import { newBlock, newOperation, ThreadFunc } from './ir';
import type { ThreadBlock, ThreadOp, ThreadParameter } from './ir';
import { isThreadOpName } from './ops';
import type { ThreadOpName } from './ops';
import { REGION_WORDS, threadConstantName } from './printer';
import { fragment, memory, number } from './types';
import type {
  AddressSpace,
  FragmentType,
  NumberType,
  ScalarName,
  ThreadType,
  VectorSize,
} from './types';

const SCALARS: readonly string[] = ['bool', 'i32', 'u32', 'f32', 'f16'] satisfies ScalarName[];
const SPACES: readonly string[] = ['storage', 'workgroup', 'private'] satisfies AddressSpace[];
const ROLES: readonly string[] = ['left', 'right', 'result'] satisfies FragmentType['role'][];
const COMPONENTS: readonly string[] = [
  'f16',
  'f32',
  'i32',
  'u32',
  'i8',
  'u8',
] satisfies FragmentType['scalar'][];

/** One function. `file` stands in the locations. */
export function parseThreads(text: string, file = '<ir>'): ThreadFunc {
  return new Parser(text, file).func();
}

class Parser extends FunctionReader<ThreadOpName, ThreadType> {
  // ── types ─────────────────────────────────────────────────────────────────────────────────────
  protected override type(): ThreadType {
    const word = this.peek();
    if (word === 'memref') return this.#memory();
    return word.startsWith('!thread.') ? this.#fragment() : this.#number();
  }
  #memory(): ThreadType {
    this.next();
    this.expect('<');
    const shape = this.peek().endsWith('x') ? this.next().slice(0, -1).split('x') : [];
    const atomic = this.accept('atomic');
    if (atomic) this.expect('<');
    const element = this.#number();
    if (atomic) this.expect('>');
    this.expect(',');
    const space = this.#oneOf(SPACES, 'address space') as AddressSpace;
    this.expect('>');
    const lengths = shape.map((length) => (length === '?' ? 0 : Number(length)));
    return memory(space, element, lengths, atomic);
  }
  #fragment(): ThreadType {
    const role = this.next().replace('!thread.', '');
    if (!ROLES.includes(role)) throw this.error(`no matrix ${role}`, -1);
    this.expect('<');
    const scalar = this.#oneOf(COMPONENTS, 'component') as FragmentType['scalar'];
    this.expect(',');
    const rows = this.integer();
    const columns = /^x(\d+)$/.exec(this.next())?.[1];
    if (columns === undefined) throw this.error('expected rows x columns', -1);
    this.expect('>');
    return fragment(role as FragmentType['role'], scalar, rows, Number(columns));
  }
  #number(): NumberType {
    const size = /^vec([234])$/.exec(this.peek())?.[1];
    if (size === undefined) return number(this.#oneOf(SCALARS, 'type') as ScalarName);
    this.next();
    this.expect('<');
    const scalar = this.#oneOf(SCALARS, 'type') as ScalarName;
    this.expect('>');
    return number(scalar, Number(size) as VectorSize);
  }
  #oneOf(words: readonly string[], what: string): string {
    const word = this.next();
    if (!words.includes(word)) throw this.error(`no ${what} ${word}`, -1);
    return word;
  }

  // ── operations ────────────────────────────────────────────────────────────────────────────────
  func(): ThreadFunc {
    const location = this.location();
    this.expect('thread.func');
    const name = this.next().replace('@', '');
    this.expect('(');
    const body = newBlock();
    const parameters = this.list(')', () => {
      this.argument(body);
      return this.#parameter();
    });
    const attributes = this.accept('attributes') ? this.dictionary() : {};
    this.expect('{');
    this.operations(body);
    if (!this.atEnd) throw this.error('text after the function');
    const func = new ThreadFunc(name, location, attributes, body);
    func.parameters.push(...parameters);
    return func;
  }
  #parameter(): ThreadParameter {
    const { group, word, written } = this.dictionary();
    if (isDictionary(word) && typeof word['kind'] === 'string')
      return { kind: 'word', word: word as unknown as UniformWord };
    if (typeof group !== 'number' && group !== 'shared')
      throw this.error('a parameter has a word or a group', -1);
    return { kind: 'buffer', group, written: written === true };
  }
  protected override operation(): ThreadOp {
    const location = this.location();
    const names = this.resultNames();
    const name = this.next();
    if (!isThreadOpName(name)) throw this.error(`no operation ${name}`, -1);
    const operands = this.operands();
    const attributes: Record<string, Attribute> = {};
    if (name === 'thread.constant') attributes['value'] = this.#constant();
    if (this.atDictionary()) Object.assign(attributes, this.dictionary());
    const types = this.resultTypes(names);
    const regions: ThreadBlock[] = [];
    if (this.accept('{')) regions.push(this.region());
    while (regions.length > 0 && this.accept(REGION_WORDS[name] ?? '')) {
      this.expect('{');
      regions.push(this.region());
    }
    const op = newOperation(name, operands, types, attributes, regions, location);
    this.defineResults(names, op);
    if (name === 'thread.constant') dropConstantName(op);
    return op;
  }
  /** Truth values are held as 0 and 1. */
  #constant(): number {
    const literal = this.next();
    if (literal === 'true' || literal === 'false') return literal === 'true' ? 1 : 0;
    return this.number(literal);
  }
}

function isDictionary(value: Attribute | undefined): value is Readonly<Record<string, Attribute>> {
  return typeof value === 'object' && !Array.isArray(value);
}

/** The names that the printer gives constants are not hints. */
function dropConstantName(op: ThreadOp): void {
  const { type, name } = op.result;
  if (type.kind !== 'number') return;
  const generated = threadConstantName(type, Number(op.attributes['value']));
  if (name === generated || name?.replace(/_\d+$/, '') === generated) op.result.name = undefined;
}
