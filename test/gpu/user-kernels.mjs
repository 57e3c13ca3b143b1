/**
 * User CUDA variants on a GPU, through the command line. A copy gives the bits of its original, and a wrong one is
 * reported as wrong. A kernel that breaks the device, hangs or does not compile fails only its own run. Needs NVRTC.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-own-gpu-'));
/**
 * Finds a source file in any subfolder of its workload.
 * @param {string} file
 */
const source = (file, workload = 'transport') => {
  const folder = path.join(root, 'dist/kernels/source', workload);
  const [found = file] = globSync(`**/${file}`, { cwd: folder });
  return readFileSync(path.join(folder, found), 'utf8');
};
const gatherSource = source('cuda_gather.cu');

writeFileSync(
  path.join(folder, 'small.json'),
  JSON.stringify({
    kind: 'transport',
    version: 1,
    beam: { energy_MeV: 70 },
    geometry: { width_mm: 30, depth_mm: 50 },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 20, energy: { kind: 'range', step_mm: 0.5 } },
  }),
);

/**
 * Writes a variant in which `text` replaces a file of the base variant.
 * @param {string} id
 * @param {string} text
 */
function writeVariant(id, text, base = 'cuda-gather', file = 'cuda_gather.cu', of = {}) {
  writeFileSync(path.join(folder, id), text);
  const replaces = file.includes('/') ? file : `kernels/transport/${file}`;
  const description = { kind: 'variant', version: 1, ...of, base, replaces, title: id };
  writeFileSync(path.join(folder, id.replace('.cu', '.json')), JSON.stringify(description));
}

/**
 * The original with a statement at the start of every kernel.
 * @param {string} statement
 */
const brokenKernel = (statement) => {
  const text = gatherSource.replaceAll('if (run_is_over(s)) return;', `if (run_is_over(s)) return; ${statement}`);
  if (text === gatherSource) throw new Error('the kernels of cuda-gather no longer begin as this test expects');
  return text;
};

/** @param {readonly string[]} words */
function braggbench(...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'dist/host/cli.js'), ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, BRAGGBENCH_HOME: path.join(folder, 'home') },
  });
  return { code: status, text: stdout + stderr, json: () => JSON.parse(stdout) };
}
/**
 * @param {string} id
 * @param {readonly string[]} more
 */
const run = (id, ...more) => braggbench('run', 'small.json', '--variant', `./${id}`, '--trust', ...more);

const totals = { passed: 0, failed: 0 };

/** @param {string} name @param {() => unknown} check any answer other than true is printed as a failure */
function test(name, check) {
  let answer;
  try {
    answer = check();
  } catch (error) {
    answer = String(error);
  }
  totals[answer === true ? 'passed' : 'failed'] += 1;
  console.log(answer === true ? `ok   ${name}` : `FAIL ${name}\n${JSON.stringify(answer)}`);
}

/**
 * True if the exit code was `wanted` and the output contained all of `parts`.
 * @param {{ code: number | null, text: string }} ended
 * @param {number} wanted
 * @param {readonly string[]} parts
 */
const endedWith = ({ code, text }, wanted, ...parts) =>
  (code === wanted && parts.every((part) => text.includes(part))) || { code, text: text.slice(-800) };

writeVariant('copy.cu', gatherSource);
test('a user kernel does not run before it is trusted', () =>
  endedWith(braggbench('run', 'small.json', '--variant', './copy.cu'), 2, '--trust'));
for (const setting of ['solver.precision=fp32', 'solver.precision=fp64', 'solver.stepping=depth']) {
  test(`a copy is correct with ${setting}`, () =>
    endedWith(run('copy.cu', '--set', setting), 0, 'is correct on this scenario'));
}
writeVariant('header.cu', source('cuda_fused_collide.cuh'), 'cuda-fused', 'cuda_fused_collide.cuh');
test('a copy of a header is correct', () => endedWith(run('header.cu'), 0, 'is correct on this scenario'));

writeVariant(
  'wrong.cu',
  gatherSource.replace(
    'p[static_cast<long long>(j) * field_cells(s)]',
    'T(1.01) * p[static_cast<long long>(j) * field_cells(s)]',
  ),
);
test('a wrong user kernel is reported as wrong', () => endedWith(run('wrong.cu'), 1, 'WRONG on this scenario'));

writeVariant('typo.cu', `${gatherSource}\nint oops = nowhere;\n`);
const line = `${gatherSource}\n`.split('\n').length;
test('a compile error is reported at its line', () =>
  endedWith(run('typo.cu'), 2, `typo.cu:${line}:12: identifier "nowhere" is undefined`));

