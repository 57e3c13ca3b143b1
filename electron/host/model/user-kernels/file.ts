/**
 * Reads the two files of a user kernel: its code, and a JSON file of the same name that describes it and names the
 * shipped file that it replaces. Shipped files may have moved to other folders since the kernel was copied from them.
 * Old paths in a kernel are therefore resolved by file name, which is unique within a workload.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { suggestSimilarWord } from '../../../contract/scenario/index.ts';
import {
  isUserKernelFile,
  USER_KERNEL_TEXT_MAX,
  type UserKernelDescription,
  type UserKernelInfo,
  userKernelDescriptionSchema,
} from '../../../contract/user-kernels.ts';
import { rephraseSchemaError } from '../../io/text/json.ts';
import { readText } from '../../io/text/read.ts';
import { readVariantSources } from '../bench/sources.ts';
import { parseTextOnThread } from '../scenarios/parse.ts';
import { expandIncludes, type IncludedFile } from './includes.ts';
import {
  type CandidateProperties,
  type ReplaceRules,
  readCandidate,
  readProblemFolder,
  type UserKernelBase,
} from './problem-folder.ts';

const INCLUDE = /^([ \t]*#[ \t]*include[ \t]*")([^"\n]+)(")/gm;

/**
 * Current path of a shipped file: `file` if `allowed` contains it, otherwise the file of the same workload with the
 * same name.
 */
export function currentPath(file: string, allowed: readonly string[]): string {
  const workload = file.split('/').slice(0, 2).join('/');
  const same = (one: string) =>
    one.startsWith(`${workload}/`) && path.posix.basename(one) === path.posix.basename(file);
  return allowed.includes(file) ? file : (allowed.find(same) ?? file);
}

interface IncludeFolders {
  /** Folder of the shipped file that the code replaces. */
  readonly beside: string;
  /** Folder that contains the kernels of all workloads. */
  readonly sources: string;
  /** Name of the workload's folder within `sources`. */
  readonly workload: string;
  /** Folders that contain the engine's headers. */
  readonly engine: readonly string[];
}

/** Replaces old paths in includes with the current ones. Line numbers do not change. */
export function updateIncludes(text: string, { beside, sources, workload, engine }: IncludeFolders): string {
  const found = (folder: string, pattern: string) =>
    globSync(pattern, { cwd: folder }).map((one) => one.replaceAll('\\', '/'));
  const roots = [beside, sources, ...engine];
  return text.replace(INCLUDE, (line, start: string, name: string, end: string) => {
    if (roots.some((root) => existsSync(path.join(root, name)))) return line;
    const kernel = found(sources, `${workload}/**/${path.posix.basename(name)}`);
    const [now] =
      kernel.length > 0 ? kernel : engine.flatMap((folder) => found(folder, `**/${path.posix.basename(name)}`));
    return now === undefined ? line : `${start}${now}${end}`;
  });
}

export interface UserKernel {
  /** Name of the code file. */
  readonly id: string;
  /** Full path of the code file. */
  readonly file: string;
  readonly text: string;
  /** Text to compile: the code, in which includes from its own folder are expanded. */
  readonly expandedText: string;
  /** Reference program of the problem that a candidate solves; null for a kernel that replaces a shipped file. */
  readonly referenceProgram: IncludedFile | null;
  /** Errors for includes that are not allowed. If there are any, the kernel is not compiled. */
  readonly includeErrors: readonly Issue[];
  readonly description: UserKernelDescription;
  readonly base: UserKernelBase;
  /** Problem that the candidate solves; absent for a kernel that replaces a shipped file. */
  readonly candidate?: CandidateProperties;
  /** Hash of both files, and of the files that they include from the same folder. */
  readonly sha256: string;
}

export const kernelExtension = ({ id, device }: Pick<UserKernelBase, 'id' | 'device'>): '.cu' | '.cpp' | '.py' =>
  id === 'problem-python' ? '.py' : device === 'cuda' ? '.cu' : '.cpp';

/**
 * Name of the code file for compilers. It is short, because the name of a configuration may be too long for a file.
 */
