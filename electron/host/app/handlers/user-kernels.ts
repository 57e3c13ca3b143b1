/** Handles calls about user kernels: their files, compiler messages, and the user's trust. */
import { mkdir, mkdtemp, readFile, realpath, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAttemptFileName } from '../../../contract/bench/history.ts';
import { sameVariant, type VariantKey } from '../../../contract/capabilities.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { FileRef } from '../../../contract/files.ts';
import type { UserKernelDescription } from '../../../contract/user-kernels.ts';
import { workloadSchema } from '../../../contract/workload.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { kernelFolders } from '../../model/bench/machine.ts';
import { runSanitizer } from '../../model/sanitizer/sanitize.ts';
import {
  descriptionFile,
  descriptionText,
  findReplaceableFiles,
  kernelExtension,
  kernelInfo,
  type UserKernel,
} from '../../model/user-kernels/file.ts';
import { problemFileIn, type UserKernelBase } from '../../model/user-kernels/problem-folder.ts';
import { allVariants, rulesOf } from '../../workloads/index.ts';
import { type Scenarios, writeAtomically } from '../../workloads/scenarios/scenarios.ts';
import { attemptText } from '../benches/history.ts';
import type { Handlers } from '../service/service.ts';
import { createKernel, readKernelTemplates } from '../user-kernels/new-kernel.ts';
import { documentForBase, freeFolder, reproduce } from '../user-kernels/reproduce.ts';
import { problemHash, type Trust } from '../user-kernels/trust.ts';
import type { UserKernels } from '../user-kernels/user-kernels.ts';
import { originOf } from './scenarios.ts';

interface UserKernelParts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly userKernels: UserKernels;
  readonly trust: Trust;
  readonly files: FileAccess;
  readonly assetsFolder: string;
}

/** Time limit in seconds under the sanitizer, which makes a kernel 10 to 100 times as slow. */
const SANITIZED_LIMIT_S = 1800;

type UserKernelMethod = Extract<keyof Handlers, `userKernels.${string}`>;

/** Returns the folder of user kernels: that of the scenario, or the library if the scenario is unsaved or shipped. */
async function folderOf(files: FileAccess, beside: FileRef | null): Promise<string> {
  const found = beside === null ? null : await files.readable(beside).catch(() => null);
  return found === null || found.readOnly ? files.library.folder : path.dirname(found.path);
}

function baseOf(userKernels: UserKernels, key: VariantKey): UserKernelBase {
  const base = userKernels.bases().find((one) => sameVariant(one, key));
  if (base === undefined) throw new BraggError('not-found', `The variant ${JSON.stringify(key.id)} does not exist.`);
  return base;
}

/**
 * Creates the code and its description, or neither. The description's name may be in use: `my.json` may be a scenario,
 * or describe `my.cpp` when `my.cu` is created. Throws BraggError `exists` with the file's name.
 */
async function createCodeAndDescription(file: string, text: string, description: string): Promise<void> {
  const beside = descriptionFile(file);
  await writeAtomically(beside, description, 'refuse').catch((error: unknown) => {
    if (!(error instanceof BraggError) || error.code !== 'exists') throw error;
    const [id, taken] = [path.basename(file), path.basename(beside)];
    const says = `${id} could not be created: its description would be ${taken}, but a file with that name exists. Choose another name.`;
    throw new BraggError('exists', says, [], { cause: error });
  });
  try {
    await writeAtomically(file, text, 'refuse');
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    throw error;
  }
}

const changedElsewhereError = (id: string): BraggError =>
  new BraggError('exists', `${id} was changed by another window or program after it was opened here.`);

const templatesOf = (base: UserKernelBase) => findReplaceableFiles(kernelFolders().sources, base, rulesOf(base));

