/** Statements on memory, and the records of bounds, prints and assertions. */
import type { ThreadOp, ThreadValue } from '../ir/thread/ir';
import { memoryOf } from '../ir/thread/ir';
import type { Body } from './body';
import { Text, typeText } from './expressions';

const ATOMICS: Readonly<Record<string, string>> = {
  add: 'atomicAdd',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  max: 'atomicMax',
  min: 'atomicMin',
  exchange: 'atomicExchange',
};

export function printAlloc(body: Body, op: ThreadOp): void {
  const { result } = op;
  const shared = result.type.kind === 'memory' && result.type.space === 'workgroup';
  const hint = result.name ?? 'v';
  const name = shared ? body.names.declared(hint) : body.names.fresh(hint);
  if (shared) body.workgroup.set(name, typeText(result.type));
  else {
    const initial = op.operands[0] ? ` = ${body.name(op.operands[0])}` : '';
    body.writer.line(`var ${name}: ${typeText(result.type)}${initial};`);
  }
  body.values.set(result, new Text(name));
}

/** Loads, stores, atomics. */
export function printMemory(body: Body, op: ThreadOp): void {
  const { place, rest } = placeOf(body, op);
  const x = rest[0] && body.name(rest[0]);
  const y = rest[1] && body.name(rest[1]);
  const { writer } = body;
  switch (op.name) {
    case 'thread.load':
      return body.loaded(op, place);
    case 'thread.store':
      return writer.line(`${place} = ${x};`);
    case 'thread.load_component':
      return body.loaded(op, `${place}[${x}]`);
    case 'thread.store_component':
      return writer.line(`${place}[${x}] = ${y};`);
    case 'thread.atomic_load':
      return body.result(op, new Text(`atomicLoad(&${place})`));
    case 'thread.atomic_store':
      return writer.line(`atomicStore(&${place}, ${x});`);
    case 'thread.atomic_rmw': {
      const text = `${ATOMICS[String(op.attributes['kind'])]}(&${place}, ${x})`;
      if (op.result.uses.size === 0) return writer.line(`${text};`);
      return body.result(op, new Text(text));
    }
    case 'thread.atomic_cas': {
      const name = body.names.fresh('shared');
      writer.line(`let ${name} = atomicCompareExchangeWeak(&${place}, ${x}, ${y});`);
      body.values.set(op.results[0]!, new Text(`${name}.old_value`));
      body.values.set(op.results[1]!, new Text(`${name}.exchanged`));
      return;
    }
    case 'thread.workgroup_uniform':
      writer.line(`if (tid == 0u) { ${place} = ${x}; }`);
      return body.result(op, new Text(`workgroupUniformLoad(&${place})`));
    case 'thread.matrix_load':
    case 'thread.matrix_store':
      return printMatrix(body, op);
    default:
      throw new Error(`${op.name} has no statement`);
  }
}

function printMatrix(body: Body, op: ThreadOp): void {
  const { array, index } = lastIndex(body, op);
  const stride = `${String(op.attributes['stride'])}u`;
  if (op.name === 'thread.matrix_store') {
    const value = body.name(op.operands.at(-1)!);
    return body.writer.line(
      `subgroupMatrixStore<row_major>(&${array}, ${index}, ${value}, ${stride});`,
    );
  }
  const type = typeText(op.result.type);
  const major = op.attributes['transposed'] === true ? 'col_major' : 'row_major';
  body.result(
    op,
    new Text(`subgroupMatrixLoad<${type}, ${major}>(&${array}, ${index}, ${stride})`),
  );
}

/** `array[index]`, or the variable itself; and the operands behind the indices. */
function placeOf(
  body: Body,
  { operands }: ThreadOp,
): { readonly place: string; readonly rest: readonly ThreadValue[] } {
  const rank = memoryOf(operands[0]!).shape.length;
  let place = body.name(operands[0]!);
  for (let i = 1; i <= rank; i++) place += `[${body.name(operands[i]!)}]`;
  return { place, rest: operands.slice(1 + rank) };
}

/** The array and the index of a matrix's first element: WGSL takes them apart. */
function lastIndex(
  body: Body,
  { operands }: ThreadOp,
): { readonly array: string; readonly index: string } {
  const rank = memoryOf(operands[0]!).shape.length;
  const indices = operands.slice(1, 1 + rank).map((value) => body.name(value));
  const outer = indices.slice(0, -1).map((index) => `[${index}]`);
  return { array: `${body.name(operands[0]!)}${outer.join('')}`, index: indices.at(-1)! };
}

/** @param report where the launch's report begins. */
export function printReport(body: Body, op: ThreadOp, report: string): void {
  const { attributes } = op;
  const [a, b, c, d] = op.operands.map((value) => body.name(value));
  const site = `${String(attributes['site'])}u`;
  switch (op.name) {
    case 'thread.report_bounds':
      body.usesReport = true;
      return body.writer.line(
        `report_bounds(${report}, ${String(attributes['half'])}u, ${a}, ${b}, ${c}, ${d});`,
      );
    case 'thread.load_report': {
      const text = `atomicLoad(&report[${report} + ${String(attributes['word'])}u])`;
      return body.result(op, new Text(text));
    }
    case 'thread.print_iteration':
      body.usesDebug = true;
      return body.writer.line('debug_iteration += 1u;');
    case 'thread.print_record':
      body.usesDebug = true;
      return body.writer.line(`debug_record(${a}, ${site}, ${b}, ${c}, ${d});`);
    default:
      body.usesDebug = true;
      return body.writer.line(`if (${a}) { debug_fail(${b}, ${site}, ${c}); }`);
  }
}
