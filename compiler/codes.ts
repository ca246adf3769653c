/**
 * Every diagnostic: its stable code, what it means, and its messages. A code never changes its
 * meaning and is never used again. Generated from docs/diagnostics/*.md by `npm run diagnostics`:
 * edit those.
 */

export const CODES = {
  HC0101: 'Syntax error: the text is not Python.',
  HC0102: 'A Python construct that Triton does not compile.',
  HC0103: 'A name that is not defined.',
  HC0104: 'A global that is not a tl.constexpr.',
  HC0105: 'A name that triton.language does not have.',
  HC0106: 'An operation of Triton that is not supported here yet.',
  HC0107: 'Wrong arguments in a call.',
  HC0108: 'An object that a kernel cannot use.',
  HC0109: 'An attribute that the value does not have.',
  HC0110: 'A chained comparison.',
  HC0111: 'break or continue.',
  HC0112: 'return inside a loop.',
  HC0113: 'A loop over something that is not range, tl.range or tl.static_range.',
  HC0114: 'A variable that is not defined on every path.',
  HC0115: 'A name whose value is known only when the program runs.',
  HC0201: 'A value that must be known at compile time (tl.constexpr) is not.',
  HC0202: 'Shapes that are incompatible.',
  HC0203: 'A size that is not a power of two.',
  HC0204: 'Operand types that are incompatible.',
  HC0205: 'A dtype that the operation does not take.',
  HC0206: 'A dtype that WebGPU cannot compute with.',
  HC0207: 'A constant out of range of its dtype.',
  HC0208: 'A variable that changes its type in a loop.',
  HC0209: 'A variable that has different types after the two branches of an if.',
  HC0210: 'A value used as a condition that is none.',
  HC0211: 'Return types that differ.',
  HC0212: 'A constexpr that is assigned again.',
  HC0213: 'tl.static_assert failed.',
  HC0214: 'An error in a constant expression.',
  HC0215: 'A wrong value of an argument.',
  HC0216: 'A store to a constant pointer.',
  HC0217: 'A tensor too large.',
  HC0218: 'The result of a call that has no other effect is not used.',
  HC0219: 'Calls nested too deeply.',
  HC0220: 'A kernel that returns a value.',
  HC0221: 'A kernel too large to compile.',
  HC0222: 'Layouts of Gluon that do not fit.',
  HC0301: 'Deprecated in Triton.',
  HC0302: 'What Triton does not compile for CUDA GPUs.',
  HC0399: 'A fault of this compiler.',
  HC0501: 'An operation that the GPU cannot do yet.',
  HC0502: 'An operation in float64 that is not emulated.',
  HC0503: 'A pointer to a pointer where none can be.',
  HC0504: 'A tile that was not distributed as this operation needs it.',
  HC0505: 'A dtype in workgroup memory that was not widened.',
  HC0506: 'An accumulator that was not widened.',
  HC0507: 'An atomic operation that the GPU does not have.',
  HC0508: 'A scan that was not distributed as it needs.',
  HC0509: 'A pointer from nowhere.',
  HC0510: 'A kernel whose WGSL is too large.',
  HC0511: "An operation without a meaning in FpSan's algebra.",
  HC0900: 'An exception in Python.',
  HC0901: 'A kernel that was not tuned.',
  HC0902: 'Autotuning that stopped before every configuration was measured.',
  HC0903: 'Repetitions that were left out.',
  HC0904: 'A product that our own kernel computed.',
  HC0905: 'An import of what is not here.',
  HC0906: 'Hints that have no effect, or a smaller one.',
  HC0907: 'A figure that was not written as a file.',
  HC8001: 'A store out of range.',
  HC8002: 'WGSL that WebGPU rejects.',
  HC8003: 'The GPU device was lost.',
  HC8004: 'A load out of range.',
  HC8005: 'A grid without programs.',
  HC8006: 'A grid that CUDA would not launch.',
  HC8009: 'The run failed outside of the program.',
  HC8010: 'The program was stopped.',
  HC8011: 'The program’s process or worker crashed.',
  HC8012: 'A device-side assertion failed.',
  HC8013: 'A launch that was not checked.',
  HC8014: 'A program that waits forever.',
  HC8015: 'Denormals that the adapter takes for 0.',
  HC8016: 'A loop that does not end.',
} as const;
export type Code = keyof typeof CODES;

type Text = string | number | bigint;

