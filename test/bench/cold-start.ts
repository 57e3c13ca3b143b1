/**
 * A newcomer's cold start: `npm start` in a fresh clone, without a compiler cache and with empty caches. It times the
 * page, a stored session, the first beam, the complete solver and the second start. It also measures disk space and
 * processor time.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { KEEP_FLAG, loadNow, saveTargets, type TargetRow } from '../../electron/build/bench/measured.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/workload.ts';
import { openSocketPort } from '../../electron/transports/websocket-page.ts';
import { type Client, connect } from '../../renderer/data/client/client.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Limits for a first start on two cores. */
const TARGETS = { page_s: 45, beam_s: 90, compiling_s: 210, second_s: 1 };
const START_TIMEOUT_MS = 30 * 60_000;
const TICKS_PER_S = 100;
const MB = 1e6;

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-cold-'));
const clone = path.join(folder, 'clone');
const times = path.join(folder, 'compiler-times.txt');
const launcher = path.join(folder, 'timed.sh');

/** Processor seconds of a process and of the children that it has waited for; null if /proc does not give them. */
function coreSeconds(pid: number | undefined): number | null {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return null;
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const [user = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = fields.slice(11, 15).map(Number);
  return (user + system + ofChildren + systemOfChildren) / TICKS_PER_S;
}

/**
 * Total of the children's times in the output of a POSIX shell's `times`. They are in the second line, as `0m1.23s
 * 0m0.04s`.
 */
function compilerSeconds(text: string): number {
  const ofChildren = text.split('\n').filter((_, i) => i % 2 === 1);
  const seconds = ofChildren.flatMap((line) =>
    [...line.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => 60 * Number(minutes) + Number(rest)),
  );
  return seconds.reduce((sum, each) => sum + each, 0);
}

function bytesBelow(place: string): number {
  if (!existsSync(place)) return 0;
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(path.join(file.parentPath, file.name)).size, 0);
}

const runningProcesses = new Set<ChildProcess>();

interface StartedProgram {
  readonly program: ChildProcess;
  readonly url: string;
  readonly begun: number;
}

async function startProgram(env: NodeJS.ProcessEnv): Promise<StartedProgram> {
  const begun = performance.now();
  // Start the script of `npm start` directly, because npm does not forward the signal that ends the program.
  const program = spawn(process.execPath, ['electron/build/start.mjs', '--browser', '--no-open', '--port', '0'], {
    cwd: clone,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  runningProcesses.add(program);
  let output = '';
  program.stdout?.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    output += text;
  });
  const limit = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const url = /\bhttp:\/\/127\.0\.0\.1:\d+\/\S*/.exec(output)?.[0];
    if (url !== undefined) return { program, url, begun };
    if (program.exitCode !== null || Date.now() > limit) throw new Error('npm start printed no address');
    await sleep(50);
  }
}

const secondsSince = (begun: number): number => (performance.now() - begun) / 1000;

/** Sets the page's origin, which a browser's WebSocket sends automatically. */
async function connectPage(url: string): Promise<Client> {
  const { host, origin, searchParams } = new URL(url);
  class PageSocket extends WebSocket {
    constructor(address: string) {
      super(address, { origin });
    }
  }
  Reflect.set(globalThis, 'WebSocket', PageSocket);
  return connect(() => openSocketPort(`ws://${host}/${searchParams.get('token')}/socket`));
}

/** Runs the first example to its end. */
async function runFirstExample(client: Client): Promise<void> {
  const text = readFileSync(path.join(clone, 'assets/scenarios/water-70MeV.json'), 'utf8');
  const { id } = await client.call('run.start', {
    ...{ scenario: JSON.parse(text) as ScenarioDraft, file: null, name: 'cold start' },
  });
  for (;;) {
    const run = (await client.call('run.list', {})).runs.find((one) => one.id === id);
    if (run?.state === 'done') return;
    if (run?.state === 'failed' || run?.state === 'cancelled') throw new Error(`the beam has ended as ${run.state}`);
    await sleep(100);
  }
}

function waitForSolver(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.stream(
      'solver',
      {},
      {
        frame: ({ stage, failed }) => {
          if (failed !== null) reject(new Error(failed));
          else if (stage === 'whole') resolve();
        },
      },
    );
  });
}

async function stopProgram(program: ChildProcess): Promise<void> {
  runningProcesses.delete(program);
  if (program.exitCode !== null) return;
  program.kill('SIGTERM');
  await once(program, 'exit');
}

try {
  const load = loadNow();
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone], { stdio: 'inherit' });
  writeFileSync(launcher, `#!/bin/sh\n"$@"\ncode=$?\ntimes >> '${times}'\nexit $code\n`);
  chmodSync(launcher, 0o755);
  writeFileSync(times, '');
  const env = {
    ...process.env,
    ...{ CCACHE_DISABLE: '1', CMAKE_CXX_COMPILER_LAUNCHER: launcher, npm_config_cache: path.join(folder, 'npm') },
    ...{ BRAGGBENCH_CACHE: path.join(folder, 'cache'), BRAGGBENCH_HOME: path.join(folder, 'home') },
  };
  const first = await startProgram(env);
  const page_s = secondsSince(first.begun);
  const client = await connectPage(first.url);
  await client.call('task.stored', { workload: 'linear-relu' });
  const recorded_s = secondsSince(first.begun);
  await runFirstExample(client);
  const beam_s = secondsSince(first.begun);
  await waitForSolver(client);
  const whole_s = secondsSince(first.begun);
  client.close();
  await stopProgram(first.program);
  const all_s = coreSeconds(process.pid);
  const compiling_s = compilerSeconds(readFileSync(times, 'utf8'));
  const [packages, built] = ['node_modules', 'dist'].map((name) => bytesBelow(path.join(clone, name)) / MB);
  const second = await startProgram(env);
  const second_s = secondsSince(second.begun);
  await stopProgram(second.program);

  const row = (what: string, seconds: number, most: number | null): TargetRow => ({
    ...{ what, wanted: most === null ? '' : `≤ ${most} s`, measured: `${seconds.toFixed(1)} s` },
    met: most === null ? null : seconds <= most,
  });
  const rows = [
    row('Cold start: page served', page_s, TARGETS.page_s),
    row('Cold start: recorded sessions read', recorded_s, TARGETS.page_s),
    row('Cold start: first beam at its end', beam_s, TARGETS.beam_s),
    row('Cold start: whole solver', whole_s, null),
    row('Cold start: core-seconds of compiling', compiling_s, TARGETS.compiling_s),
    ...(all_s === null ? [] : [row('Cold start: core-seconds in all', all_s, null)]),
    row('Second start: page served', second_s, TARGETS.second_s),
    {
      what: 'Disk: packages, built',
      wanted: '',
      measured: `${packages?.toFixed(0)} MB, ${built?.toFixed(0)} MB`,
      met: null,
    },
  ];
  console.log(`A cold start; load of the machine before: ${load.toFixed(1)}`);
  for (const { what, wanted, measured, met } of rows) {
    console.log(
      `  ${what.padEnd(42)}${measured}${met === null ? '' : ` (wanted ${wanted}: ${met ? 'met' : 'missed'})`}`,
    );
  }
  if (process.argv.includes(KEEP_FLAG))
    await saveTargets(root, 'cold-start', { command: 'npm run bench -- start --cold', load, rows });
} finally {
  for (const program of [...runningProcesses]) await stopProgram(program);
  rmSync(folder, { recursive: true, force: true });
}
