/** A user kernel's two files: the code, and the JSON of the same name that says what it replaces. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { suggest } from '../../../contract/scenario/index.ts';
import {
  isUserKernelFile,
  OWN_BENCH,
  USER_KERNEL_TEXT_MOST,
  type UserKernelDescription,
  type UserKernelInfo,
  userKernelDescriptionSchema,
} from '../../../contract/user-kernels.ts';
import { readText } from '../../io/text/read.ts';
import { schemaFault } from '../../io/text/schema-fault.ts';
import { variantSources } from '../bench/sources.ts';
import { parseTextAside } from '../scenarios/parse.ts';
import type { ReplaceRules, UserKernelBase } from './base.ts';
import { type Included, readClosure } from './includes.ts';
import { presentFile } from './moved.ts';
import { type CandidateOf, readCandidate, readProblemFolder } from './problem-folder.ts';

export interface UserKernel {
  /** Name of the code file. */
  readonly id: string;
  /** Its full path. */
  readonly file: string;
  readonly text: string;
  /** With what it includes from its own folder: this is compiled. */
  readonly whole: string;
  /** The program of the expected answer; null where there is none. */
  readonly answer: Included | null;
  /** Includes that may not be, at their lines; nothing is compiled then. */
  readonly refused: readonly Issue[];
  readonly description: UserKernelDescription;
  readonly base: UserKernelBase;
  /** The problem that a candidate solves; absent for a kernel that replaces one of ours. */
  readonly candidate?: CandidateOf;
  /** Hash of both files and of what the code includes from its own folder. */
  readonly sha256: string;
}

export const extensionOf = ({ id, device }: Pick<UserKernelBase, 'id' | 'device'>): '.cu' | '.cpp' | '.py' =>
  id === 'problem-python' ? '.py' : device === 'cuda' ? '.cu' : '.cpp';

/** The code file as compilers see it: a configuration's name may be longer than a file's. */
export const codeFileOf = ({ id, base, sha256 }: Pick<UserKernel, 'id' | 'base' | 'sha256'>): string =>
  isUserKernelFile(id) ? id : `${base.id}-${sha256.slice(0, 12)}${extensionOf(base)}`;

export const descriptionFile = (file: string): string => file.replace(/\.(cu|cpp)$/, '.json');

/** A workload as scenarios and variants name it: `micro reduction`. */
export const benchText = (workload: string, bench: string): string =>
  bench === '' ? workload : `${workload} ${bench}`;

/** The files of a shipped variant that a user kernel may replace, its first one first; none, and why. */
export async function replaceable(
  sources: string,
  base: UserKernelBase,
  rules: ReplaceRules,
): Promise<{ readonly files: readonly string[]; readonly reason: string | null }> {
  const reason = rules.fixed(base);
  if (reason !== null) return { files: [], reason };
  const all = (await variantSources(sources, base)).map((one) => one.path);
  const files = all.filter((one) => rules.replaceable(path.posix.basename(one), base.device));
  return { files, reason: files.length > 0 ? null : `${base.id} has no file that a user kernel can replace.` };
}

function issue(file: string, field: string, message: string, allowed: string | null): Issue {
  return { severity: 'error', file, path: field, line: null, column: null, message, value: null, allowed };
}

function refuse(issues: readonly Issue[]): never {
  const [first] = issues;
  throw new BraggError('invalid', `${first?.file ?? ''} ${first?.path ?? ''}: ${first?.message ?? ''}`, issues);
}

/** The variant that it says it was made from. */
function baseOf(description: UserKernelDescription, name: string, bases: readonly UserKernelBase[]): UserKernelBase {
  const { workload, bench, base } = description;
  const of = bases.filter((one) => one.workload === workload);
  const benches = [...new Set(of.map((one) => one.bench))];
  if (!benches.includes(bench)) {
    const allowed = benches[0] === '' ? `none, of ${workload}` : benches.join(', ');
    refuse([
      issue(name, 'bench', `${JSON.stringify(bench)} is no benchmark of ${workload}; allowed: ${allowed}`, allowed),
    ]);
  }
  const known = of.filter((one) => one.bench === bench);
  const found = known.find(({ id }) => id === base);
  if (found !== undefined) return found;
  const ids = known.map(({ id }) => id);
  const elsewhere = bases.find(({ id }) => id === base);
  const near = suggest(base, ids);
  const hint =
    elsewhere !== undefined
      ? ` (one of ${benchText(elsewhere.workload, elsewhere.bench)} is: "workload" and "bench" say of which)`
      : near === null
        ? ''
        : ` (did you mean ${near}?)`;
  const allowed = ids.join(', ');
  const says = `${JSON.stringify(base)} is not a variant of ${benchText(workload, bench)}${hint}; allowed: ${allowed}`;
  refuse([issue(name, 'base', says, allowed)]);
}

/** A description as a file holds it: what says nothing is left out. */
export function descriptionText({
  bench,
  answer,
  compile,
  tunables,
  conditions,
  ...rest
}: UserKernelDescription): string {
  const { kind, version, workload, ...more } = rest;
  const named = { kind, version, workload, ...(bench === '' ? {} : { bench }), ...more };
  const options = Object.values(compile).every((one) => one === undefined) ? {} : { compile };
  const told = answer === '' ? {} : { answer };
  const tuned = tunables.length === 0 ? {} : { tunables, conditions };
  return `${JSON.stringify({ ...named, ...told, ...options, ...tuned }, null, 2)}\n`;
}

