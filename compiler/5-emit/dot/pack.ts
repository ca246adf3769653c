/**
 * Registers in fours: where four of them are the components of one vector, WGSL says it with the
 * vector's name. Shorter text, and the same code.
 */
const COMPONENT = /^([A-Za-z_]\w*)\.([xyzw])$/;

/** The vector whose components these registers are, in order. */
export function wholeVector(registers: readonly string[]): string | undefined {
  const first = COMPONENT.exec(registers[0] ?? '');
  if (!first || registers.length !== 4) return undefined;
  const name = first[1]!;
  return registers.every((register, i) => register === `${name}.${'xyzw'[i]}`) ? name : undefined;
}
/** `vec4<type>` of four registers, short where they are a vector already or all the same. */
export function vectorOf(type: string, registers: readonly string[]): string {
  const whole = wholeVector(registers);
  if (whole) return whole;
  if (registers.every((register) => register === registers[0]))
    return `vec4<${type}>(${registers[0]})`;
  return `vec4<${type}>(${registers.join(', ')})`;
}
export function components(name: string): string[] {
  return [`${name}.x`, `${name}.y`, `${name}.z`, `${name}.w`];
}
