/**
 * Problems in folders that the user selected, and attempts of agents to solve them. Each attempt is compiled, checked,
 * measured and saved.
 */

import { copyFile, mkdir, readdir, readFile, realpath, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { diffLines } from 'diff';
import type { Session } from '../../contract/bench/session.ts';
import { BraggError, messageOf } from '../../contract/errors.ts';
import type { SavedRecording } from '../../contract/recording.ts';
import { USER_PROBLEM } from '../../contract/scenario/user-problem/index.ts';
import { formatLaunches } from '../../contract/scenario/user-problem/resolve.ts';
import { isUserKernelFile, USER_KERNEL_TEXT_MAX } from '../../contract/user-kernels.ts';
import { launchLimitsOf as limitsOfGpu, publishedLimitsOf } from '../../domain/launch/occupancy.ts';
import {
  benchTaskOfReadings,
  createLimits,
  deriveSession,
  maxRounds,
  measureSession,
  readCurrentRules,
  readSessionNamed,
  sessionText,
  type ValidReading,
} from '../../host/api/benches.ts';
import {
  benchKindOf,
  cppSignature,
  descriptionFile,
  descriptionText,
  listProblems,
  problemFileIn,
  problemHash,
  readProblem,
  type UserKernel,
} from '../../host/api/kernels.ts';
import { hostWorkloads } from '../../host/api/scenarios.ts';
import { readConstants } from '../../host/api/studies.ts';
import { forkChild, type Host } from '../../host/index.ts';
import { assetsFolder } from '../assets-folder.ts';
import { CancelledError, MeasurementQueue } from './queue.ts';
import {
  type Attempt,
  attemptResponse,
  compiledResources,
  compilerLines,
  countersText,
  type Ladder,
  meanComparisonTime_s,
  noTimelineReason,
  notCompiledResponse,
  type Problem,
  parseLaunches,
  summarizeTimeline,
} from './results.ts';

/** Largest number of files in a problem folder; typical folders have tens. */
const MAX_FILES = 1000;
/** Largest number of attempts at one problem; typical series have hundreds. */
const MAX_ATTEMPTS = 9999;
/** Architecture for which registers and occupancy are reported if no GPU is available. */
const DEFAULT_ARCHITECTURE = 'sm_90';
/** Free disk space required for an attempt; a session with its source needs less than 1 MiB. */
const MIN_FREE_BYTES = 64 * 2 ** 20;

interface OpenedProblem {
  readonly problem: Problem;
  readonly folder: string;
  readonly file: string;
  readonly kernel: UserKernel;
  /**
   * True for a problem folder, in which candidates are next to the problem's document. Attempts are saved in the
   * library.
   */
  readonly isFolder: boolean;
}

interface Submission {
  readonly problem: string;
  readonly source: string;
  readonly seconds: number;
  readonly language?: 'cpp' | 'py' | 'cu' | undefined;
}

export interface ProgressReporter {
  readonly signal: AbortSignal;
  /** Reports progress. `done` and `total` are seconds of the time budget; `message` describes the current step. */
  readonly report: (done: number, total: number, message: string) => void;
}

interface WorkshopOptions {
  readonly host: Host;
  readonly dataFolder: string;
  readonly folders: readonly string[];
  /** Folders in which agents may submit attempts. */
  readonly trusted: readonly string[];
  /** Longest duration of one session, s. */
  readonly mostSeconds: number;
}

interface SavedAttempt {
  readonly attempt: number;
  readonly file: string;
  readonly source: string;
}

export class Workshop {
  readonly #options: WorkshopOptions;
  readonly #queue: MeasurementQueue;
  readonly #trusted: Promise<ReadonlySet<string>>;

  constructor(options: WorkshopOptions) {
    this.#options = options;
    this.#queue = new MeasurementQueue(options.dataFolder);
    this.#trusted = Promise.all(options.trusted.map((one) => realpath(one))).then((all) => new Set(all));
  }

  async listProblems() {
    const problems: Problem[] = [];
    const unusable: { file: string; reason: string }[] = [];
    for (const folder of this.#options.folders) {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
      for (const name of names.slice(0, MAX_FILES)) {
        const found = await this.#openScenario(path.join(folder, name)).catch((error: unknown) => messageOf(error));
        if (typeof found === 'string') unusable.push({ file: name, reason: found });
        else if (found !== null) problems.push(found.problem);
      }
      for (const inside of (await listProblems(folder)).filter((one) => one !== folder)) {
        const found = await this.#openFolder(inside).catch((error: unknown) => messageOf(error));
        if (typeof found === 'string') unusable.push({ file: path.basename(inside), reason: found });
        else problems.push(found.problem);
      }
    }
    return { version: 1, problems, unusable } as const;
  }

  async readProblem(id: string) {
    const { problem, file, kernel, isFolder } = await this.#findProblem(id);
    const form = isFolder
      ? `Submit one file with ${cppSignature(kernel.candidate?.definition ?? { arrays: [], axes: [] })}, or with a Python function named run that has the same parameters.`
      : `Submit one ${problem.language === 'cu' ? 'CUDA' : 'C++'} file that replaces ${kernel.description.replaces}.`;
    return {
      version: 1,
      problem,
      scenario: await readFile(file, 'utf8'),
      source: kernel.text,
      answer:
        kernel.referenceProgram === null
          ? null
          : { file: kernel.referenceProgram.name, text: kernel.referenceProgram.text },
      rules: [
        form,
        'It is checked against the expected result with hidden inputs and other sizes, in a separate process.',
        'Do not write to inputs, and write every result in every call.',
        `A session takes at most ${this.#options.mostSeconds} seconds; request fewer while you explore.`,
      ],
    } as const;
  }

  async submitAttempt(
    { problem: id, source, seconds, language }: Submission,
    progress: ProgressReporter,
  ): Promise<Attempt> {
    const found = await this.#findProblem(id);
    if (language !== undefined && !found.isFolder && language !== found.problem.language)
      throw new BraggError('invalid', `${id} accepts ${found.problem.language} only; omit language, or use that one`);
    const opened = { ...found, problem: { ...found.problem, language: language ?? found.problem.language } };
    this.#requireTrust(opened);
    if (Buffer.byteLength(source) > USER_KERNEL_TEXT_MAX)
      throw new BraggError(
        'invalid',
        `source is larger than ${USER_KERNEL_TEXT_MAX} bytes, the maximum size of a kernel`,
      );
    // Hold the library's lock, so that clients that submit simultaneously get different numbers.
    const { saved, attempt, kernel, description } = await this.#options.host.files.withLibraryLock(async () => {
      const known = await this.#readAttempts(opened);
      const next = (known.at(-1)?.attempt ?? 0) + 1;
      return { saved: known, attempt: next, ...(await this.#saveAttempt(opened, next, source)) };
    });
    const before = saved.at(-1);
    const common = {
      version: 1,
      attempt,
      file: kernel.id,
      diff: countChangedLines(before?.source ?? opened.kernel.text, source),
    } as const;
    await this.#options.host.trust.add(kernel.sha256, kernel.file);
    progress.report(0, seconds, 'compiles');
    const began = performance.now();
    const { code, issues } = await this.#options.host.userKernels.build(kernel, progress.signal);
    const build_s = (performance.now() - began) / 1000;
    const compiler = compilerLines(issues);
    if (code === null) return { ...common, ...notCompiledResponse(compiler), resources: null };
    const resources = await this.#resources(opened, kernel, progress.signal);
    const best = await this.#bestAttempt(opened, saved);
    const labels = [opened.kernel.id, ...(best === null ? [] : [best.file]), kernel.id];
    const session = await this.#queue.enqueue(
      async () =>
        withBuildTime(await this.#measure(opened, labels, seconds, description, progress), kernel.id, build_s),
      progress.signal,
      (count) =>
        progress.report(
          0,
          seconds,
          count === 0 ? 'waiting for another measurement' : `waiting for ${count} earlier submissions`,
        ),
    );
    if (progress.signal.aborted) throw new CancelledError('The request was cancelled during the measurement.');
    const file = path.join(this.#library, this.#sessionFile(kernel.id));
    await writeFile(file, sessionText(session));
    this.#options.host.files.library.notifyListeners();
    const measured = attemptResponse({
      session,
      label: kernel.id,
      best: best === null ? null : { label: best.file, attempt: best.attempt },
    });
    return { ...common, ...measured, errors: [...measured.errors], resources, compiler, session: path.basename(file) };
  }

  /** Registers and memory of a CUDA kernel; null for a CPU kernel, or without a CUDA compiler. */
  async #resources({ file }: OpenedProblem, kernel: UserKernel, signal: AbortSignal): Promise<Attempt['resources']> {
    if (!kernel.id.endsWith('.cu')) return null;
    const { host } = this.#options;
    const gpu = host.addon.devices().cuda.devices.find(({ usable }) => usable);
    const limits = gpu === undefined ? publishedLimitsOf(DEFAULT_ARCHITECTURE) : limitsOfGpu(gpu);
    if (limits === null) return null;
    try {
      const kernels = await host.userKernels.resources(kernel, limits.architecture, signal);
      const reading = await host.scenarios.read(file, { overrides: [] });
      const sizes = reading.scenario?.kind === USER_PROBLEM ? reading.scenario.problem : {};
      const { candidate, expandedText, id } = kernel;
      const launches =
        candidate === undefined
          ? ''
          : formatLaunches(candidate, sizes, readConstants(expandedText, candidate.constants, id)).text;
      return compiledResources(kernels, parseLaunches(launches), limits);
    } catch (error) {
      if (error instanceof BraggError) return null;
      throw error;
    }
  }

  async listAttempts(id: string): Promise<Ladder> {
    const opened = await this.#findProblem(id);
    const saved = await this.#readAttempts(opened);
    const attempts: Ladder['attempts'][number][] = [];
    let before = opened.kernel.text;
    for (const { attempt, file, source } of saved) {
      const diff = countChangedLines(before, source);
      before = source;
      const session = await this.#currentSession(file);
      const found =
        session === null
          ? ({ verdict: 'not compiled', reason: 'it has no session', time_s: null, vs_reference: null } as const)
          : attemptResponse({ session, label: file, best: null });
      const { verdict, reason, time_s, vs_reference } = found;
      attempts.push({ attempt, file, verdict, reason, time_s, vs_reference, diff });
    }
    const best = (await this.#bestAttempt(opened, saved))?.attempt ?? null;
    return { version: 1, problem: id, best, attempts };
  }

  async explainAttempt(id: string, attempt: number) {
    const { file } = await this.#findAttempt(id, attempt);
    const opened = await this.#findProblem(id);
    const session = await this.#currentSession(file);
    const report = session?.reports[0];
    const entry = report?.entries.find(({ label }) => label === file);
    if (session === null || report === undefined || entry?.status !== 'measured')
      throw new BraggError('not-found', `attempt ${attempt} of ${id} was not measured, so its time is not known`);
    const recording = await this.#recording(file);
    const [timeline, compare_s] = [summarizeTimeline(recording), meanComparisonTime_s(recording)];
    return {
      version: 1,
      attempt,
      limiter: attemptResponse({ session, label: file, best: null }).limiter,
      parts: [
        ...entry.setup_parts.map(({ name, first_s, warm_s }) => ({
          name: `set-up: ${name}`,
          seconds: warm_s ?? first_s,
        })),
        ...(compare_s === null ? [] : [{ name: 'compare', seconds: compare_s }]),
        { name: 'one repetition', seconds: entry.time_s },
      ],
      timeline,
      no_timeline: noTimelineReason(entry.device, timeline.length),
      facts: report.facts
        .filter(([name]) => name !== `Audits of ${report.entries[0]?.label}`)
        .map(([name, value]) => ({ name, value })),
      counters: countersText(entry.device, this.#runCommand(opened, file)),
    } as const;
  }

  /** Command line that runs an attempt, for the sanitizer. */
  async attemptCommand(id: string, attempt: number) {
    const opened = await this.#findProblem(id);
    this.#requireTrust(opened);
    const { file } = await this.#findAttempt(id, attempt);
    return { words: this.#runCommand(opened, file), kernel: file, language: opened.problem.language } as const;
  }

  #runCommand(opened: OpenedProblem, file: string): readonly string[] {
    return ['run', opened.file, '--variant', path.join(this.#library, file), '--trust'];
  }

  get #library(): string {
    return this.#options.host.files.library.folder;
  }

  async #findAttempt(id: string, attempt: number): Promise<SavedAttempt> {
    const saved = await this.#readAttempts(await this.#findProblem(id));
    const found = saved.find((one) => one.attempt === attempt);
    if (found !== undefined) return found;
    const allowed = saved.length === 0 ? 'none yet: create one with submit_kernel' : `1 to ${saved.at(-1)?.attempt}`;
    throw new BraggError('not-found', `${id} has no attempt ${attempt}; allowed: ${allowed}`);
  }

  #requireTrust({ problem, folder }: OpenedProblem): void {
    if (problem.trusted) return;
    throw new BraggError(
      'untrusted',
      `${folder} is not trusted: a submitted kernel is code that runs with the rights of this user. The user must start the server with --trust ${folder}, or open the problem in the window and trust it there for submissions of agents`,
    );
  }

  /**
   * Opens the scenario of a user kernel. Null for other JSON files, such as descriptions of kernels. Throws BraggError.
   */
  async #openScenario(file: string): Promise<OpenedProblem | null> {
    const { host } = this.#options;
    const { kind, scenario } = await host.scenarios.read(file, { overrides: [] });
    if (kind === null || scenario === null || !isUserKernelFile(scenario.solver.variant)) return null;
    const folder = path.dirname(file);
    const kernel = await host.userKernels.open(path.join(folder, scenario.solver.variant));
    host.userKernels.requireMatchingWorkload(kernel.id, benchKindOf(scenario));
    const id = path.basename(file, '.json');
    const trusted = (await this.#trusted).has(await realpath(folder));
    const language = kernel.id.endsWith('.cu') ? 'cu' : 'cpp';
    const { notes } = scenario;
    return {
      folder,
      file,
      kernel,
      problem: { id, title: scenario.name || id, notes, workload: kind, kernel: kernel.id, language, trusted },
      isFolder: false,
    };
  }

  /** Opens a problem folder. Its first candidate is the reference for all attempts. Throws BraggError. */
  async #openFolder(folder: string): Promise<OpenedProblem> {
    const { host } = this.#options;
    const { notes, candidates, name } = await readProblem({ scenarios: host.scenarios }, folder);
    const [first] = candidates;
    const file = problemFileIn(folder);
    if (first === undefined || file === null)
      throw new BraggError('not-found', `${folder} has no candidate to compare attempts with`);
    const kernel = await host.userKernels.open(path.join(folder, first));
    const roots = await this.#trusted;
    const place = await realpath(folder);
    const trusted =
      roots.has(place) ||
      roots.has(await realpath(path.dirname(folder))) ||
      (await host.trust.hasFolder(place, problemHash(kernel)));
    const id = path.basename(folder);
    const language = first.endsWith('.py') ? 'py' : first.endsWith('.cu') ? 'cu' : 'cpp';
    const workload = kernel.base.workload;
    return {
      folder,
      file,
      kernel,
      isFolder: true,
      problem: { id, title: name, notes, workload, kernel: first, language, trusted },
    };
  }

  /**
   * Opens an attempt as a user kernel: in the problem folder with the saved source, or from its files in the library.
   */
  #kernelOf({ folder, isFolder }: OpenedProblem, file: string, source: string): Promise<UserKernel> {
    const { userKernels } = this.#options.host;
    return isFolder
      ? userKernels.open(path.join(folder, file), source)
      : userKernels.open(path.join(this.#library, file));
  }

  async #findProblem(id: string): Promise<OpenedProblem> {
    for (const folder of this.#options.folders) {
      const names = await readdir(folder);
      // Accept only listed names, so that an agent cannot access files outside of the folders.
      const inside = path.join(folder, id);
      if (names.includes(id) && (await listProblems(folder)).includes(inside)) return this.#openFolder(inside);
      if (!names.includes(`${id}.json`)) continue;
      const found = await this.#openScenario(path.join(folder, `${id}.json`));
      if (found !== null) return found;
    }
    throw new BraggError(
      'not-found',
      `there is no problem ${JSON.stringify(id)}; list_problems lists the available ones`,
    );
  }

  #attemptFileName({ problem }: Pick<OpenedProblem, 'problem'>, attempt: number): string {
    return `${problem.id.replace(/[^\w-]/g, '-').slice(0, 30)}-attempt-${String(attempt).padStart(4, '0')}.${problem.language}`;
  }

  #sessionFile(kernel: string): string {
    return kernel.replace(/\.(cu|cpp|py)$/, '.session.json');
  }

  async #readAttempts(opened: OpenedProblem): Promise<readonly SavedAttempt[]> {
    const names = new Set(await readdir(this.#library).catch(() => []));
    const saved: SavedAttempt[] = [];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const languages = opened.isFolder ? (['cpp', 'py', 'cu'] as const) : [opened.problem.language];
      const named = languages.map((language) =>
        this.#attemptFileName({ problem: { ...opened.problem, language } }, attempt),
      );
      const file = named.find((name) => names.has(name));
      if (file === undefined) break;
      saved.push({ attempt, file, source: await readFile(path.join(this.#library, file), 'utf8') });
    }
    return saved;
  }

  /** Reads the saved session of an attempt, with its recordings. */
  #savedSession(file: string): Promise<Session | null> {
    return readSessionNamed(path.join(this.#library, this.#sessionFile(file))).catch(() => null);
  }

  async #currentSession(file: string): Promise<Session | null> {
    const kept = await this.#savedSession(file);
    return kept === null ? null : deriveSession(kept, await readCurrentRules(assetsFolder()));
  }

  async #recording(file: string): Promise<SavedRecording | undefined> {
    const recordings = (await this.#savedSession(file))?.reports[0]?.recordings;
    return recordings?.find(({ label }) => label === file);
  }

  /**
   * Fastest attempt, if it is certainly faster than the reference. Ratios to the reference make sessions of different
   * days comparable.
   */
  async #bestAttempt(opened: OpenedProblem, saved: readonly SavedAttempt[]): Promise<SavedAttempt | null> {
    let best: { readonly one: SavedAttempt; readonly gain: number } | null = null;
    for (const one of saved) {
      const session = await this.#currentSession(one.file);
      if (session === null) continue;
      const { speed, vs_reference } = attemptResponse({ session, label: one.file, best: null });
      if (speed === 'faster' && vs_reference !== null && vs_reference.value > (best?.gain ?? 1))
        best = { one, gain: vs_reference.value };
    }
    if (best === null) return null;
    const kernel = await this.#kernelOf(opened, best.one.file, best.one.source).catch(() => null);
    return kernel !== null &&
      this.#options.host.userKernels.isTrusted(kernel) &&
      kernel.base.workload === opened.kernel.base.workload &&
      kernel.base.bench === opened.kernel.base.bench
      ? best.one
      : null;
  }

  /** Saves the source, its description and the program for the expected answer in the library. */
  async #saveAttempt(opened: OpenedProblem, attempt: number, source: string) {
    if (attempt > MAX_ATTEMPTS)
      throw new BraggError('invalid', `${opened.problem.id} already has ${MAX_ATTEMPTS} attempts, the maximum`);
    await mkdir(this.#library, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(this.#library);
    if (bavail * bsize < MIN_FREE_BYTES)
      throw new BraggError(
        'no-space',
        `${this.#library} has less than ${MIN_FREE_BYTES / 2 ** 20} MiB of free space; free some, then submit again`,
      );
    const name = this.#attemptFileName(opened, attempt);
    const file = path.join(this.#library, name);
    const { description, referenceProgram: answer } = opened.kernel;
    if (answer !== null && !opened.isFolder) {
      const program = path.join(this.#library, answer.name);
      const programText = await readFile(program, 'utf8').catch(() => null);
      if (programText !== null && programText !== answer.text)
        throw new BraggError(
          'exists',
          `${program} is not the expected-result program of ${opened.problem.id}, but has its name; rename one of them`,
        );
      if (programText === null) await copyFile(path.join(opened.folder, answer.name), program);
    }
    await writeFile(file, source, { flag: 'wx' });
    if (!opened.isFolder)
      await writeFile(descriptionFile(file), descriptionText({ ...description, title: `Attempt ${attempt}` }), {
        flag: 'wx',
      });
    return {
      kernel: await this.#kernelOf(opened, name, source),
      description: `submit_kernel ${opened.problem.id}`,
    };
  }

  async #measure(
    { file, kernel }: OpenedProblem,
    labels: readonly string[],
    seconds: number,
    command: string,
    { signal, report }: ProgressReporter,
  ): Promise<Session> {
    const { host } = this.#options;
    const reading = await host.scenarios.read(file, { overrides: [] });
    if (reading.kind === null || reading.problem === null)
      throw new BraggError('invalid', `${path.basename(file)} cannot be run`);
    const known: ValidReading = reading;
    await host.trust.add(kernel.sha256, kernel.file);
    await host.userKernels.prepare(labels, benchKindOf(known.scenario ?? { kind: known.kind }), signal);
    const { benchable } = hostWorkloads[known.kind];
    const task = await benchTaskOfReadings(benchable, [known], {
      scenario: known.scenario?.name || path.basename(file),
      variants: labels,
      processes: 0,
      limits: createLimits(maxRounds, seconds, {}),
      assetsFolder: assetsFolder(),
      command,
      // Always trace, because that only adds one sample of about a millisecond.
      trace: true,
      withoutClaims: true,
    });
    const { session } = await measureSession(host.addon, benchable, task, {
      signal,
      startChild: forkChild,
      onProgress: ({ phase, elapsed_s }) => report(Math.min(elapsed_s, seconds), seconds, phase),
    });
    return session;
  }
}

/** Adds the build time to the set-up parts of an attempt, because the session itself does not include it. */
function withBuildTime(session: Session, label: string, build_s: number): Session {
  const build = { name: 'build', first_s: build_s, warm_s: null };
  const reports = session.reports.map((report) => ({
    ...report,
    entries: report.entries.map((one) =>
      one.status === 'measured' && one.label === label ? { ...one, setup_parts: [build, ...one.setup_parts] } : one,
    ),
  }));
  return { ...session, reports };
}

function countChangedLines(before: string, after: string): Attempt['diff'] {
  const parts = diffLines(before, after, { timeout: 1000 }) ?? [];
  const lines = (of: (part: { added: boolean; removed: boolean }) => boolean): number =>
    parts.filter(of).reduce((sum, { count }) => sum + count, 0);
  return { added: lines(({ added }) => added), removed: lines(({ removed }) => removed) };
}
