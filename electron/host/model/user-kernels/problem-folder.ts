/**
 * Reads the folder of a user problem: its document, and its candidates as user kernels. Also defines the shipped
 * variants on which user kernels can be based, and which of their files may be replaced.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseAttemptFileName } from '../../../contract/bench/history.ts';
import type { Variant } from '../../../contract/capabilities.ts';
import { BraggError } from '../../../contract/errors.ts';
import { formatIssue, validateScenario } from '../../../contract/scenario/index.ts';
import {
  definitionSchema,
  type ProblemCandidate,
  type ProblemDefinition,
  type ProblemType,
  USER_PROBLEM,
} from '../../../contract/scenario/user-problem/index.ts';
import { isUserKernelFile, USER_KERNEL_TEXT_MAX, type UserKernelDescription } from '../../../contract/user-kernels.ts';
import { readText } from '../../io/text/read.ts';
import { parseTextOnThread } from '../scenarios/parse.ts';
import { expandIncludes, type IncludedFile } from './includes.ts';

/** A shipped variant on which user kernels can be based. */
export type UserKernelBase = Omit<Variant, 'precisions'>;

/** Rules of a workload for the files of its variants that a user may replace. */
export interface ReplaceRules {
  /** Whether a user's copy may replace the file with this name. */
  readonly replaceable: (name: string, device: Variant['device']) => boolean;
  /** Reason, in one sentence, why no file of a variant can be replaced; null if some can. */
  readonly fixed: (base: UserKernelBase) => string | null;
}

/** Allowed file names for the document of a problem. */
const documents = ['problem.json', 'problem.yaml', 'problem.yml'] as const;

/** Properties that candidates have in addition to those of all user kernels. */
export interface CandidateProperties {
  readonly definition: ProblemDefinition;
  readonly launches: ProblemCandidate['launches'];
  /** Names of constants in the candidate's source that its launches may use. */
  readonly constants: readonly string[];
}

export interface ProblemFolder {
  readonly file: string;
  /** Name of the problem, which is also the name of its benchmark. */
  readonly name: string;
  readonly definition: ProblemDefinition;
}

/** Path of the problem's document in a folder; null if there is none. */
export function problemFileIn(folder: string): string | null {
  return documents.map((name) => path.join(folder, name)).find((file) => existsSync(file)) ?? null;
}

/** Reads the problem in a folder; null if there is none. Throws BraggError `invalid` that lists all issues. */
export async function readProblemFolder(folder: string): Promise<ProblemFolder | null> {
  const file = problemFileIn(folder);
  if (file === null) return null;
  const read = await readText(file, USER_KERNEL_TEXT_MAX);
  if (!read.ok) throw new BraggError('not-found', `${file}: ${read.reason}`);
  const { value, issues, locate } = await parseTextOnThread(read.text, file);
  const { document, filled, faults } = validateScenario(value ?? null);
  const all = [...issues, ...faults.map(locate)];
  const [first] = all;
  if (document === null || filled?.kind !== USER_PROBLEM) {
    const says = first === undefined ? `${file} is not a problem; allowed: kind: ${USER_PROBLEM}` : formatIssue(first);
    throw new BraggError('invalid', says, all);
  }
  const definition = definitionSchema.parse(
    Object.fromEntries(Object.keys(definitionSchema.shape).map((key) => [key, filled[key as keyof ProblemDefinition]])),
  );
  return { file, name: filled.name, definition };
}

/**
 * Files of the candidates: first those that the document lists, in its order, then others, and last those that agents
 * wrote (attempts).
 */
export async function candidateFiles({ file, definition }: ProblemFolder): Promise<readonly string[]> {
  const declared = definition.candidates.map((one) => one.file);
  const present = (await readdir(path.dirname(file)).catch(() => [])).filter(isUserKernelFile).sort();
  const others = present.filter((name) => name !== definition.reference && !declared.includes(name));
  // Attempts come last: the first candidate is the reference of a session, which an attempt must not be.
  const isAttempt = (name: string): boolean => parseAttemptFileName(name) !== null;
  return [...declared, ...others.filter((name) => !isAttempt(name)), ...others.filter(isAttempt)];
}

const cppTypes: Readonly<Record<ProblemType, string>> = {
  fp64: 'double',
  fp32: 'float',
  tf32: 'float',
  fp16: 'fp16',
  bf16: 'bf16',
  int32: 'std::int32_t',
  int8: 'std::int8_t',
  bool: 'std::uint8_t',
  complex64: 'std::complex<float>',
  complex128: 'std::complex<double>',
};

