/** A folder with a problem of the user: its document, and a candidate of it as a user kernel. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { formatIssue, validateScenario } from '../../../contract/scenario/index.ts';
import {
  definitionSchema,
  type ProblemCandidate,
  type ProblemDefinition,
  type ProblemType,
  USER_PROBLEM,
} from '../../../contract/scenario/user-problem/index.ts';
import { isUserKernelFile, USER_KERNEL_TEXT_MOST, type UserKernelDescription } from '../../../contract/user-kernels.ts';
import { readText } from '../../io/text/read.ts';
import { parseTextAside } from '../scenarios/parse.ts';
import type { UserKernelBase } from './base.ts';
import { type Included, readClosure } from './includes.ts';

/** Names that a problem's document may have. */
const documents = ['problem.json', 'problem.yaml', 'problem.yml'] as const;

/** Properties of a candidate beyond those of other user kernels. */
export interface CandidateOf {
  readonly definition: ProblemDefinition;
  readonly launches: ProblemCandidate['launches'];
  /** Names of the constants of its source that launches may use. */
  readonly constants: readonly string[];
}

interface ProblemFolder {
  readonly file: string;
  /** Names its benchmark. */
  readonly name: string;
  readonly definition: ProblemDefinition;
}

/** The document of a folder; null where there is none. */
export function problemFileIn(folder: string): string | null {
  return documents.map((name) => path.join(folder, name)).find((file) => existsSync(file)) ?? null;
}

/** Null if the folder has no problem. Throws BraggError `invalid` with every issue. */
export async function readProblemFolder(folder: string): Promise<ProblemFolder | null> {
  const file = problemFileIn(folder);
  if (file === null) return null;
  const read = await readText(file, USER_KERNEL_TEXT_MOST);
  if (!read.ok) throw new BraggError('not-found', `${file}: ${read.reason}`);
  const { value, issues, locate } = await parseTextAside(read.text, file);
  const { document, filled, faults } = validateScenario(value ?? null);
  const all = [...issues, ...faults.map(locate)];
  const [first] = all;
  if (document === null || filled?.kind !== USER_PROBLEM) {
    const says = first === undefined ? `${file} is no problem; allowed: kind: ${USER_PROBLEM}` : formatIssue(first);
    throw new BraggError('invalid', says, all);
  }
  const definition = definitionSchema.parse(
    Object.fromEntries(Object.keys(definitionSchema.shape).map((key) => [key, filled[key as keyof ProblemDefinition]])),
  );
  return { file, name: filled.name, definition };
}

/** Files of the folder that are candidates: those of the document in its order, then the others. */
export async function candidateFiles({ file, definition }: ProblemFolder): Promise<readonly string[]> {
  const declared = definition.candidates.map((one) => one.file);
  const present = (await readdir(path.dirname(file)).catch(() => [])).filter(isUserKernelFile).sort();
  const others = present.filter((name) => name !== definition.reference && !declared.includes(name));
  return [...declared, ...others];
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

/** The parameters of `run` in C++, as messages and the editor show them. */
export function cppSignature({ arrays, axes }: Pick<ProblemDefinition, 'arrays' | 'axes'>): string {
  const pointers = arrays.map(
    ({ name, role, type }) => `${role === 'input' ? 'const ' : ''}${cppTypes[type]}* ${name}`,
  );
  return `void run(${[...pointers, ...axes.map(({ name }) => `int ${name}`)].join(', ')})`;
}

/** The candidate's text between what it may use and what hands the arrays over; lines keep their numbers. */
function wholeCpp(id: string, text: string, { arrays, axes }: ProblemDefinition): string {
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

/** By a candidate's ending: the engine's variant, and the file of ours that the candidate replaces. */
const places = {
  '.cpp': { variant: 'problem-cpu', file: 'candidate.cpp' },
  '.cu': { variant: 'problem-cuda', file: 'candidate.cu' },
  '.py': { variant: 'problem-python', file: 'runner.py' },
} as const;

/** Everything of a candidate but its hash and its place. Throws a BraggError. */
export async function readCandidate(
  file: string,
  text: string,
  { name, definition }: ProblemFolder,
  bases: readonly UserKernelBase[],
) {
  const id = path.basename(file);
  const ending = path.extname(id) as keyof typeof places;
  const declared = definition.candidates.find((one) => one.file === id);
  const place = places[ending];
  const found = bases.find((one) => one.workload === USER_PROBLEM && one.id === place.variant);
  if (found === undefined) throw new BraggError('unsupported', `${id}: the solver knows no problems yet`);
  if (ending === '.cu' && (declared?.launches.length ?? 0) === 0) {
    throw new BraggError(
      'invalid',
      `${id}: a .cu file needs its launches in the problem; allowed: candidates: [{ file: ${id}, launches: [{ kernel, grid, block }] }]`,
    );
  }
  const base: UserKernelBase = { ...found, bench: name };
  const { whole, included, refused } =
    ending === '.py' ? { whole: text, included: [], refused: [] } : await readClosure(file, text);
  const description: UserKernelDescription = {
    ...{ kind: 'variant', version: 1, workload: USER_PROBLEM, bench: name, base: base.id },
    replaces: `kernels/user_problem/${place.file}`,
    title: declared?.title || path.parse(id).name,
    changes: declared?.changes ?? '',
    answer: definition.reference,
    compile: {},
    tunables: declared?.tunables ?? [],
    conditions: declared?.conditions ?? [],
  };
  const candidate: CandidateOf = {
    definition,
    launches: declared?.launches ?? [],
    constants: description.tunables.map((one) => one.name),
  };
  return {
    ...{ id, base, description, candidate, refused },
    whole: ending === '.cpp' ? wholeCpp(id, whole, definition) : whole,
    answer: await readReference(path.dirname(file), definition.reference),
    included,
  };
}

/** The reference runs with the user's rights too: its text is part of what is trusted, and is what is run. */
async function readReference(folder: string, reference: string): Promise<Included> {
  const file = path.join(folder, reference);
  const found = await readText(file, USER_KERNEL_TEXT_MOST);
  if (!found.ok) throw new BraggError('not-found', `${file}: ${found.reason}; the problem needs its reference`);
  if (!reference.endsWith('.cpp')) return { name: reference, text: found.text };
  const { whole, refused } = await readClosure(file, found.text);
  if (refused.length > 0) throw new BraggError('invalid', refused[0]?.message ?? reference, refused);
  return { name: reference, text: whole };
}
