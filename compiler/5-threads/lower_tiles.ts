/**
 * TTGIR to thread IR: what each thread of a program does with its registers. What must hold of the
 * TTGIR is what the passes of `4-distribute` promise. The result declares the memory that the
 * threads share.
 */
import type { Func } from '../ir/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import type { ThreadValue } from '../ir/thread/ir';
import type { CompileRequest } from '../program';
import { Lowering, numberAttribute } from './context';
import { listAccesses } from './memory/bounds';
import { planMemory } from './memory/groups';
import { runsAlone } from './memory/waiting';
import { demandedRegisters } from './demandedElements';
import { lowerBlock } from './operations';
import { Parameters } from './uniforms';
import { unrolled } from './loopForm/values';
import { decodeScalar } from './scalars';
import { provablyUniform } from './uniformity';

/** @throws RegroupNeeded where pointers of different binding groups meet; DiagnosticError */
export function lower_tiles(func: Func, request: CompileRequest): ThreadKernel {
  const parameters = new Parameters(func, request.specialization);
  const memory = planMemory(func, parameters, { f16: request.target.f16 });
  const uniform = provablyUniform(func, memory);
  const t = new Lowering(
    func,
    request,
    parameters,
    memory,
    demandedRegisters(func),
    uniform,
    unrolled,
  );
  // Folding needs it while operations are made.
  t.b.func.attributes['threads'] = t.threads;
  for (const group of memory.groups) t.buffer(group);
  bindParameters(t);
  listAccesses(t);
  lowerBlock(t, func.body);
  if (t.checks.accesses.length > 0)
    t.b.at(func.location, () => t.b.create('thread.report_guards', [t.linearProgram()]));
  t.b.create('thread.return', []);
  t.shared.finish();
  return finish(t);
}

/** The registers of the function's arguments, computed once at the start. */
function bindParameters(t: Lowering): void {
  t.func.body.args.forEach((arg, i) => {
    if (arg.uses.size === 0) return;
    const parameter = t.parameters.list[i]!;
    const value = (): ThreadValue =>
      parameter.kind === 'pointer'
        ? t.x`i32(${t.b.word({ kind: 'offset', path: parameter.path })})`
        : decodeScalar(t, arg, parameter);
    // The buffer has the parameter's name.
    const hint = parameter.kind === 'pointer' ? `${t.hint(arg)}_start` : t.hint(arg);
    t.setRegisters(arg, [t.b.prelude(`argument ${i}`, hint, value)]);
  });
}

function finish(t: Lowering): ThreadKernel {
  const oneByOne = runsAlone(t.func);
  // One a thread, if there is nothing that the threads of a program would share.
  const programs = t.shared.isUsed || oneByOne ? 1 : (numberAttribute(t.func, 'programs') ?? 1);
  const func = t.b.finish();
  Object.assign(func.attributes, {
    threads: t.threads,
    ...(t.machine.masksBranches ? { masksBranches: true } : {}),
    ...(t.machine.subgroupsInTurn ? { subgroupsInTurn: true } : {}),
    ...(t.machine.compilesSlowly ? { compilesSlowly: true } : {}),
    ...(programs > 1 ? { programs } : {}),
    ...(t.request.target.f16PacksToNearest ? { packsHalves: true } : {}),
    ...(t.request.target.readsZeroOutside ? { readsZeroOutside: true } : {}),
    ...(t.subgroupSize > 0 ? { subgroupSize: t.subgroupSize } : {}),
  });
  return {
    func,
    threads: t.threads,
    programs,
    subgroupSize: t.usesLanes ? t.subgroupSize : 0,
    oneByOne,
    sharedInStorage: t.shared.inStorage,
    workgroupBytes: t.shared.bytes,
    // Passes on thread IR add to them.
    accesses: [...t.checks.accesses],
    machine: t.machine,
    reports: t.checkBounds,
    debugSites: t.debugSites.list,
  };
}
