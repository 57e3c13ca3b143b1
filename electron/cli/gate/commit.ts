/** `gate --baseline COMMIT`: measures the kernel of a commit and the current kernel in the same rounds. */

import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { SessionEntry, SessionReport } from '../../contract/bench/session.ts';
import { BraggError } from '../../contract/errors.ts';
import { isUserKernelFile, USER_KERNEL_TEXT_MAX } from '../../contract/user-kernels.ts';
import { percent } from '../../domain/numbers.ts';
import { kernelFolders } from '../../host/api/benches.ts';
import {
  benchKindOf,
  candidateFiles,
  descriptionFile,
  findReplaceableFiles,
  kernelExtension,
  problemFileIn,
  readProblemFolder,
} from '../../host/api/kernels.ts';
import { rulesOf } from '../../host/api/scenarios.ts';
import { UsageError } from '../arguments.ts';
import { readScenario, scenarioPath } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import type { VerbContext } from '../verb.ts';
import { workloadFor } from '../workloads/index.ts';
import {
  answerVerdict,
  type Evidence,
  type GateRequest,
  type GateResult,
  gateSession,
  isUsableBaseline,
  type JudgedVariant,
  needsConfirmation,
  noiseFloorOf,
  timeVerdict,
} from './verdict.ts';

/** Largest number of files in a kernel folder; typical folders have tens. */
const MAX_FILES = 1000;
const GIT_TIMEOUT_MS = 60_000;

async function runGit(folder: string, words: readonly string[]): Promise<Buffer> {
  const options = {
    cwd: folder,
    encoding: 'buffer',
    maxBuffer: 64 * 2 ** 20,
    timeout: GIT_TIMEOUT_MS,
    windowsHide: true,
  } as const;
  const { stdout } = await promisify(execFile)('git', [...words], options);
  return stdout;
}

/** Full hash of a commit. Throws BraggError if `name` is not a commit, or if `folder` is not in a repository. */
async function resolveCommit(folder: string, name: string): Promise<string> {
  try {
    return (await runGit(folder, ['rev-parse', '--verify', '--end-of-options', `${name}^{commit}`]))
      .toString('utf8')
      .trim();
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'git could not be started' : `${folder} has no commit with this name`;
    const allowed = 'a session file of bench (.json), or a commit such as HEAD~1 or origin/main';
    throw new BraggError('not-found', `--baseline ${JSON.stringify(name)}: ${why}; allowed: ${allowed}`, [], {
      cause: error,
    });
  }
}

async function topFolder(folder: string): Promise<string> {
  return (await runGit(folder, ['rev-parse', '--show-toplevel'])).toString('utf8').trim();
}

/** Copies the text files of `folder` from the commit to `target`. Links, submodules and large files are omitted. */
async function checkOutFolder(folder: string, commit: string, target: string): Promise<void> {
  const listed = (await runGit(folder, ['ls-tree', '-r', '-l', '-z', commit, '--', '.'])).toString('utf8');
  const files = listed.split('\0').flatMap((line) => {
    const [, mode, object = '', size, name = ''] = /^(\d{6}) \S+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(line) ?? [];
    const plain = mode === '100644' || mode === '100755';
    return plain && Number(size) <= USER_KERNEL_TEXT_MAX ? [{ object, name }] : [];
  });
  if (files.length > MAX_FILES)
    throw new BraggError(
      'invalid',
      `${folder} has ${files.length} files in ${commit}; allowed: ${MAX_FILES} files next to a kernel`,
    );
  for (const { object, name } of files) {
    const file = path.resolve(target, name);
    if (!file.startsWith(path.resolve(target) + path.sep))
      throw new BraggError('invalid', `${JSON.stringify(name)} in ${commit} is outside of ${folder}`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, await runGit(folder, ['cat-file', 'blob', object]));
  }
}

/**
 * Contents of a file in a commit; null if the commit does not have it. The path is relative to the top folder of the
 * repository.
 */
async function readFileInCommit(top: string, commit: string, file: string): Promise<string | null> {
  const found = await runGit(top, ['cat-file', 'blob', `${commit}:${file}`]).catch(() => null);
  return found?.toString('utf8') ?? null;
}

/**
 * Files to measure for one variant: the kernel of the commit, its second copy for the A/A comparison, and the current
 * kernel.
 */
