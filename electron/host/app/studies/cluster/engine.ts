/**
 * Gives a study to a cluster and brings its results while they come. The study goes there as a packed project, this
 * program's own `--on slurm` works there, and what ends is copied here. Its jobs outlive this process and the connection.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { BraggError } from '../../../../contract/errors.ts';
import { cameSchema } from '../../../../contract/projects/project.ts';
import type { Cluster } from '../../../../contract/study/clusters.ts';
import { writeOn } from '../../../model/studies/on.ts';
import { packProject } from '../../projects/pack.ts';
import type { LocalOptions } from '../local/engine.ts';
import { type Go, type StudyOutcome, watchedGo } from '../local/go.ts';
import { quoted } from '../slurm/script.ts';
import { keepBrought, lackingHere } from './bring.ts';
import { Login, type Started } from './login.ts';

/** Polling interval for results: longer while none arrive, and at least `PART` times the duration of a poll. */
const ASK_MS = { soonest: 1000, latest: 15_000 } as const;
const PART = 4;
/** Results that come at once. */
const AT_ONCE = 200;
/**
 * Longest waits for the process there to end: after a stop request, when it cancels its jobs first, and after its input
 * has closed.
 */
const [STOP_MS, LEAVE_MS] = [60_000, 3000];

interface ClusterOptions extends Omit<LocalOptions, 'share' | 'job' | 'assetsFolder'> {
  readonly cluster: Cluster;
  /** The machine itself solves the points, without Slurm. */
  readonly direct?: boolean;
  /** Points that failed there are tried again. */
  readonly retry: boolean;
}

/** Configurations of a search are compared by their times, so one machine measures them. */
export function refuseSearch(search: unknown, cluster: Pick<Cluster, 'name'> | null): void {
  if (search === undefined || cluster === null) return;
  throw new BraggError('invalid', `A search measures on one machine: ${cluster.name} has no part in it.`);
}

const [MOST_TRIES, HELD_MS] = [5, 2000];

const isHeld = (error: unknown): boolean =>
  error instanceof BraggError && error.message.includes('is being run by another process');

const unpackedSchema = z.looseObject({ came: z.array(cameSchema) });
const outcomeSchema = z.looseObject({ end: z.enum(['whole', 'stopped', 'cancelled', 'budget']) });

function jsonIn<T>(output: Buffer, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(output.toString('utf8')));
  } catch {
    return null;
  }
}

/** Throws a BraggError of one sentence when ssh, sbatch or the program there do not do it. */
export async function solveOnCluster(options: ClusterOptions): Promise<StudyOutcome> {
  const login = new Login(options.cluster);
  return watchedGo({ ...options, left: options.lines.length, job: null }, async (go) => {
    const study = await send(login, options);
    if (options.direct !== true) await writeOn(options.folder.folder, { cluster: login.cluster.name, there: study });
    const there = placeOf(study);
    const program = await login.program();
    const wanted = new Set(options.lines.map(({ id }) => id));
    for (let tries = 1; ; tries += 1) {
      const watcher = login.start(watchScript(program, there, options));
      try {
        await watch({ ...options, login, there, program, watcher, go, wanted });
        return {};
      } catch (error) {
        // The one that watched for an earlier connection is about to leave.
        if (!isHeld(error) || tries >= MOST_TRIES || go.signal.aborted) throw error;
        await sleep(HELD_MS, undefined, { ref: false });
      }
    }
  });
}

const placeOf = (study: string): string => `studies/${study}.study`;

/** Cancels its jobs, where nobody watches them from here. */
export async function stopOnCluster(cluster: Cluster, study: string): Promise<void> {
  const login = new Login(cluster);
  await login.run(`${await login.program()} study stop ${quoted(placeOf(study))}`);
}

