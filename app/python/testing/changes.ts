/**
 * For tests: what programs change in a Python, each as it is made and as it is read. Settings are
 * put back after a run; where there is a `left`, the page starts a fresh Python, because of what
 * that names.
 */

export interface Change {
  readonly set: string;
  readonly read: string;
  readonly left?: string;
}

/** Without JavaScript, which is a leftover by itself. */
export const IMPORTS = `import asyncio, builtins, decimal, gc, json, locale, logging, math, os, random, signal, sys, time
import warnings
import numpy, torch, triton
import triton.language as tl
`;

export const CHANGES: Readonly<Record<string, Change>> = {
  'warnings filter': {
    set: 'warnings.simplefilter("error")',
    read: 'warnings.filters[0]',
  },
  'recursion limit': {
    set: 'sys.setrecursionlimit(321)',
    read: 'sys.getrecursionlimit()',
  },
  gc: {
    set: 'gc.disable()',
    read: 'gc.isenabled()',
  },
  'logging level': {
    set: 'logging.basicConfig(level=10)',
    read: 'logging.root.level, logging.root.handlers',
  },
  'a logger': {
    set: 'logging.getLogger("mine").setLevel(5)',
    read: 'logging.getLogger("mine").level',
  },
  builtins: {
    set: 'builtins.mine = 1',
    read: 'hasattr(builtins, "mine")',
    left: 'builtins.mine',
  },
  'a patched builtin': {
    set: 'builtins.sorted = lambda x: []',
    read: 'sorted([2, 1])',
    left: 'builtins.sorted',
  },
  'sys.path': {
    set: 'sys.path.insert(0, "/tmp")',
    read: '"/tmp" in sys.path',
  },
  'a module of /tmp': {
    set: 'open("/tmp/mine.py", "w").write("x = 1"); sys.path.insert(0, "/tmp"); import mine',
    read: '"mine" in sys.modules',
  },
  meta_path: {
    set: 'sys.meta_path.clear()',
    read: 'len(sys.meta_path) > 0',
  },
  environment: {
    set: 'os.environ["MINE"] = "1"',
    read: 'os.environ.get("MINE")',
  },
  'numpy print options': {
    set: 'numpy.set_printoptions(precision=1)',
    read: 'numpy.array([1.23456])',
  },
  'the allocator of Triton': {
    set: 'triton.set_allocator(lambda size, alignment, stream: torch.empty(size))',
    read: 'triton.runtime._allocator',
  },
  'the start method of torch.multiprocessing': {
    set: 'import torch.multiprocessing as mp; mp.set_start_method("spawn")',
    read: '(torch.multiprocessing.get_start_method(allow_none=True))',
  },
  'a dtype of torch': {
    set: 'torch.float16.itemsize = 99',
    read: 'torch.float16.itemsize',
    left: 'float16.itemsize',
  },
  'a dtype of Triton': {
    set: 'tl.float32.primitive_bitwidth = 5',
    read: 'tl.float32.primitive_bitwidth',
    left: 'float32.primitive_bitwidth',
  },
  'torch print options': {
    set: 'torch.set_printoptions(precision=1)',
    read: 'torch.tensor([1.23456])',
  },
  allow_tf32: {
    set: 'torch.backends.cuda.matmul.allow_tf32 = True',
    read: 'torch.backends.cuda.matmul.allow_tf32',
  },
  'default dtype': {
    set: 'torch.set_default_dtype(torch.float16)',
    read: 'torch.get_default_dtype()',
  },
  'math.pi': {
    set: 'math.pi = 3',
    read: 'math.pi',
    left: 'math.pi',
  },
  'a method of torch.Tensor': {
    set: 'torch.Tensor.mine = 1',
    read: 'hasattr(torch.Tensor, "mine")',
    left: 'torch.Tensor.mine',
  },
  'torch.allclose': {
    set: 'torch.allclose = lambda *a, **k: True',
    read: 'torch.allclose(torch.zeros(1), torch.ones(1))',
    left: 'torch.allclose',
  },
  'torch.equal': {
    set: 'torch.equal = lambda *a: True',
    read: 'torch.equal(torch.zeros(1), torch.ones(1))',
    left: 'torch.equal',
  },
  'a reduction of torch.Tensor': {
    set: 'torch.Tensor.all = lambda *a: True',
    read: 'bool((torch.zeros(1) == torch.ones(1)).all())',
    left: 'Tensor.all',
  },
  'a name in tl': {
    set: 'tl.mine = 1',
    read: 'hasattr(tl, "mine")',
    left: 'triton.language.mine',
  },
  'defaults of torch.allclose': {
    set: 'torch.allclose.__defaults__ = (100.0, 100.0, False)',
    read: 'torch.allclose(torch.zeros(1), torch.ones(1))',
    left: 'allclose',
  },
  'defaults of assert_close': {
    set: 'torch.testing.assert_close.__kwdefaults__.update(rtol=9.0, atol=9.0)',
    read: 'torch.testing.assert_close.__kwdefaults__["atol"]',
    left: 'assert_close',
  },
  'code of a method': {
    set: 'torch.Tensor.all.__code__ = (lambda self: True).__code__',
    read: 'torch.Tensor.all.__code__.co_argcount',
    left: 'all',
  },
  'an item of a dictionary': {
    set: 'torch.testing.TOLERANCES["float32"] = (9.0, 9.0)',
    read: 'torch.testing.TOLERANCES["float32"]',
    left: 'torch.testing.TOLERANCES',
  },
  'a new item of a dictionary': {
    set: 'json.encoder.ESCAPE_DCT["mine"] = lambda: 1',
    read: '"mine" in json.encoder.ESCAPE_DCT',
    left: 'json.encoder.ESCAPE_DCT',
  },
  'a list': {
    set: 'import keyword; keyword.kwlist.append("mine")',
    read: '"mine" in __import__("keyword").kwlist',
    left: 'keyword.kwlist',
  },
  umask: {
    set: 'os.umask(0o777)',
    read: '[mask := os.umask(0), os.umask(mask)][0]',
  },
  locale: {
    set: 'locale.setlocale(locale.LC_ALL, "C")',
    read: 'locale.setlocale(locale.LC_ALL)',
  },
  'what empty memory holds': {
    set: 'torch.utils.deterministic.fill_uninitialized_memory = False',
    read: 'torch.utils.deterministic.fill_uninitialized_memory',
  },
  'triton.cdiv': {
    set: 'triton.cdiv = lambda a, b: 0',
    read: 'triton.cdiv(5, 2)',
    left: 'triton.cdiv',
  },
  knobs: {
    set: 'triton.knobs.runtime.mine = 1',
    read: 'vars(triton.knobs.runtime).get("mine")',
  },
  random: {
    set: 'random.seed(0)',
    read: 'random.random() == 0.8444218515250481',
  },
  excepthook: {
    set: 'sys.excepthook = print',
    read: 'sys.excepthook is print',
    left: 'sys.excepthook',
  },
  trace: {
    set: 'sys.settrace(lambda *a: None)',
    read: 'sys.gettrace()',
  },
  signal: {
    set: 'signal.signal(signal.SIGINT, signal.SIG_IGN)',
    read: 'signal.getsignal(signal.SIGINT) == signal.SIG_IGN',
  },
  decimal: {
    set: 'decimal.getcontext().prec = 3',
    read: 'decimal.Decimal(1) / 3',
  },
  // Modules that running itself needs come last.
  json: {
    set: 'json.dumps = lambda *a, **k: "mine"',
    read: 'json.dumps([1])',
    left: 'json.dumps',
  },
  time: {
    set: 'time.perf_counter = lambda: 0',
    read: 'time.perf_counter() > 0',
    left: 'time.perf_counter',
  },
  open: {
    set: 'builtins.open = None',
    read: 'open is None',
    left: 'builtins.open',
  },
};