async function describe(text: string, name: string): Promise<UserKernelDescription> {
  const parsed = await parseTextAside(text, name);
  if (parsed.value === undefined || parsed.issues.length > 0) refuse(parsed.issues);
  const checked = userKernelDescriptionSchema.safeParse(parsed.value);
  if (checked.success) return checked.data;
  refuse(checked.error.issues.map((found) => issue(name, found.path.join('.'), schemaFault(found.message), null)));
}

async function read(file: string): Promise<string> {
  const found = await readText(file, USER_KERNEL_TEXT_MOST);
  if (!found.ok) throw new BraggError('not-found', `${path.basename(file)}: ${found.reason}`);
  return found.text;
}

/** It runs with the user's rights too: what was read here is part of what is trusted, and is what is run. */
async function readAnswer(file: string, { answer, bench }: UserKernelDescription, name: string) {
  if (answer === '') return null;
  if (bench !== OWN_BENCH) {
    const says = `${answer} is the answer of a kernel that was made from nothing; allowed: none, of ${benchText('', bench).trim() || 'this workload'}`;
    refuse([issue(name, 'answer', says, 'nothing')]);
  }
  return { name: answer, text: await read(path.join(path.dirname(file), answer)) };
}

export function hashOf(text: string, description: string, included: readonly Included[] = []): string {
  const hash = createHash('sha256').update(`${text.length}\0`).update(text).update(description);
  for (const one of included) hash.update(`\0${one.name}\0${one.text.length}\0`).update(one.text);
  return hash.digest('hex');
}

interface Shipped {
  /** Bases of all workloads. */
  readonly bases: readonly UserKernelBase[];
  readonly rulesOf: (base: UserKernelBase) => ReplaceRules;
  /** The folder with their kernels. */
  readonly sources: string;
}

/** Reads both files; `given`: the code as it is submitted, in place of the file's. Throws a BraggError. */
export async function readUserKernel(
  file: string,
  { bases, rulesOf, sources }: Shipped,
  given?: string,
): Promise<UserKernel> {
  const id = path.basename(file);
  if (!isUserKernelFile(id)) {
    throw new BraggError(
      'invalid',
      `${id} cannot be a user kernel; allowed: letters, digits, - _ . and .cu, .cpp or .py at the end`,
    );
  }
  const text = given ?? (await read(file));
  const problem = await readProblemFolder(path.dirname(file));
  if (problem !== null) {
    const { included, ...found } = await readCandidate(file, text, problem, bases);
    const described = JSON.stringify([found.description, found.candidate]);
    return { ...found, file: path.resolve(file), text, sha256: hashOf(text, described, [...included, found.answer]) };
  }
  if (id.endsWith('.py')) {
    const says = `${id} is next to no problem.json; allowed: Python programs as candidates of a problem folder`;
    throw new BraggError('invalid', says);
  }
  const json = descriptionFile(file);
  const described = await read(json).catch((error: BraggError) => {
    const says = `${error.message}. A user kernel needs it beside the code: {"kind": "variant", "version": 1, "workload": …, "base": …, "replaces": …, "title": …}`;
    throw new BraggError(error.code, says);
  });
  const name = path.basename(json);
  const description = await describe(described, name);
  const base = baseOf(description, name, bases);
  if (extensionOf(base) !== path.extname(id)) {
    const wanted = `a ${extensionOf(base)} file, because it runs on ${base.device === 'cuda' ? 'the GPU' : 'the CPU'}`;
    refuse([issue(name, 'base', `${base.id} is the base of ${id}; allowed: ${wanted}`, wanted)]);
  }
  const { files: allowed, reason } = await replaceable(sources, base, rulesOf(base));
  if (reason !== null) refuse([issue(name, 'base', reason, null)]);
  const replaces = presentFile(description.replaces, allowed);
  if (!allowed.includes(replaces)) {
    const says = `${JSON.stringify(description.replaces)} is not a file of ${base.id} that can be replaced`;
    refuse([issue(name, 'replaces', `${says}; allowed: ${allowed.join(', ')}`, allowed.join(', '))]);
  }
  if (base.device !== 'cuda' && description.compile.registers !== undefined) {
    const says = 'is of CUDA kernels, and this one is compiled for the CPU';
    refuse([issue(name, 'compile.registers', says, 'nothing')]);
  }
  const answer = await readAnswer(file, description, name);
  const { whole, included, refused } = await readClosure(file, text);
  return {
    id,
    file: path.resolve(file),
    text,
    whole,
    answer,
    refused,
    description: { ...description, replaces },
    base,
    sha256: hashOf(text, described, answer === null ? included : [...included, answer]),
  };
}

export function infoOf({ id, file, description, base, sha256 }: UserKernel, trusted: boolean): UserKernelInfo {
  return { id, place: file, description: { ...description }, device: base.device, sha256, trusted };
}
