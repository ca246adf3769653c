/**
 * Checks of the compiler's plain data (locations, diagnostics, requests), as the events carry it.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { PassCheck } from '../../compiler/interpret/checkPasses';
import type { Location } from '../../compiler/ir/location';
import type {
  AggregateClass,
  ArgumentSpec,
  CompileOptions,
  CompileRequest,
  ConstexprAnswer,
  KernelFunction,
  KernelProgram,
  Specialization,
  StaticValue,
} from '../../compiler/program';
import type { MachineFacts } from '../../compiler/machine';
import type { SubgroupMatrix, Target } from '../../compiler/target';
import {
  boolean,
  dictionary,
  either,
  lazy,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  tagged,
  text,
  whole,
  type Check,
} from './check';

export const location: Check<Location> = object<Location>({
  file: text,
  line: whole,
  column: whole,
  endLine: whole,
  endColumn: whole,
  inlinedAt: optional(lazy(() => location)),
});

export const diagnostic: Check<Diagnostic> = object<Diagnostic>({
  code: text,
  severity: oneOf('error', 'warning', 'info'),
  message: text,
  location,
  notes: list(object<Diagnostic['notes'][number]>({ message: text, location: optional(location) })),
  fix: optional(object<NonNullable<Diagnostic['fix']>>({ title: text, location, text })),
});

/** The first element that differs. */
export const difference = object<NonNullable<PassCheck['first']>>({
  argument: text,
  index: whole,
  before: either(number, text),
  after: either(number, text),
});
export const passCheck: Check<PassCheck> = object<PassCheck>({
  index: whole,
  name: text,
  verdict: oneOf('same', 'rounding', 'different', 'failed'),
  first: orNull(difference),
  message: orNull(text),
  programs: whole,
});

type Static<K extends StaticValue['kind']> = Extract<StaticValue, { kind: K }>;
const statics: Check<StaticValue> = lazy(() => staticValue);
const aggregate: Check<AggregateClass> = object<AggregateClass>({
  id: text,
  name: text,
  fields: list(
    object<{ readonly name: string; readonly type: string }>({ name: text, type: text }),
  ),
  defaults: dictionary(statics),
  methods: dictionary(
    object<{ readonly function: string; readonly isStatic: boolean }>({
      function: text,
      isStatic: boolean,
    }),
  ),
});
const member = optional(text);
const staticValue: Check<StaticValue> = tagged<StaticValue, 'kind'>('kind', {
  none: object<Static<'none'>>({ kind: oneOf('none') }),
  bool: object<Static<'bool'>>({ kind: oneOf('bool'), value: boolean }),
  int: object<Static<'int'>>({ kind: oneOf('int'), value: text, member }),
  float: object<Static<'float'>>({ kind: oneOf('float'), value: text, member }),
  string: object<Static<'string'>>({ kind: oneOf('string'), value: text, member }),
  dtype: object<Static<'dtype'>>({ kind: oneOf('dtype'), name: text }),
  tuple: object<Static<'tuple'>>({
    kind: oneOf('tuple'),
    items: list(statics),
    fields: optional(list(text)),
    type: optional(text),
  }),
  constexpr: object<Static<'constexpr'>>({ kind: oneOf('constexpr'), value: statics }),
  function: object<Static<'function'>>({ kind: oneOf('function'), id: text }),
  constexpr_function: object<Static<'constexpr_function'>>({
    kind: oneOf('constexpr_function'),
    id: text,
    name: text,
    mustUse: optional(text),
  }),
  triton: object<Static<'triton'>>({ kind: oneOf('triton'), path: text }),
  module: object<Static<'module'>>({
    kind: oneOf('module'),
    name: text,
    members: dictionary(statics),
    reference: optional(text),
  }),
  namedtuple: object<Static<'namedtuple'>>({
    kind: oneOf('namedtuple'),
    name: text,
    fields: list(text),
    defaults: dictionary(statics),
  }),
  aggregate: object<Static<'aggregate'>>({ kind: oneOf('aggregate'), description: aggregate }),
  builtin: object<Static<'builtin'>>({ kind: oneOf('builtin'), name: text }),
  other: object<Static<'other'>>({
    kind: oneOf('other'),
    type: text,
    unread: optional(oneOf(true)),
    reference: optional(text),
  }),
});

