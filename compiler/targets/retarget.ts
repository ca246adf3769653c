/**
 * The request that compiles a kernel as another target would get it. What was chosen for the
 * machine at hand goes: its tuner's choices, and a program for each lane. Tensors share bindings as
 * a launch there would merge them, where the target has fewer.
 */
import type { ArgumentSpec, CompileRequest, Specialization } from '../program';
import { machineOf, type Target } from '../target';

/** Bindings beside the tensors': the report, and shared memory in storage. */
const OWN_BINDINGS = 2;

/** @param ownBindings the target's bindings that no tensor gets. */
export function retarget(
  request: CompileRequest,
  target: Target,
  ownBindings = OWN_BINDINGS,
): CompileRequest {
  const { choices: _, manyPrograms, ...options } = request.options;
  const many = manyPrograms === true && machineOf(target).smallCodeCache;
  return {
    ...request,
    target,
    options: many ? { ...options, manyPrograms } : options,
    specialization: fitGroups(request.specialization, target.maxStorageBuffers - ownBindings),
  };
}

/** The last groups are merged into one where there are more than `room`. */
function fitGroups(specialization: Specialization, room: number): Specialization {
  const fit = (spec: ArgumentSpec): ArgumentSpec => {
    if (spec.kind === 'pointer') return { ...spec, group: Math.min(spec.group, room - 1) };
    return spec.kind === 'tuple' ? { ...spec, items: spec.items.map(fit) } : spec;
  };
  const { arena, arguments: args } = specialization;
  return {
    ...specialization,
    arguments: args.map(fit),
    ...(arena === undefined ? {} : { arena: Math.min(arena, room - 1) }),
  };
}
