/**
 * `npm run bench -- cheats`: repeats every cheat of test/cheats that needs no GPU, with its own honest twin, through
 * the command line as a user starts it. No cheat may be called correct, and no twin may be accused. Each is judged
 * `--repeats 20` times. `--keep` saves after every session, and continues from that file when started again; `--anew`
 * starts over. `--cores 2,3` runs on these cores only; if given several times, one session runs on each set of cores
 * at once. Exits with code 1 if a cheat passed or a twin was accused.
 *
 * Needs Node, dist, assets, a C++ compiler, and of the packages only zod.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { parsePositiveInteger } from '../../electron/build/bench/command-line.mjs';
import type { CountedCheat, RecordedCheats } from '../../electron/build/figures/rates.ts';
import { type Accuracy, correctnessOf, correctnessReason } from '../../electron/contract/bench/session.ts';
import {
  attackOf,
  type Cheat,
  cheats,
  DETECTED_VERDICTS,
  folderOf,
  isMemoryDoubtful,
  nameOf,
  ROUNDS,
  sessionsOf,
  writeKernel,
  writeProblem,
} from '../cheats/cheats.ts';
import { type Lane, lanesOf, onLane } from './aa/session.ts';
import { readUnfinished, saveRecording } from './recorded.ts';

const root = path.resolve(import.meta.dirname, '../..');
const sources = path.join(root, 'dist/kernels/source');
const cli = path.join(root, 'dist/host/cli.js');

const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    anew: { type: 'boolean', default: false },
    repeats: { type: 'string', default: '20' },
    cores: { type: 'string', multiple: true, default: [] },
  },
});
const repeats = parsePositiveInteger('repeats', values.repeats);
const lanes = lanesOf(values.cores);

const machine = cpus()[0]?.model.trim() ?? 'not known';
const isComplete = ({ counts }: RecordedCheats): boolean =>
  cheats.every(({ id }) => counts.some((one) => one.id === id && one.repeats >= repeats));
const before =
  values.keep && !values.anew
    ? readUnfinished<RecordedCheats>('cheats', { machine, rounds: ROUNDS }, isComplete)
    : null;
const commits = new Set(before?.commits ?? []);
const counts = new Map<string, CountedCheat>();
for (const cheat of cheats) {
  const none = { id: cheat.id, repeats: 0, passed: 0, accused: 0, open: 0, found: {}, reasons: [] };
  const kept = before?.counts.find(({ id }) => id === cheat.id);
  counts.set(cheat.id, { ...(kept ?? none), attack: await attackOf(cheat) });
}

const began = performance.now();
function saveCounts(): void {
  if (!values.keep) return;
  saveRecording('cheats', {
    measured: new Date().toISOString(),
    ...{ machine, cores: availableParallelism(), lanes: values.cores, rounds: ROUNDS, commits: [...commits] },
    took_s: (before?.took_s ?? 0) + (performance.now() - began) / 1000,
    counts: [...counts.values()],
  });
}

interface CheatRecord {
  readonly word: string;
  readonly reason: string | null;
}

type Entry =
  | { readonly status: 'refused'; readonly label: string; readonly reason: string }
  | { readonly status: 'measured'; readonly label: string; readonly accuracy: readonly Accuracy[] };

interface PrintedSession {
  readonly program: { readonly commit: string | null };
  readonly entries: readonly Entry[];
}

/** Writes the scenario of a session below `folder`; returns its words on the command line. */
async function writeScenario(cheat: Cheat, folder: string): Promise<readonly string[]> {
  const { id, of } = cheat;
  const at = folderOf(cheat, folder);
  if (!('replaces' in of)) {
    await writeProblem(at, of);
    return [at, '--set', 'solver.threads=2'];
  }
  await mkdir(at, { recursive: true });
  const file = path.join(at, 'scenario.json');
  await writeFile(file, JSON.stringify({ name: id, ...of.document }));
  return [file];
}

type CheatPairs = ReadonlyMap<string, { readonly cheat: CheatRecord; readonly twin: CheatRecord }>;

/**
 * Judges the cheats of one problem, each with its twin, in one session. The command line starts no session with a
 * kernel that it refuses to build; the session is then repeated without it.
 */