writeVariant(
  'prints.cu',
  brokenKernel('if (blockIdx.x == 0 && threadIdx.x == 0) printf("told %d;\\n", LOUD);'),
  undefined,
  undefined,
  {
    compile: { defines: { LOUD: 3 }, fmad: false, optimize: 3, lineinfo: true, registers: 128 },
  },
);
test('the output of a kernel is shown, and it is compiled with the options in its description', () =>
  endedWith(
    run('prints.cu'),
    0,
    'is correct on this scenario',
    '  | told 3;',
    'Compiled with no fused multiply-add, optimised at level 3, source line information, at most 128 registers, LOUD=3',
  ));

test('a shipped variant can be selected by name without fused multiply-add', () =>
  endedWith(
    braggbench('run', 'small.json', '--variant', 'cuda-gather[fmad=0]'),
    0,
    'is correct on this scenario',
    'Compiled with no fused multiply-add',
  ));

writeVariant('illegal.cu', brokenKernel('*(volatile int*)8 = 1;'));
test('an illegal address ends only its own run', () =>
  endedWith(run('illegal.cu'), 1, 'illegal.cu', 'ILLEGAL_ADDRESS', 'Only its own process was lost'));
writeVariant('hang.cu', brokenKernel('for (volatile int i = 0;; i = i + 1) {}'));
test('a hanging kernel is ended in time', () =>
  endedWith(run('hang.cu', '--limit', '5'), 1, 'hang.cu did not finish within 5 s'));

test('a crash in a session leaves the other variants running, and the copy equals the original bit for bit', () => {
  const variants = 'cuda-gather,./illegal.cu,./hang.cu,./copy.cu,cuda-fused';
  const { entries } = braggbench(
    'bench',
    'small.json',
    '--variants',
    variants,
    '--trust',
    '--limit',
    '5',
    '--rounds',
    '7',
    '--json',
  ).json();
  const states = entries
    .map((/** @type {{ label: string, status: string }} */ { label, status }) => `${label} ${status}`)
    .join(', ');
  const [original, , , copy] = entries;
  const same = original.determinism.hash === copy.determinism.hash;
  const wanted = 'cuda-gather measured, illegal.cu refused, hang.cu refused, copy.cu measured, cuda-fused measured';
  return (states === wanted && same) || { states, same };
});

// The other workloads: a copy is correct, a wrong kernel is not, and an illegal address fails only its own run.
const others = [
  {
    scenario: 'simple-cubic-1024',
    of: { workload: 'diffraction' },
    base: 'diffraction-cuda-mixed',
    file: 'diffraction/cuda_kernels.cuh',
    wrong: ['= photons(s, f, t, sums)', '= 1.01f * photons(s, f, t, sums)'],
    broken: ['  const auto sums =', '  *(volatile int*)8 = 1;\n  const auto sums ='],
  },
  {
    scenario: 'layer-odd',
    of: { workload: 'linear-relu' },
    base: 'cuda-naive',
    file: 'linear_relu/plain.cu',
    wrong: ['= rectified(z)', '= 1.01f * rectified(z)'],
    broken: ['  const float* weights =', '  *(volatile int*)8 = 1;\n  const float* weights ='],
  },
  {
    scenario: 'reduction',
    of: { workload: 'micro', bench: 'reduction' },
    base: 'cuda-sequential',
    file: 'micro/reduction.cu',
    wrong: ['sums[t] += sums[t + s]', 'sums[t] += 1.01f * sums[t + s]'],
    broken: ['  sums[t] = i < n', '  *(volatile int*)8 = 1;\n  sums[t] = i < n'],
  },
];
for (const { scenario, of, base, file, wrong, broken: illegal } of others) {
  const original = source(path.basename(file), path.dirname(file));
  /** @param {readonly string[]} change */
  const changed = ([from = '', to = '']) => {
    if (!original.includes(from)) throw new Error(`${file} no longer has ${from}`);
    return original.replaceAll(from, to);
  };
  /** @param {string} id @param {string} text */
  const ran = (id, text) => {
    writeVariant(id, text, base, `kernels/${file}`, of);
    return braggbench('run', scenario, '--variant', `./${id}`, '--trust');
  };
  test(`${of.workload}: a copy is correct`, () =>
    endedWith(ran('copied.cu', original), 0, 'is correct on this scenario'));
  test(`${of.workload}: a wrong kernel is reported as wrong`, () =>
    endedWith(ran('wrong-one.cu', changed(wrong)), 1, 'WRONG on this scenario'));
  test(`${of.workload}: an illegal address ends its run`, () =>
    endedWith(ran('illegal-one.cu', changed(illegal)), 1, 'illegal-one.cu', 'Only its own process was lost'));
}

rmSync(folder, { recursive: true, force: true });
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;
