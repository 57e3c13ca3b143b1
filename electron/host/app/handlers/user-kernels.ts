/** Calls about user kernels: their files, what their compiler says, and the user's trust. */
import { mkdir, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sameVariant, type VariantKey } from '../../../contract/capabilities.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { FileRef } from '../../../contract/files.ts';
import type { UserKernelDescription } from '../../../contract/user-kernels.ts';
import { workloadSchema } from '../../../contract/workload.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { kernelFolders } from '../../model/bench/ceilings.ts';
import { sanitize } from '../../model/sanitizer/sanitize.ts';
import type { UserKernelBase } from '../../model/user-kernels/base.ts';
import {
  descriptionFile,
  descriptionText,
  extensionOf,
  infoOf,
  replaceable,
  type UserKernel,
} from '../../model/user-kernels/file.ts';
import { rulesOf } from '../../workloads/index.ts';
import { type Scenarios, writeAtomically } from '../../workloads/scenarios/index.ts';
import type { Handlers } from '../service/service.ts';
import { begin, readBeginnings, wordsOf } from '../user-kernels/begin.ts';
import { byBase, freeFolder, reproduce } from '../user-kernels/reproduce.ts';
import type { Trust } from '../user-kernels/trust.ts';
import type { UserKernels } from '../user-kernels/user-kernels.ts';
import { placeOf } from './scenarios.ts';

interface UserKernelParts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly userKernels: UserKernels;
  readonly trust: Trust;
  readonly files: FileAccess;
  readonly assetsFolder: string;
}

/** A watched kernel takes ten to a hundred times as long. */
const SANITIZED_LIMIT_S = 1800;

type Names = Extract<keyof Handlers, `userKernels.${string}`>;

/** Folder of the scenario; for an unsaved or shipped scenario, the library. */
async function folderOf(files: FileAccess, beside: FileRef | null): Promise<string> {
  const found = beside === null ? null : await files.readable(beside).catch(() => null);
  return found === null || found.readOnly ? files.library.folder : path.dirname(found.path);
}

function baseOf(userKernels: UserKernels, key: VariantKey): UserKernelBase {
  const base = userKernels.bases().find((one) => sameVariant(one, key));
  if (base === undefined) throw new BraggError('not-found', `There is no variant ${JSON.stringify(key.id)}.`);
  return base;
}

/**
 * The code and its description, where neither name is taken: `my.json` may be a scenario, or describe `my.cpp` where
 * `my.cu` is made. Throws BraggError `exists` that names the file, and leaves nothing behind.
 */
async function createBoth(file: string, text: string, description: string): Promise<void> {
  const beside = descriptionFile(file);
  await writeAtomically(beside, description, 'refuse').catch((error: unknown) => {
    if (!(error instanceof BraggError) || error.code !== 'exists') throw error;
    const [id, taken] = [path.basename(file), path.basename(beside)];
    const says = `${id} was not made: its description would be ${taken}, and there is a file of that name. Choose another name.`;
    throw new BraggError('exists', says, [], { cause: error });
  });
  try {
    await writeAtomically(file, text, 'refuse');
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    throw error;
  }
}

const changedElsewhere = (id: string): BraggError =>
  new BraggError('exists', `${id} was changed by another window or program since it was opened here.`);

const templatesOf = (base: UserKernelBase) => replaceable(kernelFolders().sources, base, rulesOf(base));