async function judgeCheats(
  session: readonly [Cheat, ...Cheat[]],
  { folder, lane, seed }: { readonly folder: string; readonly lane: Lane; readonly seed: number },
  refused: ReadonlyMap<Cheat, string> = new Map(),
): Promise<CheatPairs> {
  const scenario = await writeScenario(session[0], folder);
  const kernels: string[] = [];
  for (const isCheat of [false, true]) {
    for (const cheat of session) {
      if (isCheat && refused.has(cheat)) continue;
      kernels.push(await writeKernel(cheat, isCheat, { folder, sources }));
    }
  }
  const cache = path.join(folder, 'cache');
  const words = ['bench', ...scenario, '--variants', kernels.join(','), '--trust', '--json', '--processes', '0'];
  const limits = ['--rounds', String(ROUNDS), '--time', '120', '--seed', String(seed)];
  const environment = {
    ...{ BRAGGBENCH_HOME: path.join(folder, 'home'), BRAGGBENCH_CACHE: cache },
    // The variable lets a cheat search the cache, as an attacker who knows its location would.
    BRAGGBENCH_CHEATS_CACHE: cache,
  };
  const ended = await promisify(execFile)(...onLane(lane, process.execPath, [cli, ...words, ...limits]), {
    ...{ cwd: folder, maxBuffer: 2 ** 28, timeout: 600_000, env: { ...process.env, ...environment } },
  }).then(
    ({ stdout }) => ({ stdout }),
    ({ stderr, message }: { readonly stderr: string; readonly message: string }) => ({ reason: stderr || message }),
  );
  if ('reason' in ended) {
    const cause = session.find((cheat) => !refused.has(cheat) && ended.reason.includes(nameOf(cheat, true)));
    if (cause === undefined) throw new Error(ended.reason);
    return judgeCheats(session, { folder, lane, seed }, new Map([...refused, [cause, ended.reason.trim()]]));
  }
  const { program, entries } = JSON.parse(ended.stdout) as PrintedSession;
  commits.add(program.commit ?? 'not recorded');
  const of = (cheat: Cheat, isCheat: boolean): CheatRecord => {
    const reason = isCheat ? refused.get(cheat) : undefined;
    if (reason !== undefined) return { word: 'refused', reason };
    const name = nameOf(cheat, isCheat);
    const entry = entries.find(({ label }) => label.includes(name));
    if (entry === undefined) throw new Error(`the session has no ${name}`);
    if (entry.status === 'refused') return { word: 'refused', reason: entry.reason };
    return { word: correctnessOf(entry.accuracy), reason: correctnessReason(entry.accuracy) };
  };
  return new Map(session.map((cheat) => [cheat.id, { cheat: of(cheat, true), twin: of(cheat, false) }]));
}

function countVerdicts(id: string, { cheat, twin }: { readonly cheat: CheatRecord; readonly twin: CheatRecord }): void {
  const so = counts.get(id);
  if (so === undefined) throw new Error(`there is no cheat ${id}`);
  const passed = !DETECTED_VERDICTS.includes(cheat.word) && !isMemoryDoubtful(cheat);
  const accused = twin.word !== 'correct' && !isMemoryDoubtful(twin);
  const said = [
    ...(passed ? [`the cheat was called ${cheat.word}`] : []),
    ...(accused ? [`its twin was called ${twin.word}: ${twin.reason ?? ''}`] : []),
  ];
  for (const line of said) console.log(`${id}: ${line}`);
  counts.set(id, {
    ...so,
    repeats: so.repeats + 1,
    passed: so.passed + Number(passed),
    accused: so.accused + Number(accused),
    open: so.open + Number(isMemoryDoubtful(cheat) || isMemoryDoubtful(twin)),
    found: { ...so.found, [cheat.word]: (so.found[cheat.word] ?? 0) + 1 },
    reasons: [...so.reasons, ...said],
  });
}

const scratch = await mkdtemp(path.join(tmpdir(), 'braggbench-cheats-'));
try {
  const sessions = sessionsOf(cheats, 'each');
  // All sessions of a lane use one folder, which caches the lane's compiled kernels.
  const work = async (lane: Lane): Promise<void> => {
    const mine = sessions.filter((_, i) => i % lanes.length === lane.index);
    const folder = path.join(scratch, `lane-${lane.index}`);
    for (let repeat = 1; repeat <= repeats; repeat += 1) {
      for (const session of mine) {
        if (session.every(({ id }) => (counts.get(id)?.repeats ?? 0) >= repeat)) continue;
        const start = performance.now();
        for (const [id, pair] of await judgeCheats(session, { folder, lane, seed: repeat })) countVerdicts(id, pair);
        saveCounts();
        const took = ((performance.now() - start) / 1000).toFixed(1);
        console.log(`${repeat} of ${repeats}: ${session.map(({ id }) => id).join(', ')}, ${took} s`);
      }
    }
  };
  await Promise.all(lanes.map(work));
} finally {
  await rm(scratch, { recursive: true, force: true, maxRetries: 10 });
}

const all = [...counts.values()];
const sum = (of: (one: CountedCheat) => number): number => all.reduce((total, one) => total + of(one), 0);
const [passed, accused] = [sum((one) => one.passed), sum((one) => one.accused)];
console.log(
  `${sum((one) => one.repeats)} judgements of ${all.length} cheats: ${passed} passed, ${accused} twins accused, ${sum((one) => one.open)} not checked.`,
);
if (values.keep) console.log('Saved as assets/rates/cheats.json. Next: npm run figures -- --only cheats');
process.exitCode = passed + accused === 0 ? 0 : 1;