/** Uploads the study; returns its name there. */
async function send(login: Login, { folder, host }: ClusterOptions): Promise<string> {
  const name = path.basename(folder.folder, '.study');
  const packed = await packProject({
    ...{ name, program: host.capabilities().version, files: [], notesFolder: null },
    studies: [{ name, folder: folder.folder }],
  });
  const file = `${name}.${process.pid}.braggbench`;
  const unpack = `${await login.program()} project unpack ${quoted(file)} --into . --json`;
  const output = await login.run(
    `cat > ${quoted(file)} || exit\n${unpack}\nc=$?\nrm -f ${quoted(file)}\nexit $c`,
    packed,
  );
  const came = jsonIn(output, unpackedSchema)?.came.find(({ part }) => part === 'study');
  if (came !== undefined) return came.as;
  throw new BraggError('unsupported', `${login.cluster.name}: its Braggbench did not take the study.`);
}

/** Works there until it is whole, and leaves its jobs when nobody listens any more: its input ends then. */
function watchScript(program: string, there: string, { cluster, direct = false, retry }: ClusterOptions): string {
  const { sbatch, cores } = cluster;
  const words = ['study', 'resume', there, '--json', '--yes'];
  if (!direct) words.push('--on', 'slurm', '--cores', `${cores}`);
  if (sbatch.trim() !== '') words.push('--sbatch', sbatch);
  return [
    ...(retry ? [`find ${quoted(`${there}/results`)} -name '*.failed.json' -delete 2>/dev/null`] : []),
    'exec 3<&0',
    `${program} ${words.map(quoted).join(' ')} </dev/null 3<&- &`,
    'child=$!',
    '{ cat <&3 >/dev/null; kill -INT $child; } >/dev/null 2>&1 &',
    'wait $child',
  ].join('\n');
}

interface Watch extends ClusterOptions {
  readonly login: Login;
  readonly there: string;
  readonly program: string;
  readonly watcher: Started;
  readonly go: Go;
  /** Points of this go without a result. */
  readonly wanted: Set<string>;
}

async function watch(all: Watch): Promise<void> {
  const { login, there, program, watcher, go, folder } = all;
  let over = false;
  void watcher.ended.then(() => {
    over = true;
  });
  const within = (ms: number): Promise<unknown> => Promise.race([watcher.ended, sleep(ms, undefined, { ref: false })]);
  try {
    for (let wait_ms: number = ASK_MS.soonest; !over && !go.signal.aborted; ) {
      const woken = new AbortController();
      const wake = (): void => woken.abort();
      go.signal.addEventListener('abort', wake, { once: true });
      void watcher.ended.then(wake);
      await sleep(wait_ms, undefined, { signal: woken.signal }).catch(() => undefined);
      go.signal.removeEventListener('abort', wake);
      if (over || go.signal.aborted) break;
      const begun_ms = performance.now();
      // A failed poll is repeated later; the watching process reports a lost connection.
      const came = await bring(all).catch(() => 0);
      const part_ms = PART * (performance.now() - begun_ms);
      wait_ms = Math.max(part_ms, came > 0 ? ASK_MS.soonest : Math.min(1.5 * wait_ms, ASK_MS.latest));
    }
    if (!over && (await folder.isAskedToStop())) {
      await login.run(`${program} study stop ${quoted(there)}`);
      await within(STOP_MS);
    }
    if (!over) {
      watcher.child.stdin?.end();
      await within(LEAVE_MS);
    }
    if (!over) return;
    const said = await watcher.ended;
    await bring(all);
    if (!go.signal.aborted && jsonIn(said.stdout, outcomeSchema) === null) throw login.fault(said);
  } finally {
    watcher.child.stdin?.end();
    if (!over) watcher.child.kill();
  }
}

/** Downloads new results; returns their number. */
async function bring({ login, there, folder, wanted, go }: Watch): Promise<number> {
  const at = `cd ${quoted(there)} || exit`;
  const listing = await login.run(`${at}\nif [ -d results ]; then find results -type f -name '*.json'; fi`);
  const names = await lackingHere({ folder: folder.folder, listing });
  let came = 0;
  for (let i = 0; i < names.length; i += AT_ONCE) {
    const some = names.slice(i, i + AT_ONCE);
    // One that was tried again meanwhile is not there: the others are.
    const output = await login.run(`${at}\nxargs cat 2>/dev/null || true`, `${some.join('\n')}\n`);
    const brought = await keepBrought({ folder: folder.folder, names: some, lines: output });
    for (const { id, status } of brought) if (wanted.delete(id)) go.ended(status);
    came += brought.length;
  }
  return came;
}
