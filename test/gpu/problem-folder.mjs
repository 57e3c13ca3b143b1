/**
 * CUDA candidates of a problem folder. Through the command line two are correct, and one is wrong. Through `braggbench
 * mcp` an agent submits a correct and a wrong one. Needs NVRTC.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-problem-'));
const problem = path.join(folder, 'softmax');
cpSync(path.join(root, 'assets/problems/softmax-rows'), problem, { recursive: true });

/** One thread for each row of the matrix; the number of threads per block is tunable. */
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
/** @type {{ readonly error?: { readonly message: string }; readonly entries?: readonly { label: string; status: string; reason?: string; accuracy?: readonly { holds: boolean; tip: string }[] }[] }} */
const { entries = [], error: refusal } = JSON.parse(stdout || '{}');
/** @param {string} label */
const entryOf = (label) => entries.find((one) => one.label === label);
const totals = { passed: 0, failed: 0 };
/** @param {string} title @param {boolean} holds @param {unknown} found */
function checkThat(title, holds, found) {
  totals[holds ? 'passed' : 'failed'] += 1;
  console.log(
    `${holds ? 'ok' : 'FAILED'}: ${title}${holds ? '' : `: ${JSON.stringify(found) ?? refusal?.message ?? stderr}`}`,
  );
}
for (const label of ['rows.cu', 'rows.cu[kThreads=128]']) {
  const entry = entryOf(label);
  const holds = entry?.status === 'measured' && entry.accuracy?.every((one) => one.holds) === true;
  checkThat(`${label} is correct`, holds, entry);
}
const wrongEntry = entryOf('last-row.cu');
const tips = wrongEntry?.accuracy?.filter((one) => !one.holds).map(({ tip }) => tip) ?? [];
checkThat('last-row.cu is wrong', wrongEntry?.status === 'measured' && tips.length > 0, wrongEntry);

/** A step of the heat equation: all threads save the old grid before any of them overwrites it. */
const HEAT = `constexpr int kMax = 512 * 512;
__device__ float before[kMax];
extern "C" __global__ void save(float* u, int height, int width) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < height * width) before[i] = u[i];
}
extern "C" __global__ void step(float* u, int height, int width) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int x = i % width, y = i / width;
  if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return;
  u[i] = before[i] + 0.125f * (before[i - 1] + before[i + 1] + before[i - width] + before[i + width] - 4.0f * before[i]);
}
`;
const LIMIT_MS = 240_000;

/** `braggbench mcp` as an agent starts it; messages are JSON-RPC, one a line. Its own client needs no package. */
function startAgent(/** @type {string} */ served) {
  const words = [path.join(root, 'dist/host/cli.js'), 'mcp', '--trust', served, '--time', '20s'];
  const server = spawn(process.execPath, words, {
    cwd: folder,
    env: { ...process.env, BRAGGBENCH_HOME: path.join(folder, 'home') },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  server.stderr.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  // A server that ends early closes the pipe; its answers are then rejected below.
  server.stdin.on('error', () => undefined);
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  createInterface(server.stdout).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  const ended = new Promise((_, reject) => {
    server.on('close', (code) => reject(new Error(`braggbench mcp ended with code ${code}: ${printed.trim()}`)));
  });
  ended.catch(() => undefined);
  let id = 0;
  const send = (/** @type {object} */ message) =>
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (/** @type {string} */ method, /** @type {object} */ params) => {
    id += 1;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return Promise.race([answer, ended]);
  };
  return {
    open: async () => {
      const clientInfo = { name: 'test', version: '1' };
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      send({ method: 'notifications/initialized' });
    },
    /** @param {string} name @param {object} input */
    call: async (name, input) => {
      const { result, error } = await ask('tools/call', { name, arguments: input });
      if (error !== undefined || result.isError === true) throw new Error(error?.message ?? result.content[0].text);
      return result.structuredContent;
    },
    close: async () => {
      server.stdin.end();
      const late = setTimeout(() => server.kill('SIGKILL'), 5000);
      await ended.catch(() => undefined);
      clearTimeout(late);
    },
    end: () => server.kill('SIGKILL'),
  };
}

async function testSubmissions() {
  const served = path.join(folder, 'served');
  const heat = path.join(served, 'heat');
  mkdirSync(served);
  cpSync(path.join(root, 'assets/problems/heat-step'), heat, { recursive: true });
  writeFileSync(path.join(heat, 'saved.cu'), HEAT);
  const heatLaunches = ['save', 'step'].map((kernel) => ({
    kernel,
    grid: ['ceil(height * width / 256)'],
    block: [256],
  }));
  const shipped = JSON.parse(readFileSync(path.join(heat, 'problem.json'), 'utf8'));
  const candidate = { file: 'saved.cu', launches: heatLaunches };
  writeFileSync(path.join(heat, 'problem.json'), JSON.stringify({ ...shipped, candidates: [candidate] }));
  const agent = startAgent(served);
  const late = setTimeout(agent.end, LIMIT_MS);
  try {
    await agent.open();
    const submit = (/** @type {string} */ source) =>
      agent.call('submit_kernel', { problem: 'heat', source, language: 'cu', seconds: 5 });
    const correct = await submit(`${HEAT}// As an agent wrote it.\n`);
    const isCorrect = correct.verdict === 'correct' && correct.first_wrong === null && correct.time_s > 0;
    checkThat('a correct CUDA kernel that an agent submits is correct', isCorrect, correct);
    const { resources = [] } = correct;
    const names = (resources ?? []).map((/** @type {{ kernel: string }} */ one) => one.kernel).sort();
    const occupied = resources?.every((/** @type {any} */ one) => one.registers > 0 && one.occupancy?.share > 0);
    checkThat('its registers and occupancy are reported', names.join() === 'save,step' && occupied === true, resources);
    const wrong = await submit(HEAT.replace('y >= height - 1', 'y >= height - 2'));
    const [, row] = /^u\[(\d+), \d+\]$/.exec(wrong.first_wrong?.place ?? '') ?? [];
    checkThat('a wrong one is wrong, with the first wrong value', wrong.verdict === 'wrong' && Number(row) > 0, wrong);
    const explained = await agent.call('explain_slow', { problem: 'heat', attempt: 1 });
    const total = explained.timeline.reduce(
      (/** @type {number} */ sum, /** @type {any} */ one) => sum + one.seconds,
      0,
    );
    const parts = explained.parts.map((/** @type {{ name: string }} */ one) => one.name).join();
    const isSplit = ['set-up: build', 'set-up: upload', 'compare', 'one repetition'].every((one) =>
      parts.includes(one),
    );
    checkThat('the times of build, upload and comparison are parts of their own', isSplit, explained.parts);
    checkThat('its time is explained', total > 0 || explained.no_timeline !== null, explained);
    const ladder = await agent.call('ladder', { problem: 'heat' });
    const verdicts = ladder.attempts.map((/** @type {{ verdict: string }} */ one) => one.verdict).join();
    checkThat('the ladder has both attempts', verdicts === 'correct,wrong', ladder);
  } catch (error) {
    checkThat('an agent submits CUDA kernels', false, String(error));
  } finally {
    clearTimeout(late);
    await agent.close();
  }
}

await testSubmissions();
rmSync(folder, { recursive: true, force: true });
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;