export const codeFileName = ({ id, base, sha256 }: Pick<UserKernel, 'id' | 'base' | 'sha256'>): string =>
  isUserKernelFile(id) ? id : `${base.id}-${sha256.slice(0, 12)}${kernelExtension(base)}`;

export const descriptionFile = (file: string): string => file.replace(/\.(cu|cpp)$/, '.json');

/** Name of a workload and its benchmark as shown to users, such as `micro reduction`. */
export const benchText = (workload: string, bench: string): string =>
  bench === '' ? workload : `${workload} ${bench}`;

/**
 * Files of a shipped variant that a user kernel may replace, beginning with its main file. If there are none, the
 * reason.
 */
export async function findReplaceableFiles(
  sources: string,
  base: UserKernelBase,
  rules: ReplaceRules,
): Promise<{ readonly files: readonly string[]; readonly reason: string | null }> {
  const reason = rules.fixed(base);
  if (reason !== null) return { files: [], reason };
  const all = (await readVariantSources(sources, base)).map((one) => one.path);
  const files = all.filter((one) => rules.replaceable(path.posix.basename(one), base.device));
  return { files, reason: files.length > 0 ? null : `${base.id} has no file that a user kernel can replace.` };
}

function createIssue(file: string, field: string, message: string, allowed: string | null): Issue {
  return { severity: 'error', file, path: field, line: null, column: null, message, value: null, allowed };
}

function throwIssues(issues: readonly Issue[]): never {
  const [first] = issues;
  throw new BraggError('invalid', `${first?.file ?? ''} ${first?.path ?? ''}: ${first?.message ?? ''}`, issues);
}

/** Shipped variant that a description names as its base. Throws if there is none. */
function findBase(description: UserKernelDescription, name: string, bases: readonly UserKernelBase[]): UserKernelBase {
  const { workload, bench, base } = description;
  const of = bases.filter((one) => one.workload === workload);
  const benches = [...new Set(of.map((one) => one.bench))];
  if (!benches.includes(bench)) {
    const allowed = benches[0] === '' ? `none, of ${workload}` : benches.join(', ');
    throwIssues([
      createIssue(
        name,
        'bench',
        `${JSON.stringify(bench)} is not a benchmark of ${workload}; allowed: ${allowed}`,
        allowed,
      ),
    ]);
  }
  const known = of.filter((one) => one.bench === bench);
  const found = known.find(({ id }) => id === base);
  if (found !== undefined) return found;
  const ids = known.map(({ id }) => id);
  const elsewhere = bases.find(({ id }) => id === base);
  const near = suggestSimilarWord(base, ids);
  const hint =
    elsewhere !== undefined
      ? ` (it is a variant of ${benchText(elsewhere.workload, elsewhere.bench)}: set "workload" and "bench" to it)`
      : near === null
        ? ''
        : ` (did you mean ${near}?)`;
  const allowed = ids.join(', ');
  const says = `${JSON.stringify(base)} is not a variant of ${benchText(workload, bench)}${hint}; allowed: ${allowed}`;
  throwIssues([createIssue(name, 'base', says, allowed)]);
}

/** Text of a description file, without fields that have their default values. */
export function descriptionText({ bench, compile, tunables, conditions, ...rest }: UserKernelDescription): string {
  const { kind, version, workload, ...more } = rest;
  const named = { kind, version, workload, ...(bench === '' ? {} : { bench }), ...more };
  const options = Object.values(compile).every((one) => one === undefined) ? {} : { compile };
  const tuned = tunables.length === 0 ? {} : { tunables, conditions };
  return `${JSON.stringify({ ...named, ...options, ...tuned }, null, 2)}\n`;
}

async function parseDescription(text: string, name: string): Promise<UserKernelDescription> {
  const parsed = await parseTextOnThread(text, name);
  if (parsed.value === undefined || parsed.issues.length > 0) throwIssues(parsed.issues);
  const checked = userKernelDescriptionSchema.safeParse(parsed.value);
  if (checked.success) return checked.data;
  throwIssues(
    checked.error.issues.map((found) =>
      createIssue(name, found.path.join('.'), rephraseSchemaError(found.message), null),
    ),
  );
}

