/**
 * Selects the operations whose tiles have more registers a thread than scalarized registers pay for
 * (`ir/registerForm.ts`). Stores and reductions of such tiles become loops over the registers.
 * Arithmetic on them is rematerialized where it is used, for the register that the loop is at; so
 * are loads from memory that the kernel never writes. A load from memory that is written somewhere
 * keeps its values in an array of the thread, and so does a reduction to many results. An operation
 * without a form takes all registers, unrolled.
 *
 * Requires layouts. Memory is planned as for the lowering: aliasing decides what is written.
 * @throws RegroupNeeded where pointers of different binding groups meet
 */
import { walk } from '../ir/ir';
import type { Func, Operation, Value } from '../ir/ir';
import { registerCount } from '../ir/layout';
import { FORM } from '../ir/registerForm';
import type { RegisterForm } from '../ir/registerForm';
import type { CompileRequest } from '../program';
import { isConversion } from './arithmetic/conversions';
import { isArithmetic } from './arithmetic/elementwise';
import { layoutOf, numberAttribute } from './context';
import { operandsOfDots } from './dot/rematerialized';
import { resultKeys } from './communication/reduce';
import { planMemory } from './memory/groups';
import { Parameters } from './uniforms';

const RENAMINGS = new Set(['tt.broadcast', 'tt.expand_dims', 'tt.reshape', 'tt.trans']);

/** Registers of a tile that are scalarized; accumulators and their operands pay for more. */
const SCALARIZED_REGISTERS = 128;
const SCALARIZED_WITH_DOTS = 256;
/** Registers of a tile on the way to a direct dot that are scalarized outside of its loop. */
const SCALARIZED_FOR_DOT = 16;
/** Results of a reduction in registers; where there are more, one by one into an array. */
const SCALARIZED_SUMS = 8;

/** @returns whether it selected a form for any operation. */
export function select_register_forms(func: Func, request: CompileRequest): boolean {
  let staged = false;
  walk(func.body, (op) => {
    staged ||= op.name === 'ttg.local_alloc';
  });
  const limit =
    numberAttribute(func, 'scalarizedRegisters') ??
    (staged ? SCALARIZED_WITH_DOTS : SCALARIZED_REGISTERS);
  const forDots = operandsOfDots(func);
  const isLarge = (value: Value | undefined): boolean =>
    value?.type.kind === 'tensor' &&
    registerCount(layoutOf(value)) > (forDots.has(value) ? SCALARIZED_FOR_DOT : limit);
  const isWritten = writtenLoads(func, request);
  let changed = false;
  walk(func.body, (op) => {
    const form = formFor(op, isLarge, isWritten);
    if (!form) return;
    op.attributes = { ...op.attributes, [FORM]: form };
    changed = true;
  });
  return changed;
}

function formFor(
  op: Operation,
  isLarge: (value: Value | undefined) => boolean,
  isWritten: (load: Operation) => boolean,
): RegisterForm | undefined {
  const { name, operands } = op;
  if (name === 'tt.store') return isLarge(operands[0]) ? 'loop' : undefined;
  if (name === 'tt.reduce') {
    if (!isLarge(operands[0])) return undefined;
    return resultKeys(op.results[0]!).length > SCALARIZED_SUMS ? 'array' : 'loop';
  }
  if (!isLarge(op.results[0])) return undefined;
  if (name === 'tt.load') return isWritten(op) ? 'array' : 'rematerialized';
  const evaluates =
    isArithmetic(name) ||
    isConversion(name) ||
    name === 'tt.make_range' ||
    (RENAMINGS.has(name) && op.operand(0).type.kind === 'tensor');
  return evaluates ? 'rematerialized' : undefined;
}

/** Whether the kernel writes memory that a load reads. The plan is made at the first question. */
function writtenLoads(func: Func, request: CompileRequest): (load: Operation) => boolean {
  let memory: ReturnType<typeof planMemory> | undefined;
  return (load) => {
    const { specialization, target } = request;
    memory ??= planMemory(func, new Parameters(func, specialization), { f16: target.f16 });
    return memory.of(load).group.written;
  };
}
