/** WGSL identifiers: the user's names where they are free, else with a number behind them. */

/** Keywords, and names that the module uses itself or that WGSL predeclares. */
const RESERVED = new Set(
  (
    'alias break case const const_assert continue continuing default diagnostic discard else enable ' +
    'false fn for if let loop override requires return struct switch true var while ' +
    // Reserved words of WGSL that programs are likely to use as names.
    'NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become ' +
    'cast catch class co_await co_return co_yield coherent column_major common compile ' +
    'compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete ' +
    'demote demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough ' +
    'filter final finally friend from fxgroup get goto groupshared highp impl implements import inline ' +
    'instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut mutable ' +
    'namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null ' +
    'nullptr of operator package packoffset partition pass patch pixelfragment precise precision ' +
    'premerge priv protected pub public readonly ref regardless register reinterpret_cast require ' +
    'resource restrict self set shared sizeof smooth snorm static static_assert static_cast std ' +
    'subroutine super target template this thread_local throw trait try type typedef typeid typename ' +
    'typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with ' +
    'writeonly yield ' +
    // Predeclared types and functions.
    'array atomic bool f16 f32 i32 u32 vec2 vec3 vec4 ptr mat2x2 abs all any min max clamp fma exp exp2 ' +
    'log log2 sin cos tan asin acos atan atan2 sinh cosh tanh sqrt inverseSqrt floor ceil round trunc ' +
    'fract sign pow step mix dot cross length distance normalize select bitcast saturate radians ' +
    'degrees transpose determinant reflect refract modf frexp ldexp inverse outerProduct smoothstep ' +
    'arrayLength countLeadingZeros countOneBits countTrailingZeros extractBits insertBits reverseBits ' +
    'firstLeadingBit firstTrailingBit quantizeToF16 pack2x16float unpack2x16float vec2f vec3f vec4f ' +
    'vec2i vec3i vec4i vec2u vec3u vec4u vec2h vec3h vec4h atomicLoad atomicStore atomicAdd atomicSub ' +
    'atomicMax atomicMin atomicAnd atomicOr atomicXor atomicExchange atomicCompareExchangeWeak ' +
    'workgroupBarrier storageBarrier workgroupUniformLoad ' +
    // Names of the module.
    'main args Args program workgroup workgroups thread lane subgroup linear shared report ' +
    'report_bounds debug_iteration debug_record debug_fail runtime_zero tid ' +
    // Arrays that the threads of a program share, and the buffers.
    'shared_words row_slabs column_slabs scratch_slabs histogram_counts uniform_word uniform_pair'
  ).split(' '),
);

export class Names {
  readonly #taken: Set<string>;
  /** The next number to try for each hint: names are many. */
  readonly #next = new Map<string, number>();
  readonly #clean = new Map<string, string>();

  /** `functions`: names of the module's own functions. */
  constructor(functions: Iterable<string> = []) {
    this.#taken = new Set(functions);
  }

  /** The name of a declaration of the module, which no value takes. */
  declared(name: string): string {
    if (!RESERVED.has(name) || this.#taken.has(name)) return this.fresh(name);
    this.#taken.add(name);
    return name;
  }
  /** A new identifier that is the hint, as far as WGSL allows. */
  fresh(hint: string): string {
    let clean = this.#clean.get(hint);
    if (clean === undefined) this.#clean.set(hint, (clean = cleaned(hint)));
    if (!RESERVED.has(clean) && !this.#taken.has(clean)) {
      this.#taken.add(clean);
      return clean;
    }
    for (let i = this.#next.get(clean) ?? 1; ; i++) {
      const name = `${clean}_${i}`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      this.#next.set(clean, i + 1);
      return name;
    }
  }
}

/** The part of a hint that WGSL takes. */
function cleaned(hint: string): string {
  const text = hint.replace(/[^A-Za-z0-9_]/g, '_');
  return text.replace(/^[_0-9]+/, '').replace(/__+/g, '_') || 'v';
}