interface MeasuredKernels {
  readonly variant: string;
  readonly baseline: string;
  readonly again: string;
  readonly now: string;
}

/** Largest number of sessions per variant: calibration, measurement and confirmation. */
const MAX_SESSIONS = 3;

const isKernelFile = (name: string): boolean => isUserKernelFile(path.basename(name));

/** Copies a kernel with its description. The copy needs a new name, because the file name is the kernel's id. */
async function copyKernel(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  // Candidates in a problem folder have one description in common, which is not copied.
  if (problemFileIn(path.dirname(from)) === null) await copyFile(descriptionFile(from), descriptionFile(to));
}

async function kernelsOfFile(variant: string, commit: string, target: string): Promise<MeasuredKernels> {
  const now = path.resolve(variant);
  const [folder, id] = [path.dirname(now), path.basename(now)];
  await checkOutFolder(folder, commit, target);
  const [old, baseline, again] = [id, `baseline-${id}`, `again-${id}`].map((name) => path.join(target, name));
  if (old === undefined || baseline === undefined || again === undefined)
    throw new Error('the file name occurs three times');
  for (const copy of [baseline, again]) {
    await copyKernel(old, copy).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new BraggError(
        'not-found',
        `${variant}: commit ${commit.slice(0, 9)} does not contain ${path.basename(error.path ?? id)}`,
      );
    });
  }
  return { variant, baseline, again, now };
}

/**
 * Creates the files for a built-in variant, as user kernels: from its one file that differs between the commits, or
 * from its first file.
 */
async function kernelsOfBuiltIn(
  context: VerbContext,
  id: string,
  commit: string,
  top: string,
  target: string,
): Promise<MeasuredKernels> {
  return withHost(async (host) => {
    const reading = await readScenario(context, host, (kind) => workloadFor(kind).adapt);
    const place = benchKindOf(reading.scenario ?? { kind: reading.kind });
    const base = host.userKernels
      .bases()
      .find((one) => one.id === id && one.workload === place.workload && one.bench === place.bench);
    if (base === undefined)
      throw new UsageError(`--variants: ${id} is neither a variant of this scenario nor a .cu or .cpp file`);
    const { files, reason } = await findReplaceableFiles(kernelFolders().sources, base, rulesOf(base));
    if (reason !== null) throw new UsageError(`--variants: ${id}: ${reason}`);
    const texts = await Promise.all(
      files.map(async (file) => ({
        file,
        before: await readFileInCommit(top, commit, file),
        now: await readFile(path.join(top, file), 'utf8').catch(() => null),
      })),
    );
    const changed = texts.filter(({ before, now }) => before !== now);
    if (changed.length > 1) {
      const names = changed.map(({ file }) => file).join(', ');
      throw new UsageError(
        `--variants: ${id} differs from ${commit.slice(0, 9)} in ${names}; allowed: one file, because a user kernel replaces one`,
      );
    }
    const one = changed[0] ?? texts[0];
    if (one === undefined || one.before === null || one.now === null)
      throw new UsageError(
        `--variants: ${id}: ${one?.file ?? files.join(', ')} is not in both ${commit.slice(0, 9)} and ${top}`,
      );
    const write = async (prefix: string, text: string): Promise<string> => {
      const file = path.join(target, `${prefix}-${id}${kernelExtension(base)}`);
      const { workload, bench } = base;
      const description = {
        kind: 'variant',
        version: 1,
        workload,
        ...(bench === '' ? {} : { bench }),
        base: id,
        replaces: one.file,
        title: `${prefix} ${id}`,
      };
      await writeFile(file, text);
      await writeFile(descriptionFile(file), JSON.stringify(description));
      return file;
    };
    return {
      variant: id,
      baseline: await write('baseline', one.before),
      again: await write('again', one.before),
      now: await write('now', one.now),
    };
  });
}

/**
 * Variants from --variants; by default, all candidates of a problem folder, or the kernel that the scenario selects.
 */
async function requestedVariants(context: VerbContext, { variants }: GateRequest): Promise<readonly string[]> {
  if (variants !== null) return variants;
  const folder = path.dirname(scenarioPath(context.parsed.operands[0] ?? ''));
  const id = await withHost(
    async (host) =>
      (await readScenario(context, host, (kind) => workloadFor(kind).adapt)).scenario?.solver.variant ?? '',
  );
  const problem = id === 'auto' ? await readProblemFolder(folder) : null;
  if (problem !== null) return (await candidateFiles(problem)).map((name) => path.join(folder, name));
  return [isKernelFile(id) ? path.join(folder, id) : id];
}

