/** pytest.main on a program's own tests: names, order, fixtures, marks, and what is counted. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startPython } from './testing/python';
import type { TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 120_000);

function output(source: string): string {
  const result = python.run(`import pytest\n${source}`);
  expect(result.outcome).toBe('ok');
  return result.output;
}

describe('pytest', () => {
  it("names cases as pytest does: the function's nearest mark first", () => {
    expect(
      output(`
@pytest.mark.parametrize("a", [1, 2.5, None], ids=["x", None, "z"])
@pytest.mark.parametrize("b, c", [("s", int), pytest.param([0], 1, id="own")])
def test_f(a, b, c):
    pass
pytest.main(["-v"])
`),
    ).toBe(
      `test_f[s-int-x] PASSED
test_f[s-int-2.5] PASSED
test_f[s-int-z] PASSED
test_f[own-x] PASSED
test_f[own-2.5] PASSED
test_f[own-z] PASSED
6 passed
`,
    );
  });

  it('runs fixtures, and takes back what they changed', () => {
    expect(
      output(`
import os
log = []
@pytest.fixture
def base():
    log.append("up")
    yield 3
    log.append("down")
@pytest.fixture
def doubled(base, request):
    return base * 2 * getattr(request, "param", 1)
@pytest.mark.parametrize("doubled", [10], indirect=True)
def test_indirect(doubled, base):
    assert (doubled, base) == (60, 3)
def test_capture(capfd, monkeypatch, tmp_path):
    print("kept")
    monkeypatch.setenv("HERE", "1")
    assert capfd.readouterr().out == "kept\\n"
class TestGroup:
    def test_method(self, doubled):
        assert doubled == 6
code = pytest.main()
print(code, log, "HERE" in os.environ)
`),
    ).toBe("3 passed\n0 ['up', 'down', 'up', 'down'] False\n");
  });

  it('shares one instance between a test, its fixtures and its set-up', () => {
    expect(
      output(`
class TestShared:
    def setup_method(self, method):
        self.name = method.__name__
    @pytest.fixture(autouse=True)
    def load(self):
        self.value = 7
    def test_both(self):
        assert (self.value, self.name) == (7, "test_both")
pytest.main(["-v"])
`),
    ).toBe('TestShared::test_both PASSED\n1 passed\n');
  });

  it('finds the fixtures of bases, and those that a nearer one of the same name hides', () => {
    expect(
      output(`
@pytest.fixture
def size():
    return 2
class Base:
    @pytest.fixture
    def scale(self):
        return 10
class TestNear(Base):
    @pytest.fixture
    def size(self, size):
        return size + 1
    def test_both(self, size, scale):
        assert (size, scale) == (3, 10)
def test_far(size):
    assert size == 2
pytest.main()
`),
    ).toBe('2 passed\n');
  });

  it('runs a test for each parameter of the fixtures that it uses, also through others', () => {
    expect(
      output(`
@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    return request.param
@pytest.fixture(params=[1, pytest.param(2, id="two")])
def size(request, device):
    return request.param, device
@pytest.mark.parametrize("a", [5])
def test_size(a, size):
    assert size[1] in ("cpu", "cuda")
pytest.main(["-v"])
`),
    ).toBe(
      'test_size[5-1-cpu] PASSED\ntest_size[5-1-cuda] PASSED\n' +
        'test_size[5-two-cpu] PASSED\ntest_size[5-two-cuda] PASSED\n4 passed\n',
    );
  });

  it('gives a fixture the options of conftest.py, at their defaults', () => {
    const result = python.run(
      `
import pytest
def test_options(device, request):
    assert device == "cuda:0" and request.config.getoption("--slow") is False
    assert request.config.getoption("other", 3) == 3 and request.function.__name__ == "test_options"
pytest.main()
`,
      {
        files: {
          'conftest.py': `
import pytest
def pytest_addoption(parser):
    parser.addoption("--device", action="store", default="cuda:0")
    parser.getgroup("speed").addoption("--slow", action="store_true")
@pytest.fixture
def device(request):
    return request.config.getoption("--device")
`,
        },
      },
    );
    expect(result.output).toBe('1 passed\n');
  });

  it('runs the tests of unittest classes, inherited ones too', () => {
    const result = python.run(`
import pytest, unittest
log = []
class Base(unittest.TestCase):
    def setUp(self):
        self.addCleanup(log.append, "clean")
        self.x = 3
    def tearDown(self):
        log.append("down")
    def test_inherited(self):
        self.assertEqual(self.x, 3)
class Kernels(Base):
    def test_fails(self):
        self.assertAlmostEqual(self.x, 4)
    @unittest.skip("later")
    def test_later(self):
        pass
    def test_skips(self):
        self.skipTest("no device")
print(pytest.main(["-v"]), log)
`);
    expect(result.output).toBe(`Base::test_inherited PASSED
Kernels::test_inherited PASSED
Kernels::test_fails FAILED
Kernels::test_later SKIPPED (later)
Kernels::test_skips SKIPPED (no device)
2 passed, 1 failed, 2 skipped
1 ['down', 'clean', 'down', 'clean', 'down', 'clean', 'down', 'clean']
`);
  });

  it('counts skips, expected failures and failures', () => {
    const result = python.run(`
import pytest
@pytest.mark.skipif(True, reason="never")
def test_a(): pass
@pytest.mark.xfail(reason="known")
def test_b(): assert False
def test_c(): pytest.skip("today")
def test_d():
    with pytest.raises(ValueError, match="wanted"):
        raise ValueError("other")
def test_e():
    with pytest.raises(ValueError): pass
def test_f(): assert 0.1 + 0.2 == pytest.approx(0.3)
print(pytest.main())
`);
    expect(result.output).toBe(`test_a SKIPPED (never)
test_b SKIPPED (expected to fail: known)
test_c SKIPPED (today)
test_d FAILED
test_e FAILED
1 passed, 2 failed, 3 skipped
1
`);
    expect(result.errors).toContain('DID NOT RAISE ValueError');
  });

  it('lets annotations name the built-in fixtures, and a conftest its hooks', () => {
    expect(
      output(`
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    raise AssertionError("hooks are not called")
def test_types(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture, caplog: pytest.LogCaptureFixture):
    assert isinstance(request, pytest.FixtureRequest) and isinstance(caplog, pytest.LogCaptureFixture)
pytest.main(["-q"])
`),
    ).toContain('1 passed');
  });

  it('gives the instance to the first parameter of a fixture in a class, however it is called', () => {
    expect(
      output(`
class TestSizes:
    unit = 4
    @pytest.fixture
    def size(size):
        yield size.unit
    @pytest.fixture
    def both(this, size):
        return this.unit + size
    def test_sizes(self, size, both):
        assert (size, both) == (4, 8)
pytest.main(["-q"])
`),
    ).toContain('1 passed');
  });

  it('finds files of tests in folders, and these what lies beside them', () => {
    const result = python.run('import pytest\nprint(pytest.main(["tests/test_more.py"]))\n', {
      files: {
        'tests/sizes.py': 'SIZE = 4\n',
        'tests/test_more.py': 'from sizes import SIZE\ndef test_size():\n    assert SIZE == 4\n',
      },
    });
    expect(result.output).toBe('1 passed\n0\n');
  });

  it('passes a fixture the case that requests it', () => {
    expect(
      output(`
@pytest.fixture
def asked(request):
    node = request.node
    return node.name, node.callspec.id, node.get_closest_marker("slow") is not None, node.get_closest_marker("fast")
@pytest.mark.slow
@pytest.mark.parametrize("a", [1])
def test_node(asked, a):
    assert asked == ("test_node[1]", "1", True, None), asked
pytest.main(["-q"])
`),
    ).toContain('1 passed');
  });

  it('keeps what a test logs', () => {
    expect(
      output(`
import logging
def test_logs(caplog):
    caplog.set_level(logging.INFO)
    logging.getLogger("a").info("said %d", 1)
    assert caplog.messages == ["said 1"] and caplog.text == "INFO a: said 1\\n"
    with caplog.at_level(logging.ERROR):
        logging.getLogger("a").info("not")
    assert caplog.record_tuples == [("a", logging.INFO, "said 1")]
    caplog.clear()
    assert not caplog.records
pytest.main(["-q"])
`),
    ).toContain('1 passed');
  });
});
