/**
 * The statements of a kernel: thread IR block by block. A value becomes a variable
 * (`ir/thread/variables.ts`), a `let` where it has a name or several uses, or stands where it is
 * used (`places.ts`). Nothing moves and nothing is chosen here: what each statement does stands in
 * the IR.
 */
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from '../ir/thread/ir';
import type { Survey } from '../ir/thread/survey';
import { printFor, printIf, printWhile } from './control';
import { isExpression, Text, typeText } from './expressions';
import { printAlloc, printMemory, printReport } from './memory';
import type { Names } from './names';
import { isUnchanged } from './places';
import { Values } from './values';
import { planVariables } from '../ir/thread/variables';
import type { Variable, Variables } from '../ir/thread/variables';
import type { Writer } from './writer';

/**
 * `args`: the text of each argument of the function. `report`: where the launch's report begins.
 * `writer` takes the statements.
 */
export function printBody(
  func: ThreadFunc,
  survey: Survey,
  args: readonly string[],
  names: Names,
  report: string,
  writer: Writer,
): Body {
  const values = new Values(survey.values, planVariables(survey), names);
  const body = new Body(values, names, report, writer);
  func.body.args.forEach((arg, i) => body.values.set(arg, new Text(args[i]!)));
  body.block(func.body);
  return body;
}

/** The statements, and what they require of the module around them. */
export class Body {
  readonly writer: Writer;
  readonly variables: Variables;
  /** The arrays in workgroup memory, and their types. */
  readonly workgroup = new Map<string, string>();
  usesReport = false;
  usesDebug = false;

  constructor(
    readonly values: Values,
    readonly names: Names,
    private readonly report: string,
    writer: Writer,
  ) {
    this.writer = writer;
    this.variables = values.variables;
  }

  block(block: ThreadBlock): void {
    for (let op = block.first; op; op = op.next) {
      this.writer.location = op.location;
      this.#statement(op);
    }
  }

  #statement(op: ThreadOp): void {
    if (isExpression(op.name)) return this.#expression(op);
    switch (op.name) {
      case 'thread.constant':
      case 'thread.yield':
      case 'thread.condition':
      case 'thread.return':
        return;
      case 'thread.alloc':
        return printAlloc(this, op);
      case 'thread.if':
        return printIf(this, op);
      case 'thread.for':
        return printFor(this, op);
      case 'thread.while':
        return printWhile(this, op);
      case 'thread.barrier':
        if (op.attributes['workgroup'] === true) this.writer.line('workgroupBarrier();');
        if (op.attributes['storage'] === true) this.writer.line('storageBarrier();');
        return;
      case 'thread.report_bounds':
      case 'thread.load_report':
      case 'thread.print_record':
      case 'thread.print_iteration':
      case 'thread.assert_record':
        return printReport(this, op, this.report);
      default:
        return printMemory(this, op);
    }
  }

  // ── values
  // ──────────────────────────────────────────────────────────────────────────────────────

  name(value: ThreadValue): string {
    return this.values.text(value).text;
  }
  #expression(op: ThreadOp): void {
    const text = this.values.expression(op);
    const { result } = op;
    if (!this.variables.has(result) && this.values.isInline(op, text))
      this.values.set(result, text);
    else this.result(op, text);
  }
  /** The value of a load, whose text is a place in memory. */
  loaded(op: ThreadOp, place: string): void {
    const { values } = this;
    const text = values.over(new Text(place), op);
    text.loads = true;
    const stands = values.isInline(op, text) || isUnchanged(op);
    if (!this.variables.has(op.result) && stands) values.set(op.result, text);
    else this.result(op, text);
  }
  /** Puts the value of an operation into its variable, or names it. */
  result({ result }: ThreadOp, { text }: Text): void {
    const variable = this.variables.get(result);
    if (variable) return this.assign(variable, text);
    const name = this.names.fresh(result.name ?? 'v');
    this.writer.line(`let ${name} = ${text};`);
    this.values.set(result, new Text(name));
  }
  declare(variable: Variable, initial?: string): void {
    variable.name = this.names.fresh(variable.hint);
    const value = initial === undefined ? '' : ` = ${initial}`;
    this.writer.line(`var ${variable.name}: ${typeText(variable.type)}${value};`);
  }
  assign(variable: Variable, text: string): void {
    if (variable.name === undefined) this.declare(variable, text);
    else if (variable.name !== text) this.writer.line(`${variable.name} = ${text};`);
  }
  /**
   * Assigns values to variables, one after the other: no value reads what an assignment before it
   * has changed (`sequentialize_copies`).
   */
  assignAll(targets: readonly ThreadValue[], sources: readonly ThreadValue[]): void {
    const moves = targets.flatMap((target, i) => {
      const [variable, source] = [this.variables.get(target)!, sources[i]!];
      return variable === this.variables.get(source)
        ? []
        : [{ variable, ...this.values.text(source) }];
    });
    const written = new Set<Variable>();
    for (const { variable, text, reads } of moves) {
      if (reads.some((each) => written.has(each)))
        throw new Error(`a value of ${variable.hint} is read behind its change`);
      this.assign(variable, text);
      written.add(variable);
    }
  }
}