/** Parameters of the C++ function `run`, as shown in messages and in the editor. */
export function cppSignature({ arrays, axes }: Pick<ProblemDefinition, 'arrays' | 'axes'>): string {
  const pointers = arrays.map(
    ({ name, role, type }) => `${role === 'input' ? 'const ' : ''}${cppTypes[type]}* ${name}`,
  );
  return `void run(${[...pointers, ...axes.map(({ name }) => `int ${name}`)].join(', ')})`;
}

/**
 * Complete source of a candidate: declarations, its own text, and a call of `run`. Line numbers of the text do not
 * change.
 */
function completeSource(id: string, text: string, { arrays, axes }: ProblemDefinition): string {
  const from = arrays.map(
    ({ role, type }, i) => `static_cast<${role === 'input' ? 'const ' : ''}${cppTypes[type]}*>(from.arrays[${i}])`,
  );
  const given = [...from, ...axes.map((_, i) => `from.axes[${i}]`)].join(', ');
  return [
    '#include "user_problem/candidate.hpp"',
    'using bb::user_problem::bf16, bb::user_problem::fp16, bb::user_problem::in_parallel;',
    `#line 1 "${id}"`,
    text,
    `#line 1 "${id}"`,
    `namespace bb::user_problem { void call(const Call& from) { ::run(${given}); } }`,
    '',
  ].join('\n');
}

/** Base variant of candidates and the shipped file that they replace, by file extension. */
const places = {
  '.cpp': { variant: 'problem-cpu', file: 'candidate.cpp' },
  '.cu': { variant: 'problem-cuda', file: 'candidate.cu' },
  '.py': { variant: 'problem-python', file: 'runner.py' },
} as const;

/** Reads a candidate; hash and location are added by the caller. Throws a BraggError. */
export async function readCandidate(
  file: string,
  text: string,
  { name, definition }: ProblemFolder,
  bases: readonly UserKernelBase[],
) {
  const id = path.basename(file);
  const ending = path.extname(id) as keyof typeof places;
  const declared = definition.candidates.find((one) => one.file === id);
  // A CUDA file that the document does not list uses the launches of the first candidate that has some.
  const launches = (declared ?? definition.candidates.find((one) => one.launches.length > 0))?.launches ?? [];
  const place = places[ending];
  const found = bases.find((one) => one.workload === USER_PROBLEM && one.id === place.variant);
  if (found === undefined) throw new BraggError('unsupported', `${id}: the solver does not support user problems yet`);
  if (ending === '.cu' && launches.length === 0) {
    throw new BraggError(
      'invalid',
      `${id}: a .cu file needs its launches in the problem; allowed: candidates: [{ file: ${id}, launches: [{ kernel, grid, block }] }]`,
    );
  }
  const base: UserKernelBase = { ...found, bench: name };
  const { expandedText, included, includeErrors } =
    ending === '.py' ? { expandedText: text, included: [], includeErrors: [] } : await expandIncludes(file, text);
  const description: UserKernelDescription = {
    ...{ kind: 'variant', version: 1, workload: USER_PROBLEM, bench: name, base: base.id },
    replaces: `kernels/user_problem/${place.file}`,
    title: declared?.title || path.parse(id).name,
    changes: declared?.changes ?? '',
    compile: {},
    tunables: declared?.tunables ?? [],
    conditions: declared?.conditions ?? [],
  };
  const candidate: CandidateProperties = {
    definition,
    launches: ending === '.cu' ? launches : [],
    constants: description.tunables.map((one) => one.name),
  };
  return {
    ...{ id, base, description, candidate, includeErrors },
    expandedText: ending === '.cpp' ? completeSource(id, expandedText, definition) : expandedText,
    referenceProgram: await readReference(path.dirname(file), definition.reference),
    included,
  };
}

/**
 * Reads the reference program of a problem. It runs with the user's rights, so its text is part of what the user
 * trusts.
 */
async function readReference(folder: string, reference: string): Promise<IncludedFile> {
  const file = path.join(folder, reference);
  const found = await readText(file, USER_KERNEL_TEXT_MAX);
  if (!found.ok) throw new BraggError('not-found', `${file}: ${found.reason}; the problem needs this reference`);
  if (!reference.endsWith('.cpp')) return { name: reference, text: found.text };
  const { expandedText, includeErrors } = await expandIncludes(file, found.text);
  if (includeErrors.length > 0) throw new BraggError('invalid', includeErrors[0]?.message ?? reference, includeErrors);
  return { name: reference, text: expandedText };
}