type Argument<K extends ArgumentSpec['kind']> = Extract<ArgumentSpec, { kind: K }>;
const argument: Check<ArgumentSpec> = tagged<ArgumentSpec, 'kind'>('kind', {
  pointer: object<Argument<'pointer'>>({
    kind: oneOf('pointer'),
    dtype: text,
    divisibleBy16: boolean,
    group: whole,
    readonly: optional(boolean),
    wholeVectors: optional(boolean),
  }),
  scalar: object<Argument<'scalar'>>({
    kind: oneOf('scalar'),
    dtype: text,
    divisibleBy16: boolean,
  }),
  constexpr: object<Argument<'constexpr'>>({ kind: oneOf('constexpr'), value: statics }),
  tuple: object<Argument<'tuple'>>({
    kind: oneOf('tuple'),
    items: list(lazy(() => argument)),
    fields: optional(list(text)),
    descriptor: optional(
      object<NonNullable<Argument<'tuple'>['descriptor']>>({
        blockShape: list(number),
        padding: text,
      }),
    ),
  }),
});

const kernelFunction: Check<KernelFunction> = object<KernelFunction>({
  id: text,
  name: text,
  file: text,
  line: whole,
  globals: dictionary(statics),
  defaults: dictionary(statics),
  noinline: optional(boolean),
  mustUse: optional(text),
  gluon: optional(boolean),
  python: optional(boolean),
});

const program: Check<KernelProgram> = object<KernelProgram>({
  files: dictionary(text),
  functions: dictionary(kernelFunction),
  entry: text,
});

export const specialization: Check<Specialization> = object<Specialization>({
  arguments: list(argument),
  arena: optional(whole),
  numWarps: number,
  statedWarps: optional(oneOf(true)),
  numStages: optional(oneOf(1)),
});

const SIZES = [4, 8, 16, 32, 64, 128] as const;
const machine: Check<MachineFacts> = object<MachineFacts>({
  computesOn: oneOf('gpu', 'cpu'),
  subgroupsInTurn: boolean,
  costlyBarriers: boolean,
  flatMemory: boolean,
  banks: number,
  masksBranches: boolean,
  compilesSlowly: boolean,
  smallCodeCache: boolean,
  signedVectorsOnly: boolean,
  zeroInitializesSlowly: boolean,
});
export const target: Check<Target> = object<Target>({
  name: text,
  subgroupSize: either(oneOf('none'), oneOf(...SIZES)),
  subgroupSizeControl: optional(boolean),
  f16: boolean,
  f16RoundsToNearest: optional(boolean),
  f16PacksToNearest: optional(boolean),
  f16ByPacking: optional(oneOf('move', 'round')),
  f16CastsElided: optional(boolean),
  functionsDropNan: optional(boolean),
  extremaDropNan: optional(boolean),
  flushesDenormals: optional(boolean),
  readsZeroOutside: optional(boolean),
  maxWorkgroupBytes: number,
  maxInvocations: number,
  sharedMemoryInStorage: optional(boolean),
  slicedLaunches: optional(boolean),
  immediateBytes: optional(number),
  maxStorageBuffers: number,
  maxStorageBindingBytes: number,
  maxWorkgroupsPerDimension: number,
  subgroupMatrices: list(
    object<SubgroupMatrix>({
      component: oneOf('f16', 'f32', 'i8', 'u8'),
      result: oneOf('f16', 'f32', 'i32', 'u32'),
      M: number,
      N: number,
      K: number,
    }),
  ),
  subgroupMatrixFeature: optional(oneOf('subgroup-matrix')),
  machine: optional(machine),
});

const options: Check<CompileOptions> = object<CompileOptions>({
  verify: boolean,
  keepIr: boolean,
  checkBounds: boolean,
  linearGrid: boolean,
  manyPrograms: optional(boolean),
  choices: optional(dictionary(either(number, boolean))),
  debug: optional(either(boolean, oneOf('assertions'))),
  instrumentation: optional(oneOf('fpsan', 'prove')),
  quotes: optional(boolean),
});

export const compileRequest: Check<CompileRequest> = object<CompileRequest>({
  program,
  specialization,
  target,
  options,
  answers: optional(list(object<ConstexprAnswer>({ call: text, value: statics }))),
});
