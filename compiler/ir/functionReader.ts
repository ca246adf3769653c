/**
 * Reads what functions of tile IR and of thread IR are printed with: values by name, blocks and
 * their arguments, regions, and the lists of results, operands and types of an operation. Each
 * level adds its types and its operations.
 */
import { Block } from './ir';
import type { Operation, Value } from './ir';
import { IrReader } from './reader';

export abstract class FunctionReader<N extends string, T> extends IrReader {
  readonly #values = new Map<string, Value<N, T>>();

  protected abstract type(): T;
  protected abstract operation(): Operation<N, T>;

  /** `%name: type` */
  protected argument(block: Block<N, T>): void {
    const name = this.next();
    this.expect(':');
    this.#define(name, block.addArg(this.type()));
  }
  /** Up to and including the closing brace. */
  protected operations(block: Block<N, T>): void {
    while (!this.accept('}')) block.append(this.operation());
  }
  /** Behind its opening brace. */
  protected region(): Block<N, T> {
    const block = new Block<N, T>();
    if (this.accept('^')) {
      this.expect('(');
      this.list(')', () => this.argument(block));
      this.expect(':');
    }
    this.operations(block);
    return block;
  }
  /** `%a, %b =`, or nothing. */
  protected resultNames(): string[] {
    const names: string[] = [];
    if (!this.peek().startsWith('%')) return names;
    do names.push(this.next());
    while (this.accept(','));
    this.expect('=');
    return names;
  }
  protected operands(): Value<N, T>[] {
    const operands: Value<N, T>[] = [];
    // Behind an operation without operands and results the next line may begin with a name.
    if (!this.peek().startsWith('%') || this.atLineStart()) return operands;
    do operands.push(this.#use(this.next()));
    while (this.accept(','));
    return operands;
  }
  /** `: type, type`, one for each of the results. */
  protected resultTypes(names: readonly string[]): T[] {
    const types: T[] = [];
    if (names.length > 0) {
      this.expect(':');
      do types.push(this.type());
      while (this.accept(','));
    }
    if (types.length !== names.length)
      throw this.error(`${names.length} results, ${types.length} types`, -1);
    return types;
  }
  /** Gives the results their names; later operations may use them. */
  protected defineResults(names: readonly string[], op: Operation<N, T>): void {
    names.forEach((name, i) => this.#define(name, op.results[i]!));
  }

  #define(name: string, value: Value<N, T>): void {
    if (!name.startsWith('%')) throw this.error(`expected a value's name, found ${name}`, -1);
    if (this.#values.has(name)) throw this.error(`${name} is defined twice`, -1);
    this.#values.set(name, value);
    if (!/^%\d/.test(name)) value.name = name.slice(1);
  }
  #use(name: string): Value<N, T> {
    const value = this.#values.get(name);
    if (!value) throw this.error(`${name} is not defined here`, -1);
    return value;
  }
}