export function userKernelHandlers(parts: UserKernelParts): Pick<Handlers, UserKernelMethod> {
  const { addon, scenarios, userKernels, trust, files } = parts;
  const templates = path.join(parts.assetsFolder, 'templates');
  const open = async (beside: FileRef | null, id: string) =>
    userKernels.open(path.join(await folderOf(files, beside), id));
  /**
   * Calls `write` unless the kernel has changed since `sha256` was read. The new content is the user's edit, so it is
   * trusted if the old content was.
   */
  const editFiles = async (
    beside: FileRef | null,
    id: string,
    sha256: string | null,
    write: (found: UserKernel) => Promise<unknown>,
  ) => {
    const file = path.join(await folderOf(files, beside), id);
    return files.withFolderLock(file, async () => {
      const found = await userKernels.open(file);
      if (sha256 !== null && found.sha256 !== sha256) throw changedElsewhereError(id);
      const known = sha256 !== null && userKernels.isTrusted(found);
      await write(found);
      return infoAfterTrust(await userKernels.open(file), known);
    });
  };
  /** Opens a kernel. Throws BraggError `untrusted` if its content differs from what the user has seen. */
  const openUnchanged = async (beside: FileRef | null, id: string, sha256: string): Promise<UserKernel> => {
    const found = await open(beside, id);
    if (found.sha256 === sha256) return found;
    throw new BraggError('untrusted', `${id} has changed since you read it. Read it again before you trust it.`);
  };
  /** Trusts the kernel if `isApproved` is true. Shipped code and the user's edits of trusted code need no question. */
  const infoAfterTrust = async (kernel: UserKernel, isApproved: boolean) => {
    if (isApproved) await trust.add(kernel.sha256, kernel.file);
    return kernelInfo(kernel, userKernels.isTrusted(kernel));
  };
  return {
    'userKernels.list': async ({ beside }) => {
      const { variants, troubles } = await userKernels.openAll(await folderOf(files, beside));
      const kernels = new Map(variants.map((one) => [one.id, one.base]));
      const listed = allVariants(userKernels.addon).filter(({ id, workload, bench }) => {
        const base = kernels.get(id);
        return base?.workload === workload && base.bench === bench;
      });
      return {
        ...{ variants: variants.map((one) => kernelInfo(one, userKernels.isTrusted(one))), listed },
        troubles: [...troubles],
      };
    },
    'userKernels.templates': async ({ base }) => {
      const { files: found, reason } = await templatesOf(baseOf(userKernels, base));
      return { files: [...found], reason };
    },
    'userKernels.create': async ({ beside, id, base: wanted, replaces }) => {
      const base = baseOf(userKernels, wanted);
      if (path.extname(id) !== kernelExtension(base)) {
        throw new BraggError(
          'invalid',
          `${id} is a copy of ${base.id}; allowed: a name that ends in ${kernelExtension(base)}`,
        );
      }
      const { files: allowed, reason } = await templatesOf(base);
      if (reason !== null) throw new BraggError('invalid', reason);
      if (!allowed.includes(replaces)) {
        throw new BraggError('invalid', `${replaces} is not a file of ${base.id}; allowed: ${allowed.join(', ')}`);
      }
      const folder = await folderOf(files, beside);
      const source = path.join(kernelFolders().sources, path.posix.relative('kernels', replaces));
      const title = `Own ${base.title.charAt(0).toLowerCase()}${base.title.slice(1)}`;
      const workload = workloadSchema.parse(base.workload);
      const of = { workload, bench: base.bench, base: base.id, replaces, title };
      const usual = { changes: '', compile: {}, tunables: [], conditions: [] };
      const description: UserKernelDescription = { kind: 'variant', version: 1, ...of, ...usual };
      const file = path.join(folder, id);
      await mkdir(folder, { recursive: true });
      await createCodeAndDescription(file, await readFile(source, 'utf8'), descriptionText(description));
      return infoAfterTrust(await userKernels.open(file), true);
    },
    'userKernels.beginnings': async () => ({ beginnings: await readKernelTemplates(templates) }),
    'userKernels.begin': async ({ beside, id, beginning, answer }) => {
      const here = await folderOf(files, beside);
      // If a problem's folder is open, create the new folder next to it, not inside.
      const folder = problemFileIn(here) === null ? here : path.dirname(here);
      const made = await createKernel({ templates, folder, id, beginning, answer });
      const kernel = await userKernels.open(made.kernel);
      return { info: await infoAfterTrust(kernel, true), scenario: files.grant(made.scenario).file };
    },
    'userKernels.replay': async ({ beside, attempt }) => {
      const folder = await folderOf(files, beside);
      const problem = parseAttemptFileName(attempt)?.problem;
      // The agents' server derives the names of attempts from folder names in the same way.
      const here = path
        .basename(folder)
        .replace(/[^\w-]/g, '-')
        .slice(0, 30);
      if (problemFileIn(folder) === null || here !== problem)
        throw new BraggError(
          'invalid',
          `${attempt} is an attempt at the problem folder ${problem}, but the open scenario is in ${folder}. Open problem.json of ${problem} first.`,
        );
      const text = await attemptText(files.library.folder, attempt);
      const file = path.join(folder, attempt);
      const there = await readFile(file, 'utf8').catch(() => null);
      if (there !== text) await writeAtomically(file, text, 'refuse');
      return infoAfterTrust(await userKernels.open(file), false);
    },
    'userKernels.read': async ({ beside, id }) => {
      const found = await open(beside, id);
      return { info: kernelInfo(found, userKernels.isTrusted(found)), text: found.text };
    },
    'userKernels.save': ({ beside, id, text, sha256 }) =>
      editFiles(beside, id, sha256, ({ file }) => writeAtomically(file, text, 'replace')),
    'userKernels.options': ({ beside, id, compile, sha256 }) =>
      editFiles(beside, id, sha256, ({ file, description, candidate }) => {
        // Refuse candidates: their description file would never be read, and for a Python program it would replace the
        // source.
        if (candidate !== undefined)
          throw new BraggError(
            'unsupported',
            `${id} is a candidate of a problem, and all candidates are compiled with the same options; allowed: kernels outside a problem folder`,
          );
        return writeAtomically(descriptionFile(file), descriptionText({ ...description, compile }), 'replace');
      }),
    'userKernels.printed': async ({ beside, id }) => {
      await open(beside, id);
      return userKernels.printedOutput(id);
    },
    'userKernels.sanitize': async ({ beside, id, tool, scenario }, signal) => {
      const found = await open(beside, id);
      userKernels.requireTrust(found);
      const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-sanitize-'));
      try {
        const file = path.join(folder, 'scenario.json');
        await writeFile(file, JSON.stringify(scenario));
        const words = ['run', file, '--variant', found.file, '--limit', String(SANITIZED_LIMIT_S), '--trust'];
        return await runSanitizer({ tool, args: words, kernel: id, signal });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    'userKernels.reproduce': async ({ beside, id, scenario }) => {
      const kernel = await open(beside, id);
      const reading = await scenarios.check(documentForBase(scenario, kernel), await originOf(files, beside));
      const folder = freeFolder(path.dirname(kernel.file), kernel);
      return { folder, files: await reproduce({ addon, userKernels, kernel, reading, folder }) };
    },
    'userKernels.build': async ({ beside, id }, signal) => {
      const start = performance.now();
      const { code, issues } = await userKernels.build(await open(beside, id), signal);
      return { issues: [...issues], built: code !== null, seconds: (performance.now() - start) / 1000 };
    },
    'userKernels.trust': async ({ beside, id, sha256 }) => {
      const found = await openUnchanged(beside, id, sha256);
      await trust.add(sha256, found.file);
      return kernelInfo(found, true);
    },
    'userKernels.trustFolder': async ({ beside, kernels, submissions }) => {
      // Read all kernels before trusting any: if one has changed, none is trusted.
      const found: UserKernel[] = [];
      for (const { id, sha256 } of kernels) found.push(await openUnchanged(beside, id, sha256));
      for (const { sha256, file } of found) await trust.add(sha256, file);
      const [first] = found;
      if (!submissions || first === undefined) return {};
      if (first.candidate === undefined)
        throw new BraggError('invalid', `${first.id} is not in a problem folder; allowed: candidates of a problem`);
      await trust.addFolder(await realpath(path.dirname(first.file)), problemHash(first));
      return {};
    },
  };
}