function readEntries({
  reports,
}: {
  readonly reports: readonly SessionReport[];
}): readonly (SessionEntry | undefined)[] {
  return reports[0]?.entries ?? [];
}

function sessionEvidence(before: SessionEntry | undefined, after: SessionEntry | undefined): Evidence | null {
  if (before?.status !== 'measured' || after?.status !== 'measured') return null;
  return { before_s: before.time_s, after_s: after.time_s, ratio: after.ratio };
}

async function judgedVariant(
  context: VerbContext,
  trio: MeasuredKernels,
  request: GateRequest,
  seconds: number,
): Promise<{ readonly found: JudgedVariant; readonly report: SessionReport | undefined }> {
  const { variant, baseline, again, now } = trio;
  let number = 0;
  const session = async (...names: readonly string[]) => {
    context.terminal.printNote(
      `${variant}: session ${number + 1}, ${['equal code', 'measures', 'confirms'][number] ?? ''}`,
    );
    const measured = await gateSession(context, names, request, { seconds, number });
    number += 1;
    return measured;
  };
  const calibrated = await session(baseline, again);
  const [first, second] = readEntries(calibrated);
  const report = calibrated.reports[0];
  const none = { variant, sessions: [], floor: null };
  const compared = second?.status === 'measured' ? noiseFloorOf(second.ratio) : null;
  const floor = compared === null ? null : Math.max(compared, report?.noise.floor ?? 0);
  const sessions: Evidence[] = [];
  do {
    const measured = await session(baseline, now);
    const [before, after] = readEntries(measured);
    const answer = answerVerdict(after);
    if (answer !== null) return { found: { ...none, ...answer, sessions, floor }, report };
    if (!isUsableBaseline(first) || !isUsableBaseline(before)) {
      const reason = `the baseline contains no usable time: ${answerVerdict(before)?.reason ?? 'it was not measured'}`;
      return { found: { ...none, verdict: 'undecided', reason, floor }, report };
    }
    const evidence = sessionEvidence(before, after);
    if (evidence !== null) sessions.push(evidence);
  } while (needsConfirmation(sessions, floor, request.allowed) && number < MAX_SESSIONS);
  return { found: { variant, sessions, floor, ...timeVerdict(sessions, floor, request.allowed) }, report };
}

export async function gateAgainstCommit(context: VerbContext, name: string, request: GateRequest): Promise<GateResult> {
  const operand = scenarioPath(context.parsed.operands[0] ?? '');
  const names = await requestedVariants(context, request);
  const [kernel] = names.filter(isKernelFile);
  const place = kernel === undefined ? process.cwd() : path.dirname(path.resolve(kernel));
  const commit = await resolveCommit(place, name);
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-gate-'));
  try {
    const variants: JudgedVariant[] = [];
    const facts = new Set([
      `Baseline: commit ${commit.slice(0, 12)} (${name}); scenario ${operand} in its current version.`,
    ]);
    for (const [i, variant] of names.entries()) {
      const target = await mkdtemp(path.join(folder, `${i}-`));
      const trio = isKernelFile(variant)
        ? await kernelsOfFile(variant, commit, target)
        : await kernelsOfBuiltIn(context, variant, commit, await topFolder(place), target);
      if (!isKernelFile(variant))
        facts.add(
          `For ${variant}, only its kernel file is taken from the commit; both builds use the current headers and engine.`,
        );
      const { found, report } = await judgedVariant(
        context,
        trio,
        request,
        request.seconds / (MAX_SESSIONS * names.length),
      );
      variants.push(found);
      const load = report?.environment?.other_load_cores ?? null;
      if (report !== undefined)
        facts.add(
          `Runner: ${report.machine.cpu}, ${report.machine.logical_cores} logical cores${load === null ? '' : `; other programs used ${load.toFixed(1)} of them`}.`,
        );
      if (found.floor !== null)
        facts.add(`On this runner, times of identical code of ${variant} differ by up to ${percent(found.floor)}.`);
    }
    return { variants, facts: [...facts] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
