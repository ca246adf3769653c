/** What Python answered when a kernel was compiled first, for a compiler that has no Python. */
import type { CompileRequest, CompilerServices } from './program';

/** Without Python, its answers to the same calls stand for it. */
export function answering(
  answers: CompileRequest['answers'],
  services: CompilerServices,
): CompilerServices {
  if (!answers || services.callConstexpr) return services;
  const known = new Map(answers.map(({ call, value }) => [call, value]));
  return {
    ...services,
    callConstexpr: (...call) => {
      const value = known.get(JSON.stringify(call));
      if (!value) throw new Error('it needs the program to run');
      return value;
    },
  };
}
