/** CUDA candidates of a problem folder, through the command line: two are correct, and one is wrong. Needs NVRTC. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-problem-'));
const problem = path.join(folder, 'softmax');
cpSync(path.join(root, 'assets/problems/softmax-rows'), problem, { recursive: true });

/** One thread for each row; the number of threads per block is tunable. */
const ROWS = `constexpr int kThreads = 64;
extern "C" __global__ void softmax(const float* x, float* y, int rows, int columns) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  const float* from = x + static_cast<size_t>(row) * columns;
  float* to = y + static_cast<size_t>(row) * columns;
  float most = from[0], sum = 0.0f;
  for (int i = 1; i < columns; ++i) most = fmaxf(most, from[i]);
  for (int i = 0; i < columns; ++i) sum += to[i] = expf(from[i] - most);
  for (int i = 0; i < columns; ++i) to[i] /= sum;
}
`;
const launches = [{ kernel: 'softmax', grid: ['ceil(rows / kThreads)'], block: ['kThreads'] }];
const tunables = [{ name: 'kThreads', values: [64, 128] }];
const candidates = [
  { file: 'rows.cu', launches, tunables },
  { file: 'last-row.cu', launches, tunables },
];
writeFileSync(path.join(problem, 'rows.cu'), ROWS);
writeFileSync(path.join(problem, 'last-row.cu'), ROWS.replace('row >= rows', 'row >= rows - 1'));
const document = JSON.parse(readFileSync(path.join(problem, 'problem.json'), 'utf8'));
writeFileSync(path.join(problem, 'problem.json'), JSON.stringify({ ...document, candidates }));

const words = ['bench', problem, '--variants', 'rows.cu,rows.cu[kThreads=128],last-row.cu', '--trust'];
const { stdout, stderr } = spawnSync(
  process.execPath,
  [path.join(root, 'dist/host/cli.js'), ...words, '--rounds', '8', '--processes', '0', '--json'],
  {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, BRAGGBENCH_HOME: path.join(folder, 'home') },
    maxBuffer: 2 ** 28,
  },
);
/** @type {readonly { label: string; status: string; accuracy?: readonly { holds: boolean; tip: string }[] }[]} */
const entries = stdout === '' ? [] : JSON.parse(stdout).entries;
/** @param {string} label */
const entryOf = (label) => entries.find((one) => one.label === label);
const totals = { passed: 0, failed: 0 };
/** @param {string} title @param {boolean} holds @param {unknown} found */
function expected(title, holds, found) {
  totals[holds ? 'passed' : 'failed'] += 1;
  console.log(`${holds ? 'ok' : 'FAILED'}: ${title}${holds ? '' : `: ${JSON.stringify(found) ?? stderr}`}`);
}
for (const label of ['rows.cu', 'rows.cu[kThreads=128]']) {
  const entry = entryOf(label);
  const holds = entry?.status === 'measured' && entry.accuracy?.every((one) => one.holds) === true;
  expected(`${label} is correct`, holds, entry);
}
const wrong = entryOf('last-row.cu');
const tips = wrong?.accuracy?.filter((one) => !one.holds).map(({ tip }) => tip) ?? [];
expected('last-row.cu is wrong', wrong?.status === 'measured' && tips.length > 0, wrong);
rmSync(folder, { recursive: true, force: true });
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;