/** Templates of messages, by code. */
export const MESSAGES = {
  HC0101: {
    noFunctionBegins: (p: { readonly name: Text; readonly line: Text; readonly file: Text }) =>
      `no function ${p.name} begins at line ${p.line} of ${p.file}`,
  },
  HC0102: {
    assignOneTarget: () => 'assign to one target at a time: a = b = … is not supported',
    assignmentAttributeNot: () => 'assignment to an attribute is not supported in a kernel',
    assignmentElementTile: () =>
      'assignment to an element of a tile is not supported: choose elements with tl.where',
    cannotAssignField: (p: { readonly name: Text; readonly name2: Text }) =>
      `cannot assign to the field ${p.name} of ${p.name2}: make another with tl.aggregate_replace`,
    comprehensionMayOne: () =>
      'a comprehension may have one `for` and no `if`, which Triton would leave out',
    comprehensionRunsOver: () => 'a comprehension runs over tuples only',
    elseNotSupported: () => 'for … else is not supported in a kernel',
    loopOneName: () => 'a loop has one name as its target',
    nestedFunctionsNot: () =>
      'nested functions are not allowed in a @triton.jit function: move it to module level and decorate it with @triton.jit',
    onlyNameCan: () => 'only a name can be annotated',
    operatorNotSupported: (p: { readonly operator: Text }) =>
      `the operator "${p.operator}" is not supported in a kernel: compare with one value after the other, (x == a) | (x == b)`,
    starredAssignmentTargets: () => 'starred assignment targets are not supported in a kernel',
    starredExpressionStands: () => 'a starred expression stands in a call or a tuple only',
    tritonDoesNotCompile: (p: { readonly kind: Text }) =>
      `Triton does not compile this in a kernel: ${p.kind}`,
    tritonDoesNot: (p: { readonly what: Text }) => `Triton does not compile this: ${p.what}`,
    unsupportedComprehensionTarget: () => 'unsupported comprehension target',
    unsupportedTargetAssignment: () => 'unsupported target of an assignment',
    unsupportedPointerIndex: () =>
      'unsupported tensor index: a pointer is not indexed. Read with tl.load(pointer + offsets), write with tl.store(pointer + offsets, value)',
    unsupportedTensorIndex: () =>
      'unsupported tensor index: a tile can be indexed with None and : only. To pick elements use tl.gather, or masks with tl.where and a reduction',
    whileElseNot: () => 'while … else is not supported in a kernel',
  },
  HC0103: {
    notDefinedWrite: () => 'tl is not defined: write "import triton.language as tl"',
  },
  HC0104: {
    cannotAccessGlobal: (p: { readonly name: Text }) =>
      `Cannot access global variable ${p.name} from within a @triton.jit function: only globals that are tl.constexpr can be used. Write ${p.name} = tl.constexpr(…) at module level, or pass it as an argument`,
  },
  HC0106: {
    combineFnEffects: () => 'a combine_fn that stores, prints or changes memory is not supported',
    extraCudaWebgpu: (p: { readonly name: Text; readonly what: Text }) =>
      `tl.extra.cuda.${p.name}: WebGPU has no ${p.what}`,
    functionMapElementwise: () =>
      'a function for tl.map_elementwise that stores, prints or asserts is not supported',
    inlineAssemblyNot: (p: { readonly message: Text }) =>
      `inline assembly: ${p.message} is not translated to WebGPU. Straight-line PTX on registers is: arithmetic, logic, comparisons, conversions`,
    inlineAssemblyOn: (p: { readonly x: Text }) =>
      `inline assembly on ${p.x}: WebGPU has no addresses. Load and store with tl.load and tl.store around it`,
    isinstanceWith: (p: { readonly type: Text }) => `isinstance() with ${p.type}`,
    pythonFunctionNot: (p: { readonly name: Text }) =>
      `the Python function ${p.name} is not available in a kernel`,
    returningHere: (p: { readonly like: Text }) => `returning ${p.like} here`,
    tritonConstexprFunction: (p: { readonly name: Text }) =>
      `${p.name} is a @triton.constexpr_function: it needs the program to run`,
  },
  HC0107: {
    aggregateReplaceTakes: () => 'tl.aggregate_replace takes an aggregate, and fields by keyword',
    constexprTakesOne: () => 'tl.constexpr takes one value',
    constructorDidNot: (p: { readonly name: Text; readonly field: Text }) =>
      `the constructor of ${p.name} did not initialize ${p.field}`,
    functionMarkedNoinline: (p: {
      readonly name: Text;
      readonly parameter: Text;
      readonly value: Text;
    }) =>
      `function ${p.name} is marked noinline, but was called with the non-scalar argument ${p.parameter}: ${p.value}`,
    getattrTakesName: () => 'getattr() takes a name',
    gotTwoValues: (p: { readonly what: Text; readonly name: Text }) =>
      `${p.what}() got two values for ${p.name}`,
    hasattrTakesName: () => 'hasattr() takes a name',
    mapElementwiseTakes: () => 'tl.map_elementwise takes at least one tensor',
    argumentMissing: (p: { readonly what: Text; readonly name: Text }) =>
      `${p.what}() misses the argument ${p.name}`,
    missesArgument: (p: { readonly name: Text }) => `${p.name}() misses an argument`,
    noArgumentNamed: (p: { readonly what: Text; readonly name: Text }) =>
      `${p.what}() has no argument named ${p.name}`,
    foreignFunction: (p: { readonly name: Text; readonly more: Text }) =>
      `${p.name} is no function of Triton’s: a kernel cannot call it${p.more}`,
    notCallable: (p: { readonly callee: Text }) => `${p.callee} is not callable`,
    ofNothing: (p: { readonly name: Text }) => `${p.name}() of nothing`,
    nothing: (p: { readonly what: Text }) => `${p.what} of nothing`,
    onlyOneInput: () => 'only one of input_precision and allow_tf32 can be specified',
    staticAssertTakes: () => 'tl.static_assert takes a condition and a message, both by position',
    takesPositionalArguments: (p: {
      readonly what: Text;
      readonly most: Text;
      readonly count: Text;
    }) => `${p.what}() takes ${p.most} positional arguments but ${p.count} were given`,
    takesTwoValues: (p: { readonly name: Text }) =>
      `${p.name}() takes two values or more; of a tile, use tl.${p.name}`,
  },
  HC0108: {
    functionKernel: (p: { readonly name: Text }) =>
      `${p.name} is a function of Python: a kernel calls @triton.jit functions only. Decorate it with @triton.jit`,
    objectTypeKernel: (p: { readonly name: Text; readonly type: Text }) =>
      `${p.name} is an object of type ${p.type}: a kernel cannot use it`,
  },
  HC0109: {
    blockPointerNo: (p: { readonly name: Text }) => `a block pointer has no method ${p.name}`,
    cannotIndexed: (p: { readonly object: Text }) => `${p.object} cannot be indexed`,
    lacksAttribute: (p: { readonly value: Text; readonly name: Text }) =>
      `${p.value} has no attribute ${p.name}`,
    typeLacks: (p: { readonly type: Text; readonly name: Text }) =>
      `${p.type} has no attribute ${p.name}`,
    noAttribute: (p: { readonly object: Text; readonly name: Text }) =>
      `${p.object} has no attribute ${p.name}`,
    noField: (p: { readonly name: Text; readonly name2: Text }) =>
      `${p.name} has no field ${p.name2}`,
    noSuchMethod: (p: { readonly self: Text; readonly name: Text }) =>
      `${p.self} has no method ${p.name}`,
    noMethod: (p: { readonly d: Text; readonly name: Text }) => `tl.${p.d} has no method ${p.name}`,
    scalarNoNumel: (p: { readonly object: Text }) => `${p.object} is a scalar and has no numel`,
    tensorDescriptorNo: (p: { readonly name: Text }) =>
      `a tensor descriptor has no method ${p.name}`,
  },
  HC0111: {
    notSupportedKernel: (p: { readonly kind: Text }) =>
      `${p.kind} is not supported in a kernel: use a while loop with a condition, or masks`,
  },
  HC0112: {
    cannotReturnFrom: () => 'cannot return from inside a loop: set a variable and return after it',
  },
  HC0113: {
    loopRunsOver: () => 'a loop runs over range, tl.range or tl.static_range only',
    notRange: () => 'not a range',
  },
  HC0114: {
    usedAfterLoop: (p: { readonly id: Text }) =>
      `${p.id} is used after the loop that counts it: its value there is undefined on a GPU. Copy it to another variable in the loop`,
  },
  HC0115: {
    knownAtRunTime: (p: { readonly name: Text }) =>
      `${p.name} is known only when the program runs: it comes from outside of the program’s text`,
  },
  HC0201: {
    boolRunTime: () => 'bool() of a run-time value',
    conditionStaticAssertNot: () =>
      'the condition of tl.static_assert is not known at compile time. It may depend on constexpr values only; for run-time values use tl.device_assert',
    conditionStaticAssert: (p: { readonly passed: Text }) =>
      `the condition of tl.static_assert must be True or False, got ${p.passed}`,
    conditionWhileLoop: (p: { readonly test: Text }) =>
      `the condition of a while loop must be a run-time value, got ${p.test}`,
    constexprRunTime: (p: { readonly value: Text }) =>
      `tl.constexpr of a run-time value: ${p.value}`,
    floatTakesCompile: (p: { readonly v: Text }) =>
      `float() takes a compile-time value, got ${p.v}. Use x.to(tl.float32)`,
    intTakesCompile: (p: { readonly v: Text }) =>
      `int() takes a compile-time value, got ${p.v}. Use x.to(tl.int32)`,
    stringTakesCompile: (p: { readonly value: Text }) =>
      `an f-string takes compile-time values, got ${p.value}`,
    takesCompileTime: (p: { readonly name: Text; readonly arg: Text }) =>
      `${p.name} takes compile-time values, got ${p.arg}`,
  },
  HC0202: {
    accumulatorExpectedShape: (p: {
      readonly what: Text;
      readonly acc: Text;
      readonly shape: Text;
    }) => `${p.what}: the accumulator is ${p.acc}, expected shape ${p.shape}`,
    advanceTakesOffsets: (p: { readonly count: Text; readonly count2: Text }) =>
      `tl.advance takes ${p.count} offsets, got ${p.count2}`,
    allInputsOne: (p: { readonly what: Text; readonly first: Text; readonly input: Text }) =>
      `all inputs of ${p.what} must have one shape: ${p.first}, ${p.input}`,
    atomicCasPointer: (p: { readonly name: Text; readonly value: Text; readonly pointer: Text }) =>
      `${p.name} of tl.atomic_cas is ${p.value}, the pointer ${p.pointer}`,
    batchShapesDiffer: (p: { readonly what: Text; readonly both: Text }) =>
      `${p.what}: the batch shapes of ${p.both} differ`,
    cannotBroadcastRank: (p: { readonly shape: Text; readonly shape2: Text }) =>
      `cannot broadcast ${p.shape} to ${p.shape2}: rank mismatch`,
    cannotBroadcastSize: (p: {
      readonly shape: Text;
      readonly shape2: Text;
      readonly value: Text;
      readonly size: Text;
      readonly i: Text;
    }) =>
      `cannot broadcast ${p.shape} to ${p.shape2}: the size ${p.value} must match the existing size ${p.size} at dimension ${p.i}`,
    catTakesTensorsOne: (p: { readonly x: Text; readonly y: Text }) =>
      `tl.cat takes tensors of one rank, got ${p.x} and ${p.y}`,
    catTakesTensors: (p: { readonly x: Text; readonly y: Text }) =>
      `tl.cat takes tensors of one shape, got ${p.x} and ${p.y}`,
    descTakesDescriptor: (p: { readonly name: Text; readonly tile: Text }) =>
      `desc.${p.name} takes a descriptor of block shape [1, n], got ${p.tile}`,
    descriptorAtLeastRows: (p: { readonly name: Text; readonly indices: Text }) =>
      `descriptor ${p.name} must have at least 8 rows, got ${p.indices}`,
    descriptorAtLeast: (p: { readonly name: Text; readonly least: Text; readonly tile: Text }) =>
      `descriptor ${p.name} must have at least ${p.least} columns, but got ${p.tile}`,
    descriptorDimensionsGot: (p: { readonly rank: Text }) =>
      `a descriptor has 1 to 5 dimensions, got ${p.rank}`,
    descriptorRankTakes: (p: { readonly rank: Text; readonly name: Text; readonly count: Text }) =>
      `a descriptor of rank ${p.rank} takes ${p.rank} ${p.name}, got ${p.count}`,
    doNotGo: (p: {
      readonly what: Text;
      readonly shape: Text;
      readonly shape2: Text;
      readonly value: Text;
      readonly value2: Text;
    }) =>
      `${p.what}: ${p.shape} and ${p.shape2} are incompatible: the last dimension of the first (${p.value}) must equal the next-to-last of the second (${p.value2})`,
    dotScaledOperands: (p: { readonly lhs: Text; readonly rhs: Text }) =>
      `Operands must have the same scale factor; (lhs: ${p.lhs} vs rhs: ${p.rhs})`,
    entriesScalarsGot: (p: { readonly what: Text; readonly x: Text }) =>
      `${p.what} entries must be scalars, got ${p.x}`,
    expectedOffsetsGot: (p: { readonly rank: Text; readonly count: Text }) =>
      `expected ${p.rank} offsets, got ${p.count}`,
    expectedValueShape: (p: { readonly tile: Text; readonly value: Text }) =>
      `expected a value of shape ${p.tile}, got ${p.value}`,
    fullTakesScalar: () => 'tl.full takes a scalar value',
    histogramTakesTile: (p: { readonly x: Text }) => `tl.histogram takes a 1-D tile, got ${p.x}`,
    indexSourceDiffer: (p: { readonly index: Text; readonly source: Text; readonly i: Text }) =>
      `index ${p.index} and source ${p.source} differ in dimension ${p.i}`,
    inputShapesShould: (p: { readonly least: Text; readonly a: Text }) =>
      `Input shapes should have M >= 1, N >= 1 and K >= ${p.least}, got ${p.a}: pad K`,
    loadTileBut: (p: { readonly name: Text; readonly value: Text }) =>
      `${p.name} of tl.load is a tile (${p.value}), but the pointer is a scalar: add the offsets to the pointer, tl.load(pointer + offsets, …)`,
    loopScalarGot: (p: { readonly what: Text; readonly bound: Text }) =>
      `the ${p.what} of a loop must be a scalar, got ${p.bound}`,
    makeBlockPtrDescribe: () => 'tl.make_block_ptr must describe at least one dimension',
    makeBlockPtr: (p: { readonly name: Text; readonly count: Text; readonly count2: Text }) =>
      `tl.make_block_ptr: ${p.name} has ${p.count} entries, block_shape ${p.count2}`,
    onlyTileWith: (p: { readonly x: Text }) =>
      `only a tile with one element becomes a scalar, got ${p.x}`,
    packButTensors: (p: { readonly pack: Text; readonly count: Text }) =>
      `pack is ${p.pack}, but the tensors have ${p.count} elements in all`,
    permutationNotAs: (p: { readonly order: Text; readonly x: Text }) =>
      `the permutation [${p.order}] has not as many dimensions as ${p.x}`,
    reduceTakesTile: (p: { readonly value: Text }) => `tl.reduce takes a tile, got ${p.value}`,
    reshapeCannotChange: (p: {
      readonly shape: Text;
      readonly shape2: Text;
      readonly shape3: Text;
      readonly shape4: Text;
    }) =>
      `reshape cannot change the number of elements: ${p.shape} has ${p.shape2}, ${p.shape3} has ${p.shape4}`,
    scaleTensorShape: (p: { readonly name: Text; readonly value: Text; readonly scale: Text }) =>
      `${p.name}_scale must be a tensor of shape ${p.value}, got ${p.scale}`,
    shapesDoNot: (p: {
      readonly wholeA: Text;
      readonly wholeB: Text;
      readonly i: Text;
      readonly left: Text;
      readonly right: Text;
    }) =>
      `shapes ${p.wholeA} and ${p.wholeB} are incompatible at index ${p.i}: ${p.left} and ${p.right}. Sizes must be equal, or one of them 1 (x[:, None] makes a column, x[None, :] a row)`,
    sourceIndexGather: () => 'source and index of tl.gather must have the same rank',
    splitTakesLast: (p: { readonly x: Text }) =>
      `split takes a last dimension of size 2, got ${p.x}`,
    storeTileBut: (p: { readonly name: Text; readonly operand: Text }) =>
      `${p.name} of tl.store is a tile (${p.operand}), but the pointer is a scalar`,
    takesOneValue: (p: { readonly name: Text; readonly x: Text; readonly count: Text }) =>
      `tl.${p.name} takes one value for each dimension of ${p.x}, got ${p.count}`,
    takesTileRank: (p: { readonly object: Text }) => `.T takes a tile of rank 2, got ${p.object}`,
    takesTilesOne: (p: { readonly what: Text; readonly both: Text }) =>
      `${p.what} takes tiles of one rank, 2 or more, got ${p.both}`,
    tooManyIndices: (p: { readonly result: Text }) => `too many indices for ${p.result}`,
    transTakesTile: (p: { readonly x: Text }) =>
      `tl.trans takes a tile of rank 2 or more, got ${p.x}`,
    valueTileBut: (p: { readonly name: Text; readonly value: Text }) =>
      `value of tl.${p.name} is a tile (${p.value}), but the pointer is a scalar`,
  },
  HC0203: {
    arangeRangePower: (p: { readonly size: Text; readonly value: Text }) =>
      `arange's range must be a power of 2, got ${p.size}. Use ${p.value}, the next power of two, and mask the rest`,
    descriptorBlockShape: (p: { readonly bytes: Text }) =>
      `Descriptor block shape must have at least 16 bytes in the last dimension, but got ${p.bytes} bytes`,
    numBinsPower: (p: { readonly bins: Text }) => `num_bins must be a power of 2, got ${p.bins}`,
  },
  HC0204: {
    advanceTakesBlock: () => 'tl.advance takes a block pointer made by tl.make_block_ptr',
    atomicCasBut: (p: { readonly name: Text; readonly value: Text; readonly element: Text }) =>
      `${p.name} of tl.atomic_cas is ${p.value}, but the pointer points to ${p.element}: cast it with tl.cast(${p.name}, tl.${p.element})`,
    baseScalarPointer: (p: { readonly what: Text; readonly base: Text }) =>
      `the base of ${p.what} must be a scalar pointer, got ${p.base}`,
    cannotAddPointers: () => 'cannot add pointers together',
    headerAssigned: (p: { readonly value: Text }) => `${p.value} cannot be assigned to a variable`,
    cannotAssignedVariable: (p: { readonly value: Text; readonly name: Text }) =>
      `${p.value} cannot be assigned to a variable of a kernel. For a compile-time value write ${p.name}: tl.constexpr = …`,
    cannotBitcastData: (p: { readonly dtype: Text; readonly to: Text }) =>
      `cannot bitcast data-type of size ${p.dtype} to data-type of size ${p.to}`,
    cannotMake: (p: { readonly dtype: Text; readonly v: Text }) =>
      `cannot make a ${p.dtype} of ${p.v}`,
    cannotPerformBinary: (p: { readonly v: Text }) =>
      `cannot perform a binary operation between an unsigned tensor and the negative scalar ${p.v}. Cast one of them explicitly`,
    cannotUnpackInto: (p: { readonly value: Text; readonly count: Text }) =>
      `cannot unpack ${p.value} into ${p.count} names`,
    descValueDescriptor: (p: {
      readonly name: Text;
      readonly value: Text;
      readonly element: Text;
    }) => `desc.${p.name}: the value is ${p.value}, the descriptor is of ${p.element}`,
    doesNotTakeBoth: (p: { readonly what: Text; readonly a: Text; readonly b: Text }) =>
      `${p.what} does not take ${p.a} and ${p.b}`,
    doesNotTake: (p: { readonly operator: Text; readonly a: Text }) =>
      `${p.operator} does not take ${p.a}; cast it to tl.int64`,
    dotBothOperands: (p: { readonly dtype: Text; readonly dtype2: Text; readonly dtype3: Text }) =>
      `tl.dot: both operands must have the same dtype, got ${p.dtype} and ${p.dtype2}. Cast one, for example with .to(tl.${p.dtype3})`,
    dotGivesBut: (p: { readonly dtype: Text; readonly result: Text; readonly dtype2: Text }) =>
      `tl.dot of ${p.dtype} gives ${p.result}, but the accumulator is ${p.dtype2}`,
    expectedAccumulatorDtype: (p: {
      readonly what: Text;
      readonly dtype: Text;
      readonly dtype2: Text;
      readonly dtype3: Text;
    }) =>
      `${p.what}: expected an accumulator of dtype ${p.dtype}, got ${p.dtype2}. Pass out_dtype=tl.${p.dtype3} to use it`,
    expectedTensorDescriptor: (p: { readonly v: Text }) =>
      `expected a tensor descriptor, got ${p.v}`,
    expectedTensorOr: (p: { readonly v: Text }) => `expected a tensor or a number, got ${p.v}`,
    fdivCastThem: (p: { readonly p: Text; readonly q: Text }) =>
      `tl.fdiv of ${p.p} and ${p.q}: cast them to one dtype`,
    floatDoesNot: (p: { readonly v: Text; readonly dtype: Text }) =>
      `the float ${p.v} does not become ${p.dtype} by itself; use int(...) or give another dtype`,
    got: (p: {
      readonly name: Text;
      readonly name2: Text;
      readonly type: Text;
      readonly value: Text;
    }) => `${p.name}.${p.name2} is a ${p.type}, got ${p.value}`,
    invalidOperandsType: (p: { readonly a: Text; readonly b: Text }) =>
      `invalid operands of type ${p.a} and ${p.b}`,
    joinTakesTensors: (p: { readonly left: Text; readonly right: Text }) =>
      `tl.join takes tensors of one dtype, got ${p.left} and ${p.right}`,
    loadTensorDescriptor: () => 'tl.load of a tensor descriptor: write desc.load(offsets)',
    notDefinedOn: () => '@ is not defined on tensors; use tl.dot',
    notEnoughValues: (p: { readonly count: Text; readonly count2: Text }) =>
      `not enough values to unpack (expected ${p.count}, got ${p.count2})`,
    scaleScalesAs: (p: { readonly name: Text; readonly scale: Text }) =>
      `${p.name}_scale must be e8m0 scales as uint8, got ${p.scale}`,
    storeTensorDescriptor: () =>
      'tl.store to a tensor descriptor: write desc.store(offsets, value)',
    takesIntGot: (p: { readonly what: Text; readonly x: Text }) =>
      `${p.what} takes tl.int1, got ${p.x}. Compare with 0 first, or use & and |`,
    takesPointerOr: (p: { readonly what: Text; readonly v: Text }) =>
      `${p.what} takes a pointer or a tile of pointers, got ${p.v}. Add the offsets to a pointer argument first`,
    tooManyValues: (p: { readonly count: Text; readonly count2: Text }) =>
      `too many values to unpack (expected ${p.count}, got ${p.count2})`,
    unaryNotDefined: () => 'unary + is not defined on tensors: leave it away',
    unsupportedOperandTypes: (p: { readonly operator: Text; readonly a: Text; readonly b: Text }) =>
      `unsupported operand types for ${p.operator}: ${p.a} and ${p.b}`,
    wrongTypeArgumentUnary: (p: { readonly dtype: Text }) =>
      `wrong type argument to unary minus (${p.dtype})`,
    wrongTypeArgument: (p: { readonly dtype: Text }) =>
      `wrong type argument to unary invert (${p.dtype})`,
  },
  HC0205: {
    absDoesNot: (p: { readonly x: Text }) => `tl.abs does not take ${p.x}`,
    atomicCasOnly: () => 'tl.atomic_cas only supports elements of 16, 32 and 64 bits',
    atomicDoesNot: (p: { readonly which: Text; readonly dtype: Text }) =>
      `tl.atomic_${p.which} does not support ${p.dtype}`,
    bothOperandsFdiv: () => 'both operands of fdiv must have floating scalar type',
    cannotCast: (p: { readonly x: Text; readonly to: Text }) => `cannot cast ${p.x} to ${p.to}`,
    clampTakesFloats: (p: { readonly x: Text }) =>
      `tl.clamp takes floats only, got ${p.x}. Use tl.minimum and tl.maximum`,
    convertsFpGot: (p: { readonly name: Text; readonly x: Text }) =>
      `${p.name} converts fp8e4b15, got ${p.x}`,
    elementNotSupported: (p: { readonly name: Text; readonly element: Text }) =>
      `tl.${p.name} does not support ${p.element}`,
    doesNotSupport: (p: { readonly name: Text; readonly dtype: Text }) =>
      `tl.${p.name} does not support ${p.dtype}`,
    dotDoesNot: (p: { readonly x: Text }) => `tl.dot does not take ${p.x}`,
    dotGivesFloat: (p: { readonly operand: Text; readonly out: Text }) =>
      `tl.dot of ${p.operand} gives float16 or float32, not out_dtype=${p.out}`,
    dotIntegersTakes: (p: { readonly operand: Text }) =>
      `tl.dot of integers takes int8 only, got ${p.operand}`,
    entriesIntegersGot: (p: { readonly what: Text; readonly x: Text }) =>
      `${p.what} entries must be integers, got ${p.x}`,
    expectedDtypeBut: (p: { readonly name: Text; readonly list: Text; readonly dtype: Text }) =>
      `${p.name}: Expected dtype ${p.list} but got ${p.dtype}. Convert with .to(tl.float32)`,
    fmaTakesFloats: (p: { readonly x: Text }) => `tl.fma takes floats, got ${p.x}`,
    histogramTakesIntegers: (p: { readonly x: Text }) =>
      `histogram only supports 32-bit integer input, got ${p.x}. Cast it with .to(tl.int32)`,
    indexGatherIntegers: () => 'the index of tl.gather must be integers',
    inlineAssemblyCannot: () => 'an inline assembly cannot give pointers: WebGPU has no addresses',
    invalidOperandsType: (p: {
      readonly dtype: Text;
      readonly dtype2: Text;
      readonly what: Text;
    }) =>
      `invalid operands of type ${p.dtype} and ${p.dtype2}: ${p.what} takes integers or booleans`,
    logicalTakesInt: (p: { readonly operator: Text }) => `logical_${p.operator} takes tl.int1`,
    loopIntegerGot: (p: { readonly what: Text; readonly bound: Text }) =>
      `the ${p.what} of a loop must be an integer, got ${p.bound}`,
    maskIntGot: (p: { readonly mask: Text }) =>
      `a mask must be tl.int1, got ${p.mask}: compare with something`,
    maskInt: () => 'a mask must be tl.int1',
    fp8NotSupported: (p: { readonly dtype: Text }) =>
      `type ${p.dtype} not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e4nv', 'fp8e5'); ${p.dtype} is AMD’s, and can only be converted here`,
    noAddressPointer: (p: { readonly x: Text }) =>
      `${p.x} is no address: a pointer is made of 64-bit integers only`,
    offsetsDescriptorBits: (p: { readonly offset: Text }) =>
      `offsets of a descriptor have 32 bits, got ${p.offset}: add a \`.to(tl.int32)\`, or compute pointers for what is larger`,
    offsetsTileInt: (p: { readonly indices: Text }) =>
      `x offsets must be a 1-D tile of int16 or int32, got ${p.indices}`,
    outDtypeBfloat: () =>
      'out_dtype=bfloat16 is unsupported: use out_dtype=tl.float32 and cast with .to(tl.bfloat16)',
    takesIntegersGot: (p: { readonly dtype: Text }) =>
      `// takes integers, got ${p.dtype}. For floats write tl.floor(x / y)`,
    umulhiTakesBit: (p: { readonly dtype: Text }) =>
      `tl.umulhi takes 32- and 64-bit integers, got ${p.dtype}`,
    unknownDtype: (p: { readonly name: Text }) => `unknown dtype ${p.name}`,
    unsupportedDtypeDesc: (p: { readonly name: Text; readonly element: Text }) =>
      `Unsupported dtype: desc.${p.name} does not take ${p.element}`,
    sharedStoreDtype: (p: { readonly expected: Text; readonly got: Text }) =>
      `shared memory of ${p.expected} takes a tile of the same dtype, got ${p.got}`,
  },
  HC0206: {
    libdeviceFloatNot: (p: { readonly name: Text }) =>
      `libdevice.${p.name} in float64 is not there: WebGPU has no 64-bit floats, and this function is not among those emulated. Use tl.float32`,
  },
  HC0207: {
    integerFitsNo: (p: { readonly value: Text }) =>
      `the integer ${p.value} fits no dtype of Triton`,
    outRangeType: (p: { readonly value: Text; readonly dtype: Text }) =>
      `${p.value} is out of range for type ${p.dtype}`,
    scalarOutRange: (p: { readonly v: Text; readonly dtype: Text }) =>
      `scalar ${p.v} is out of range for type ${p.dtype}`,
  },
  HC0208: {
    loopCarriedVariable: (p: {
      readonly name: Text;
      readonly before: Text;
      readonly value: Text;
    }) =>
      `the loop-carried variable ${p.name} has initial type ${p.before} but is re-assigned to ${p.value} in the loop. Make sure that the type stays the same, for example with .to(…)`,
    variableBeforeLoop: (p: { readonly name: Text; readonly before: Text; readonly value: Text }) =>
      `the variable ${p.name} is ${p.before} before the loop and ${p.value} in it. Give it a tensor before the loop`,
  },
  HC0209: {
    initialValueType: (p: {
      readonly name: Text;
      readonly before: Text;
      readonly which: Text;
      readonly value: Text;
    }) =>
      `the initial value of ${p.name} is of type ${p.before}, but the ${p.which} block redefines it as ${p.value}. Cast it, so that the type stays the same`,
    mismatchedTypeBetween: (p: { readonly name: Text; readonly yes: Text; readonly no: Text }) =>
      `Mismatched type for ${p.name} between then block (${p.yes}) and else block (${p.no})`,
    ternaryExpressionWith: (p: { readonly value: Text; readonly value2: Text }) =>
      `Ternary expression with dynamic condition has inconsistent types ${p.value} and ${p.value2}`,
  },
  HC0210: {
    conditionBoolInt: (p: { readonly value: Text }) =>
      `a condition must be a bool, an int or None, not ${p.value}`,
    conditionWhileLoop: (p: { readonly test: Text }) =>
      `the condition of a while loop must be a scalar, got ${p.test}`,
    noTruthValue: (p: { readonly value: Text }) => `${p.value} has no truth value`,
    truthTensorWith: (p: { readonly value: Text }) =>
      `the truth of a tensor with more than one value is ambiguous: ${p.value}. Reduce it first, for example with tl.max, or choose by element with tl.where`,
  },
  HC0211: {
    combineFnReturnsValues: (p: { readonly count: Text; readonly count2: Text }) =>
      `combine_fn returns ${p.count} values for ${p.count2} inputs`,
    combineFnReturns: (p: { readonly value: Text; readonly value2: Text }) =>
      `combine_fn returns ${p.value} where the input is ${p.value2}`,
    returnTypeMismatchWhat: (p: { readonly value: Text; readonly other: Text }) =>
      `return type mismatch: ${p.value} and ${p.other}. What stands after a return in a compile-time "if" counts too: write else`,
    returnTypeMismatch: (p: { readonly a: Text; readonly b: Text }) =>
      `Return type mismatch: ${p.a} and ${p.b}`,
    scalarFnPacks: (p: { readonly first: Text; readonly dtype: Text }) =>
      `scalar_fn packs ${p.first} and ${p.dtype} together`,
    scalarFnReturn: (p: { readonly value: Text }) =>
      `scalar_fn must return scalars, got ${p.value}`,
    scalarFnReturns: (p: { readonly count: Text; readonly pack: Text }) =>
      `scalar_fn returns ${p.count} values for a pack of ${p.pack}`,
  },
  HC0212: {
    alreadyDefinedConstexpr: (p: { readonly name: Text }) =>
      `${p.name} is already defined. A constexpr cannot be reassigned`,
    cannotReassignConstexpr: (p: { readonly name: Text }) =>
      `cannot reassign the constexpr ${p.name} in the loop`,
  },
  HC0214: {
    constantsDoesNot: (p: { readonly name: Text; readonly v: Text }) =>
      `${p.name}() of constants does not take ${p.v}`,
    divisionByZero: () => 'division by zero',
    floatDivisionBy: () => 'float division by zero',
    negativeShiftCount: () => 'negative shift count',
    not: (p: { readonly x: Text }) => `not ${p.x}`,
    resultTooLarge: (p: { readonly operator: Text }) => `the result of ${p.operator} is too large`,
    thisLongToo: (p: { readonly what: Text }) => `a ${p.what} this long is too large`,
    emptyTupleIndex: (p: { readonly at: Text }) =>
      `tuple index ${p.at} out of range: it is empty. In a kernel a scalar and a pointer have the shape (): pass the sizes of tensors as arguments`,
    tupleIndexOut: (p: { readonly at: Text; readonly count: Text }) =>
      `tuple index ${p.at} out of range (${p.count} items)`,
    unaryNotImplemented: (p: { readonly operator: Text; readonly x: Text }) =>
      `unary ${p.operator} is not implemented on ${p.x}`,
    unsupportedOperandTypes: (p: { readonly operator: Text; readonly a: Text; readonly b: Text }) =>
      `unsupported operand types for ${p.operator}: ${p.a} and ${p.b}`,
    unsupportedOperatorUse: () => 'unsupported operator @; use tl.dot',
  },
  HC0215: {
    arangeEndGreater: (p: { readonly end: Text; readonly start: Text }) =>
      `arange's end (${p.end}) must be greater than its start (${p.start})`,
    arangeFitInt: () => 'arange must fit in int32',
    axisFloat: (p: { readonly given: Text }) =>
      `axis must be an integer, got ${p.given}. The larger and the smaller of two values are tl.maximum(x, y) and tl.minimum(x, y)`,
    axisOrBut: (p: { readonly what: Text; readonly value: Text }) =>
      `${p.what} axis must be 0, 1, or 2 but got ${p.value}`,
    boundaryCheckBlock: () =>
      'boundary_check is for block pointers (tl.make_block_ptr) only: use a mask',
    boundaryCheckTakes: (p: { readonly rank: Text; readonly dim: Text }) =>
      `boundary_check takes dimensions in [0, ${p.rank}), got ${p.dim}`,
    cacheModifierNot: (p: { readonly cache: Text }) => `cache modifier ${p.cache} not supported`,
    combineFnTriton: (p: { readonly combine: Text }) =>
      `combine_fn must be a @triton.jit function, got ${p.combine}`,
    constraintInlineAssembly: (p: { readonly item: Text }) =>
      `the constraint "${p.item}" of an inline assembly: it is one of h r l f d`,
    constraintsOutputsInputs: (p: {
      readonly count: Text;
      readonly count2: Text;
      readonly pack: Text;
      readonly needed: Text;
      readonly count3: Text;
    }) =>
      `the constraints have ${p.count} outputs and ${p.count2} inputs, where dtype and args at pack=${p.pack} make ${p.needed} and ${p.count3}`,
    dtypeSuchAs: (p: { readonly what: Text; readonly v: Text }) =>
      `${p.what} must be a dtype such as tl.float32, got ${p.v}`,
    duplicateDimensionBoundary: () => 'duplicate dimension in boundary_check',
    evictionPolicyNot: (p: { readonly eviction: Text }) =>
      `eviction policy ${p.eviction} not supported`,
    expandDimsReceived: (p: { readonly axes: Text }) =>
      `expand_dims received duplicate axes, normalized axes = [${p.axes}]`,
    formatOneGot: (p: { readonly name: Text; readonly list: Text; readonly format: Text }) =>
      `${p.name}_format must be one of ${p.list}, got ${p.format}`,
    fpDowncastRounding: (p: { readonly from: Text; readonly to: Text }) =>
      `fp_downcast_rounding is for conversions to a narrower float only, not for ${p.from} to ${p.to}`,
    fullTakesNumber: () => 'tl.full takes a number or a scalar tensor',
    inlineAssembly: (p: { readonly message: Text }) => `inline assembly: ${p.message}`,
    inputPrecisionOne: (p: { readonly limit: Text; readonly inputPrecision: Text }) =>
      `input_precision must be one of ${p.limit}, got ${p.inputPrecision}`,
    integerGot: (p: { readonly what: Text; readonly v: Text }) =>
      `${p.what} must be an integer, got ${p.v}`,
    invalidRoundingMode: (p: { readonly rounding: Text }) =>
      `invalid rounding mode ${p.rounding}: it is 'rtne' or 'rtz'`,
    lastStrideDescriptor: (p: { readonly last: Text }) =>
      `the last stride of a descriptor must be the constant 1, got ${p.last}`,
    maskCannotGiven: () => 'mask cannot be given for block pointers: use boundary_check',
    maskOtherCannot: () => 'mask and other cannot be given for block pointers: use boundary_check',
    memoryScopeNot: (p: { readonly scope: Text }) => `memory scope ${p.scope} not supported`,
    memorySemanticNot: (p: { readonly semantics: Text }) =>
      `memory semantic ${p.semantics} not supported`,
    noPermutation: (p: { readonly order: Text; readonly value: Text }) =>
      `[${p.order}] is no permutation of 0 … ${p.value}`,
    onlyFloatSupported: (p: { readonly what: Text }) =>
      `${p.what}: only float32 is supported for out_dtype`,
    onlyMxfpInputs: () => 'only mxfp4 inputs can be packed along a dimension different than K',
    orderPermutation: (p: { readonly value: Text }) =>
      `order must be a permutation of 0..${p.value}`,
    otherCannotProvided: () => '`other` cannot be provided without `mask`',
    packPowerGot: (p: { readonly pack: Text }) => `pack must be a power of 2, got ${p.pack}`,
    paddingOptionBlock: () =>
      'padding_option is for block pointers (tl.make_block_ptr) only: use a mask and other',
    paddingOptionNan: () => 'padding option nan is not supported for integers',
    paddingOptionNot: (p: { readonly option: Text }) => `padding option ${p.option} not supported`,
    prefixDevicePrint: () => 'the prefix of tl.device_print must be printable ASCII',
    propagateNanPropagatenan: (p: { readonly v: Text }) =>
      `propagate_nan must be tl.PropagateNan.ALL or NONE, got ${p.v}`,
    scalarFnTriton: (p: { readonly fn: Text }) =>
      `scalar_fn must be a @triton.jit function, got ${p.fn}`,
    shapeTuple: (p: { readonly size: Text }) =>
      `a shape is a tuple or a list of sizes, got ${p.size}: write (${p.size},)`,
    shiftingByBits: (p: { readonly left: Text; readonly value: Text }) =>
      `shifting ${p.left} by ${p.value} bits is undefined`,
    staticRangeWould: (p: { readonly count: Text }) =>
      `tl.static_range would unroll ${p.count} times`,
    stepLoop: () => 'the step of the loop is 0',
    stepStaticRange: () => 'the step of tl.static_range is 0',
    stringGot: (p: { readonly what: Text; readonly v: Text }) =>
      `${p.what} must be a string, got ${p.v}`,
    tensorGot: (p: { readonly what: Text; readonly v: Text }) =>
      `${p.what} must be a tensor, got ${p.v}`,
    thereNoDtype: (p: { readonly name: Text }) => `there is no dtype ${p.name}`,
    trueOrFalse: (p: { readonly what: Text; readonly v: Text }) =>
      `${p.what} must be True or False, got ${p.v}`,
    layoutWarps: (p: { readonly layout: Text; readonly warps: Text; readonly expected: Text }) =>
      `${p.layout} counts on ${p.warps} warps, the launch has num_warps=${p.expected}`,
  },
  HC0216: {
    cannotStoreConstant: (p: { readonly what: Text }) =>
      `${p.what}: Cannot store to a constant pointer (tl.const)`,
  },
  HC0217: {
    tensorElementsExceeds: (p: { readonly count: Text; readonly limit: Text }) =>
      `a tensor of ${p.count} elements exceeds triton's maximum of ${p.limit} elements`,
  },
  HC0218: {
    resultAdvanceNot: () =>
      'the result of tl.advance is not used: it has no side effect, assign it to a variable',
  },
  HC0219: {
    callsNestedDeep: (p: { readonly limit: Text; readonly name: Text }) =>
      `calls nested ${p.limit} deep: is ${p.name} recursive?`,
  },
  HC0220: {
    kernelCannotReturn: (p: { readonly name: Text; readonly result: Text }) =>
      `a kernel cannot return a value, ${p.name} returns ${p.result}`,
  },
  HC0222: {
    differ: (p: { readonly what: Text; readonly a: Text; readonly b: Text }) =>
      `the operands of ${p.what} have the layouts ${p.a} and ${p.b}: convert one with gl.convert_layout`,
    pathsDiffer: (p: { readonly a: Text; readonly b: Text }) =>
      `a tile has the layout ${p.a} on one path through this branch or loop and ${p.b} on another: convert one with gl.convert_layout`,
    expandTakesSlice: (p: { readonly axis: Text; readonly layout: Text }) =>
      `a dimension is added at ${p.axis} to a tile whose layout is ${p.layout}: it takes a gl.SliceLayout(${p.axis}, …)`,
    rankDiffers: (p: { readonly layout: Text; readonly rank: Text; readonly dimensions: Text }) =>
      `${p.layout} has ${p.rank} dimensions, the tile has ${p.dimensions}`,
    lanes: (p: { readonly layout: Text; readonly lanes: Text; readonly expected: Text }) =>
      `${p.layout} counts on ${p.lanes} threads a warp, a warp has ${p.expected}`,
    fault: (p: { readonly name: Text; readonly fault: Text }) => `${p.name}: ${p.fault}`,
    notALayout: (p: { readonly what: Text; readonly got: Text }) =>
      `${p.what} must be a layout of tiles, such as gl.BlockedLayout(…), got ${p.got}`,
    otherHardware: (p: { readonly name: Text }) =>
      `${p.name} is a layout of particular hardware, which WebGPU does not reach. gl.BlockedLayout, gl.SliceLayout and gl.DistributedLinearLayout carry over`,
    notOneBitEach: (p: { readonly layout: Text; readonly shape: Text }) =>
      `${p.layout} gives one bit of a register or thread several coordinates, or holds not every element of a tile of shape ${p.shape}: such a layout is not supported here`,
    hardware: (p: { readonly name: Text }) =>
      `${p.name} is for one kind of GPU’s own hardware, which WebGPU does not reach: Gluon’s portable core alone carries over`,
    unsupported: (p: { readonly name: Text }) => `${p.name} of Gluon is not supported here`,
    fewerThreads: (p: { readonly threads: Text; readonly most: Text; readonly times: Text }) =>
      `the layouts of this kernel count on ${p.threads} threads, and the target takes ${p.most}: each thread holds what ${p.times} of them would`,
    notInferred: () =>
      'this tile has no layout: give one to gl.arange or gl.full, or to the tile with gl.set_auto_layout',
    languages: (p: {
      readonly name: Text;
      readonly language: Text;
      readonly decorator: Text;
      readonly instead: Text;
    }) => `${p.name} is of ${p.language}: a kernel under ${p.decorator} cannot call it${p.instead}`,
    notSharedLayout: (p: { readonly got: Text }) =>
      `the layout of shared memory must be gl.SwizzledSharedLayout(…), got ${p.got}`,
    sharedRank: (p: { readonly rank: Text; readonly dimensions: Text }) =>
      `the order has ${p.rank} dimensions or none of its own, the shared memory has ${p.dimensions}`,
    sharedBuffers: (p: { readonly shape: Text }) =>
      `shared memory of shape ${p.shape} is several buffers: take one with .index(…)`,
    sharedIndex: (p: { readonly got: Text }) =>
      `.index takes a scalar, of shared memory with more dimensions than its layout; got ${p.got}`,
    sharedIndexOut: (p: { readonly at: Text; readonly count: Text }) =>
      `there is no buffer ${p.at} of ${p.count}`,
    sharedSlice: (p: {
      readonly start: Text;
      readonly end: Text;
      readonly dim: Text;
      readonly shape: Text;
    }) =>
      `.slice from ${p.start} to ${p.end} of dimension ${p.dim} does not lie in one buffer of shape ${p.shape}`,
    sharedStore: (p: { readonly expected: Text; readonly got: Text }) =>
      `shared memory of ${p.expected} takes a tile of the same, got ${p.got}`,
    twoCtas: () =>
      'layouts over several CTAs (cga_layout) are not supported: a program is one workgroup',
  },
  HC0301: {
    b15Dot: () =>
      'the use of fp8e4b15 is deprecated on Hopper and later architectures and can cause significant slow down',
    builtinOnTiles: (p: { readonly name: Text; readonly other: Text }) =>
      `builtin ${p.name} on non-scalar tensor values is deprecated, use tl.${p.other} instead`,
    ifOfTile: (p: { readonly value: Text }) =>
      `If conditional called with multidimensional Tensor instead of scalar, got ${p.value}; please use "if (…).item()" instead`,
    makeBlockPtr: () =>
      'tl.make_block_ptr is deprecated. Use TensorDescriptor or tl.make_tensor_descriptor instead',
    view: () => 'view is deprecated, please use reshape with can_reorder being true',
    whereWithCondition: (p: { readonly dtype: Text }) =>
      `tl.where with a non-boolean condition is deprecated and will error out in a future triton release. Got ${p.dtype}`,
  },
  HC0302: {
    fp8: (p: { readonly dtype: Text }) =>
      `${p.dtype} is AMD’s: it is converted here, but Triton refuses it for CUDA GPUs`,
  },
  HC0399: {
    gives: (p: { readonly id: Text; readonly value: Text }) => `${p.id} gives ${p.value}`,
    parametersSpecialization: (p: {
      readonly name: Text;
      readonly count: Text;
      readonly count2: Text;
    }) => `${p.name} has ${p.count} parameters, the specialization ${p.count2}`,
    pass: (p: { readonly pass: Text; readonly what: Text }) =>
      `internal error in pass ${p.pass}: ${p.what}. This is a fault of the compiler, not of your program`,
    programNoFile: (p: { readonly file: Text }) => `the program has no file ${p.file}`,
    programNoFunction: (p: { readonly id: Text }) => `the program has no function ${p.id}`,
  },
  HC0501: {
    arena: () => 'an address without an arena',
  },
  HC0509: {
    nowhere: () => 'this pointer comes neither from an argument nor from an address',
  },
  HC0510: {
    lines: (p: { readonly limit: Text }) =>
      `the kernel is too large: its WGSL has more than ${p.limit} lines. Use smaller tiles, or loops that are not unrolled`,
    slow: (p: { readonly limit: Text }) =>
      `the kernel is too large for a driver that compiles as slowly as this adapter’s: its WGSL has more than ${p.limit} lines, which take it minutes. Use smaller tiles, or run it on the interpreter or on another GPU`,
    cost: (p: { readonly values: Text; readonly registers: Text; readonly branches: Text }) =>
      `the kernel is too large: a thread computes ${p.values} values, holds up to ${p.registers} registers at once and has ${p.branches} branches, which take a driver minutes to compile. Most of it comes from this line. Use smaller tiles, or loops that are not unrolled`,
    slowCost: (p: { readonly values: Text; readonly registers: Text; readonly branches: Text }) =>
      `the kernel is too large for a driver that compiles as slowly as this adapter’s: a thread computes ${p.values} values, holds up to ${p.registers} registers at once and has ${p.branches} branches, which take it too long. Most of it comes from this line. Use smaller tiles, or run it on the interpreter or on another GPU`,
  },
  HC0511: {
    operation: (p: { readonly operation: Text }) =>
      `${p.operation} of floats has no meaning in the ring of FpSan`,
  },
  HC0906: {
    noEffect: (p: { readonly hints: Text; readonly have: Text; readonly kernel: Text }) =>
      `${p.hints} ${p.have} no effect on ${p.kernel} here: it runs the same without`,
    otherThreads: (p: { readonly kernel: Text; readonly threads: Text; readonly why: Text }) =>
      `a program of ${p.kernel} has ${p.threads} threads here: ${p.why}`,
    notPrefetched: (p: { readonly stages: Text; readonly why: Text }) =>
      `num_stages=${p.stages} prefetches no load of this loop here: ${p.why}`,
    fewerStages: (p: { readonly stages: Text; readonly made: Text; readonly early: Text }) =>
      `num_stages=${p.stages} of this loop is ${p.made} here: its tiles are loaded ${p.early} early`,
    unrolledLess: (p: { readonly used: Text; readonly factor: Text; readonly limit: Text }) =>
      `the loop is unrolled by ${p.used}, not by ${p.factor}, so that it has at most ${p.limit} operations`,
  },
  HC8002: {
    rejected: (p: { readonly kernel: Text; readonly reason: Text }) =>
      `WGSL rejected for ${p.kernel}: this is a bug of Hippocamp, not of your program. WebGPU says: ${p.reason}`,
  },
  HC8005: {
    empty: (p: { readonly kernel: Text; readonly grid: Text }) =>
      `The grid of ${p.kernel} is (${p.grid}): it has no programs, so nothing was launched.`,
  },
  HC8006: {
    dimensions: (p: { readonly kernel: Text; readonly grid: Text; readonly limit: Text }) =>
      `The grid of ${p.kernel} is (${p.grid}): CUDA allows at most ${p.limit} programs in y and z, so this launch works here but not there.`,
  },
  HC8011: {
    crashed: (p: { readonly reason: Text }) => `The program's worker crashed: ${p.reason}`,
    stack: () =>
      'Python ran out of stack; the next Run starts a fresh one. The program recurses too deeply, or builds a value or an expression that is nested too deeply.',
    memory: (p: { readonly reason: Text }) =>
      `Python crashed (${p.reason}); the next Run starts a fresh one. The program used memory that is not its own.`,
    exited: (p: { readonly reason: Text }) =>
      `The program ended Python itself (${p.reason}); the next Run starts a fresh one. Use sys.exit() in place of os._exit() and os.abort().`,
    broke: (p: { readonly reason: Text }) =>
      `Python crashed; the next Run starts a fresh one: ${p.reason}`,
  },
  HC8013: {
    large: (p: { readonly kernel: Text }) =>
      `${p.kernel} was not checked: its tensors are too large for the interpreter.`,
  },
  HC8014: {
    waits: (p: { readonly kernel: Text; readonly program: Text }) =>
      `${p.kernel} waits forever, in program ${p.program}: no program that ran before it sets what it waits for. WebGPU does not promise that programs run side by side, so those of a kernel that waits run one at a time, in order, then from the last to the first.`,
  },
  HC8015: {
    computed: (p: { readonly kernel: Text; readonly line: Text }) =>
      `${p.kernel} computes with floats made of integers' bits (line ${p.line}): where they are denormals, this adapter computes with 0 in their place, CUDA with what they are.`,
    made: (p: { readonly argument: Text; readonly kernel: Text }) =>
      `${p.argument} of ${p.kernel} holds floats that a kernel made of integers' bits: where they are denormals, this adapter computes with 0 in their place, CUDA with what they are.`,
    flushed: (p: {
      readonly argument: Text;
      readonly kernel: Text;
      readonly count: Text;
      readonly dtype: Text;
      readonly first: Text;
    }) =>
      `${p.argument} of ${p.kernel} holds denormals (${p.count} of ${p.dtype}, the first at ${p.first}): this adapter computes with 0 in their place, CUDA with what they are.`,
  },
  HC8016: {
    budget: (p: { readonly kernel: Text; readonly program: Text; readonly iterations: Text }) =>
      `${p.kernel} left a loop that did not end, in program ${p.program}: it may take ${p.iterations} iterations. A GPU cannot be interrupted, so a loop has a budget where the launch does not fix how often it runs.`,
  },
} as const;
