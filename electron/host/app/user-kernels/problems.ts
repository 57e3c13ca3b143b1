/**
 * User problems for agents and scripts: lists problem folders, reads a problem, and judges the source of one candidate.
 */

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { correctnessOf, correctnessReason, type Session, type SessionEntry } from '../../../contract/bench/session.ts';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { type ProblemDefinition, USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { type BenchProgress, createLimits, maxRounds } from '../../model/bench/stopping.ts';
import {
  candidateFiles,
  cppSignature,
  problemFileIn,
  readProblemFolder,
} from '../../model/user-kernels/problem-folder.ts';
import { measureSession } from '../../workloads/bench.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { invalidScenarioError, type Scenarios } from '../../workloads/scenarios/scenarios.ts';
import type { UserKernels } from './user-kernels.ts';

/** A problem as text for an agent. */
interface ProblemText {
  readonly folder: string;
  readonly name: string;
  readonly notes: string;
  /** Sizes of the axes with which the problem is measured. */
  readonly sizes: Readonly<Record<string, number>>;
  readonly definition: ProblemDefinition;
  /**
   * Signature of the function `run` for a candidate in C++. CUDA kernels and Python functions have the same parameters
   * in this order.
   */
  readonly signature: string;
  readonly reference: { readonly name: string; readonly text: string };
  /** Files of the folder in the order in which they are measured. */
  readonly candidates: readonly string[];
}

export interface ProblemParts {
  readonly scenarios: Pick<Scenarios, 'read'>;
  readonly userKernels: UserKernels;
  readonly assetsFolder: string;
}

/** Returns those of `root` and its subfolders that contain a problem. */
export async function listProblems(root: string): Promise<readonly string[]> {
  const inside = await readdir(root, { withFileTypes: true }).catch(() => []);
  const folders = [root, ...inside.flatMap((one) => (one.isDirectory() ? [path.join(root, one.name)] : []))];
  return folders.filter((folder) => problemFileIn(folder) !== null);
}

async function readingOf({ scenarios }: Pick<ProblemParts, 'scenarios'>, folder: string) {
  const file = problemFileIn(folder);
  if (file === null) throw new BraggError('not-found', `${folder} has no problem.json`);
  const reading = await scenarios.read(file);
  if (reading.kind !== USER_PROBLEM || reading.problem === null) throw invalidScenarioError(reading.issues);
  return reading;
}

/** Reads the problem in a folder. Throws BraggError `invalid` with all issues and their locations in the document. */
export async function readProblem(parts: Pick<ProblemParts, 'scenarios'>, folder: string): Promise<ProblemText> {
  const { scenario } = await readingOf(parts, folder);
  const found = await readProblemFolder(folder);
  if (found === null || scenario.kind !== USER_PROBLEM) throw new BraggError('not-found', `${folder} has no problem`);
  const { name, definition } = found;
  const text = await readFile(path.join(folder, definition.reference), 'utf8');
  return {
    ...{ folder, name, notes: scenario.notes, sizes: scenario.problem, definition },
    signature: cppSignature(definition),
    reference: { name: definition.reference, text },
    candidates: await candidateFiles(found),
  };
}

export interface Submission {
  readonly folder: string;
  /** File name of the candidate. The file need not exist. */
  readonly id: string;
  readonly text: string;
  /** Candidates of the folder that are measured in the same session. Ratios are relative to the first one. */
  readonly against?: readonly string[];
  /** Time limit of the session in seconds. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly tell?: (progress: BenchProgress) => void;
}

export interface Judgement {
  /** `correct`, `wrong`, `impossible`, `not checked` or `refused`. */
  readonly word: string;
  /**
   * Reason if it is not correct: the first value outside its tolerance, the violated audit, or the compiler's message.
   */
  readonly reason: string | null;
  /** Compiler messages with line numbers. */
  readonly issues: readonly Issue[];
  /** Session entry of the submission. Null if it was not built. */
  readonly entry: SessionEntry | null;
  readonly session: Session | null;
}

/**
 * Builds, checks and measures a candidate like any other kernel. The caller must have checked that the user trusts the
 * folder. Throws BraggError if the problem cannot be read. Errors of the submission are part of the result.
 */
export async function judgeCandidate(parts: ProblemParts, submission: Submission): Promise<Judgement> {
  const { userKernels, assetsFolder } = parts;
  const { folder, id, text, against = [], seconds, signal, tell = () => undefined } = submission;
  const reading = await readingOf(parts, folder);
  const place = { workload: USER_PROBLEM, bench: reading.scenario.name };
  const refusedJudgement = (reason: string, issues: readonly Issue[] = []): Judgement => ({
    ...{ word: 'refused', reason, issues, entry: null, session: null },
  });
  for (const name of [...against.filter((one) => one !== id), id]) {
    const file = path.join(folder, name);
    if (name !== id && !existsSync(file)) throw new BraggError('not-found', `${file} does not exist`);
    try {
      const kernel = await userKernels.open(file, name === id ? text : undefined);
      userKernels.trustInProcess(kernel);
      await userKernels.prepare([name], place, signal);
    } catch (error) {
      if (name !== id || !(error instanceof BraggError)) throw error;
      return refusedJudgement(error.message, error.issues);
    }
  }
  const { benchable } = hostWorkloads[USER_PROBLEM];
  const { session } = await measureSession(
    userKernels.addon,
    benchable,
    {
      ...{
        workload: USER_PROBLEM,
        scenario: place.bench,
        problems: [benchable.problem(reading)],
        seed: 1,
        assetsFolder,
      },
      ...{ documents: [reading.document ?? {}], scenarios: [reading.scenario], sweep: null, external: [], modes: [] },
      variants: [...against.filter((one) => one !== id), id],
      limits: createLimits(maxRounds, seconds),
      created: new Date().toISOString(),
      command: `bench ${folder} --variants ${id}`,
      ...{ userKernels: [], userKernelLimit_s: 0, trace: false },
    },
    { signal, startChild: userKernels.startChild, onProgress: tell },
  );
  const entry = session.reports[0]?.entries.find(({ variant }) => variant === id) ?? null;
  if (entry === null || entry.status === 'refused')
    return { ...refusedJudgement(entry?.reason ?? 'not measured'), entry, session };
  return { word: correctnessOf(entry.accuracy), reason: correctnessReason(entry.accuracy), issues: [], entry, session };
}