async function readTextFile(file: string): Promise<string> {
  const found = await readText(file, USER_KERNEL_TEXT_MAX);
  if (!found.ok) throw new BraggError('not-found', `${path.basename(file)}: ${found.reason}`);
  return found.text;
}

export function kernelHash(text: string, description: string, included: readonly IncludedFile[] = []): string {
  const hash = createHash('sha256').update(`${text.length}\0`).update(text).update(description);
  for (const one of included) hash.update(`\0${one.name}\0${one.text.length}\0`).update(one.text);
  return hash.digest('hex');
}

interface ShippedKernels {
  /** Shipped variants of all workloads, on which kernels can be based. */
  readonly bases: readonly UserKernelBase[];
  readonly rulesOf: (base: UserKernelBase) => ReplaceRules;
  /** Folder that contains the kernels of all workloads. */
  readonly sources: string;
}

/** Reads both files of a user kernel. `given` is code to use in place of the file's content. Throws a BraggError. */
export async function readUserKernel(
  file: string,
  { bases, rulesOf, sources }: ShippedKernels,
  given?: string,
): Promise<UserKernel> {
  const id = path.basename(file);
  if (!isUserKernelFile(id)) {
    throw new BraggError(
      'invalid',
      `${id} cannot be a user kernel; allowed: letters, digits, - _ . and .cu, .cpp or .py at the end`,
    );
  }
  const text = given ?? (await readTextFile(file));
  const problem = await readProblemFolder(path.dirname(file));
  if (problem !== null) {
    const { included, ...found } = await readCandidate(file, text, problem, bases);
    const described = JSON.stringify([found.description, found.candidate]);
    return {
      ...found,
      file: path.resolve(file),
      text,
      sha256: kernelHash(text, described, [...included, found.referenceProgram]),
    };
  }
  if (id.endsWith('.py')) {
    const says = `${id} has no problem.json next to it; allowed: Python programs as candidates of a problem folder`;
    throw new BraggError('invalid', says);
  }
  const json = descriptionFile(file);
  const described = await readTextFile(json).catch((error: BraggError) => {
    const says = `${error.message}. A user kernel needs it next to the code: {"kind": "variant", "version": 1, "workload": …, "base": …, "replaces": …, "title": …}`;
    throw new BraggError(error.code, says);
  });
  const name = path.basename(json);
  const description = await parseDescription(described, name);
  const base = findBase(description, name, bases);
  if (kernelExtension(base) !== path.extname(id)) {
    const wanted = `a ${kernelExtension(base)} file, because it runs on ${base.device === 'cuda' ? 'the GPU' : 'the CPU'}`;
    throwIssues([createIssue(name, 'base', `${base.id} is the base of ${id}; allowed: ${wanted}`, wanted)]);
  }
  const { files: allowed, reason } = await findReplaceableFiles(sources, base, rulesOf(base));
  if (reason !== null) throwIssues([createIssue(name, 'base', reason, null)]);
  const replaces = currentPath(description.replaces, allowed);
  if (!allowed.includes(replaces)) {
    const says = `${JSON.stringify(description.replaces)} is not a file of ${base.id} that can be replaced`;
    throwIssues([createIssue(name, 'replaces', `${says}; allowed: ${allowed.join(', ')}`, allowed.join(', '))]);
  }
  if (base.device !== 'cuda' && description.compile.registers !== undefined) {
    const says = 'is for CUDA kernels, but this one is compiled for the CPU';
    throwIssues([createIssue(name, 'compile.registers', says, 'nothing')]);
  }
  const { expandedText, included, includeErrors } = await expandIncludes(file, text);
  return {
    id,
    file: path.resolve(file),
    text,
    expandedText,
    referenceProgram: null,
    includeErrors,
    description: { ...description, replaces },
    base,
    sha256: kernelHash(text, described, included),
  };
}

export function kernelInfo(kernel: UserKernel, trusted: boolean): UserKernelInfo {
  const { id, file, description, referenceProgram, base, sha256 } = kernel;
  const answer = referenceProgram?.name ?? null;
  return { id, place: file, description: { ...description }, answer, device: base.device, sha256, trusted };
}
