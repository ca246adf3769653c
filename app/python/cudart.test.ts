/** The CUDA runtime through ctypes: memory that kernels are given by its address. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startPython } from './testing/python';
import type { TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 120_000);

const HEAD = `import ctypes
import torch
cudart = ctypes.CDLL("libcudart.so")
def malloc(size):
    cudart.cudaMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
    cudart.cudaMalloc.restype = ctypes.c_int
    ptr = ctypes.c_void_p()
    assert cudart.cudaMalloc(ctypes.byref(ptr), size) == 0
    return ptr.value
`;

function run(source: string) {
  return python.run(HEAD + source);
}

describe('libcudart', () => {
  it('gives memory that can be set, copied and freed', () => {
    const result = run(`
a, b = malloc(16), malloc(16)
assert a and b and a != b
assert cudart.cudaMemset(a, 1, 8) == 0
assert cudart.cudaMemcpy(b, a, 16, 3) == 0
host = (ctypes.c_uint8 * 16)()
assert cudart.cudaMemcpy(host, b, 16, 2) == 0
print(list(host))
host[3] = 7
assert cudart.cudaMemcpy(ctypes.c_void_p(a), host, 16, ctypes.c_int(1)) == 0
x = torch.zeros(4, dtype=torch.int32, device="cuda")
assert cudart.cudaMemcpy(x.data_ptr(), a, 16, 3) == 0
print(x.tolist())
print(cudart.cudaFree(a), cudart.cudaFree(a), cudart.cudaFree(None), cudart.cudaMemset(a, 0, 1))
print(cudart.cudaGetErrorString(1), cudart.cudaDeviceSynchronize(), cudart.cudaGetLastError())
`);
    expect(result).toMatchObject({
      outcome: 'ok',
      output:
        // Memory that was not set is empty memory.
        '[1, 1, 1, 1, 1, 1, 1, 1, 255, 255, 255, 255, 255, 255, 255, 255]\n' +
        '[117506305, 16843009, -1, -1]\n0 1 0 1\n' +
        "b'invalid argument' 0 0\n",
    });
  });

  it('does not write past what was allocated', () => {
    const result = run(`
a = malloc(8)
print(cudart.cudaMemset(a, 1, 9), cudart.cudaMemset(a + 4, 1, 4), cudart.cudaMemcpy(a, a + 4, 8, 3))
`);
    expect(result).toMatchObject({ outcome: 'ok', output: '1 0 1\n' });
  });

  it('says which of its functions there are', () => {
    const result = run('cudart.cudaLaunchKernel');
    expect(result.outcome).toBe('error');
    expect(result.errors).toContain(
      'libcudart.so has no cudaLaunchKernel here: of CUDA’s runtime there are cudaMalloc, cudaFree',
    );
  });

  it('has addresses of 64 bits, which are gone with the program', () => {
    const wide = `
ptr = ctypes.c_void_p(5 << 32)
print(ptr.value, ctypes.sizeof(ptr))
`;
    expect(run(wide).output).toBe(`${5 * 2 ** 32} 8\n`);
    expect(python.run(`import ctypes\n${wide}`).output).toBe('None 4\n');
  });

  it('leaves other libraries alone', () => {
    const result = run(`
try:
    ctypes.CDLL("libother.so")
except OSError as error:
    print("libother" in str(error))
`);
    expect(result).toMatchObject({ outcome: 'ok', output: 'True\n' });
  });
});