export function userKernelHandlers(parts: UserKernelParts): Pick<Handlers, Names> {
  const { addon, scenarios, userKernels, trust, files } = parts;
  const templates = path.join(parts.assetsFolder, 'templates');
  const open = async (beside: FileRef | null, id: string) =>
    userKernels.open(path.join(await folderOf(files, beside), id));
  /**
   * Its files are written by `write`, unless somebody else has since `sha256` was read. The new content is the user's own
   * edit of that content: it is trusted if that was.
   */
  const changed = async (
    beside: FileRef | null,
    id: string,
    sha256: string | null,
    write: (found: UserKernel) => Promise<unknown>,
  ) => {
    const file = path.join(await folderOf(files, beside), id);
    return files.holdingFolderOf(file, async () => {
      const found = await userKernels.open(file);
      if (sha256 !== null && found.sha256 !== sha256) throw changedElsewhere(id);
      const known = sha256 !== null && userKernels.isTrusted(found);
      await write(found);
      return trusted(await userKernels.open(file), known);
    });
  };
  /** The program's own code, or a text that the user typed over a trusted one, needs no question. */
  const trusted = async (kernel: UserKernel, because: boolean) => {
    if (because) await trust.add(kernel.sha256, kernel.file);
    return infoOf(kernel, userKernels.isTrusted(kernel));
  };
  return {
    'userKernels.list': async ({ beside }) => {
      const { variants, troubles } = await userKernels.openAll(await folderOf(files, beside));
      return { variants: variants.map((one) => infoOf(one, userKernels.isTrusted(one))), troubles: [...troubles] };
    },
    'userKernels.templates': async ({ base }) => {
      const { files: found, reason } = await templatesOf(baseOf(userKernels, base));
      return { files: [...found], reason };
    },
    'userKernels.create': async ({ beside, id, base: wanted, replaces }) => {
      const base = baseOf(userKernels, wanted);
      if (path.extname(id) !== extensionOf(base)) {
        throw new BraggError(
          'invalid',
          `${id} is a copy of ${base.id}; allowed: a name that ends in ${extensionOf(base)}`,
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
      const usual = { changes: '', answer: '', compile: {}, tunables: [], conditions: [] };
      const description: UserKernelDescription = { kind: 'variant', version: 1, ...of, ...usual };
      const file = path.join(folder, id);
      await mkdir(folder, { recursive: true });
      await createBoth(file, await readFile(source, 'utf8'), descriptionText(description));
      return trusted(await userKernels.open(file), true);
    },
    'userKernels.beginnings': async () => ({ beginnings: (await readBeginnings(templates)).map(wordsOf) }),
    'userKernels.begin': async ({ beside, id, beginning, answer }) => {
      const folder = await folderOf(files, beside);
      await mkdir(folder, { recursive: true });
      const made = await begin({ templates, folder, id, beginning, answer });
      const kernel = await userKernels.open(made.kernel);
      return { info: await trusted(kernel, true), scenario: files.grant(made.scenario).file };
    },
    'userKernels.read': async ({ beside, id }) => {
      const found = await open(beside, id);
      return { info: infoOf(found, userKernels.isTrusted(found)), text: found.text };
    },
    'userKernels.save': ({ beside, id, text, sha256 }) =>
      changed(beside, id, sha256, ({ file }) => writeAtomically(file, text, 'replace')),
    'userKernels.options': ({ beside, id, compile, sha256 }) =>
      changed(beside, id, sha256, ({ file, description }) =>
        writeAtomically(descriptionFile(file), descriptionText({ ...description, compile }), 'replace'),
      ),
    'userKernels.printed': async ({ beside, id }) => {
      await open(beside, id);
      return userKernels.printed(id);
    },
    'userKernels.sanitize': async ({ beside, id, tool, scenario }, signal) => {
      const found = await open(beside, id);
      userKernels.requireTrust(found);
      const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-sanitize-'));
      try {
        const file = path.join(folder, 'scenario.json');
        await writeFile(file, JSON.stringify(scenario));
        const words = ['run', file, '--variant', found.file, '--limit', String(SANITIZED_LIMIT_S), '--trust'];
        return await sanitize({ tool, words, kernel: id, signal });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    'userKernels.reproduce': async ({ beside, id, scenario }) => {
      const kernel = await open(beside, id);
      const reading = await scenarios.check(byBase(scenario, kernel), await placeOf(files, beside));
      const folder = freeFolder(path.dirname(kernel.file), kernel);
      return { folder, files: await reproduce({ addon, userKernels, kernel, reading, folder }) };
    },
    'userKernels.build': async ({ beside, id }, signal) => {
      const start = performance.now();
      const { code, issues } = await userKernels.build(await open(beside, id), signal);
      return { issues: [...issues], built: code !== null, seconds: (performance.now() - start) / 1000 };
    },
    'userKernels.trust': async ({ beside, id, sha256 }) => {
      const found = await open(beside, id);
      if (found.sha256 !== sha256) {
        throw new BraggError('untrusted', `${id} has changed since you saw it. Read it again before you trust it.`);
      }
      await trust.add(sha256, found.file);
      return infoOf(found, true);
    },
  };
}
