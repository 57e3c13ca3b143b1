/** Finds the commit of the checkout from which the program runs, so that others can repeat a measurement. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const COMMIT_PATTERN = /^[0-9a-f]{40,64}$/;

async function readTrimmedText(file: string): Promise<string | null> {
  return (await readFile(file, 'utf8').catch(() => null))?.trim() ?? null;
}

/** Git folder of the checkout. In a linked work tree, `.git` is a file that contains the path of this folder. */
async function findGitFolder(root: string): Promise<string> {
  const named = await readTrimmedText(path.join(root, '.git'));
  const target = /^gitdir: (.+)$/.exec(named ?? '')?.[1];
  return target === undefined ? path.join(root, '.git') : path.resolve(root, target);
}

/**
 * Commit of the checkout at `root`; null if there is none, as in a package. The environment variable BRAGGBENCH_COMMIT
 * overrides it, for checkouts that were copied to another machine without git.
 */
export async function readCommit(root: string, environment = process.env): Promise<string | null> {
  const commitFromEnvironment = environment['BRAGGBENCH_COMMIT'];
  if (commitFromEnvironment !== undefined && COMMIT_PATTERN.test(commitFromEnvironment)) return commitFromEnvironment;
  const folder = await findGitFolder(root);
  const head = await readTrimmedText(path.join(folder, 'HEAD'));
  if (head === null) return null;
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return COMMIT_PATTERN.test(head) ? head : null;
  const common = path.resolve(folder, (await readTrimmedText(path.join(folder, 'commondir'))) ?? '.');
  const loose = (await readTrimmedText(path.join(folder, ref))) ?? (await readTrimmedText(path.join(common, ref)));
  if (loose !== null && COMMIT_PATTERN.test(loose)) return loose;
  const packed = (await readTrimmedText(path.join(common, 'packed-refs'))) ?? '';
  const line = packed.split('\n').find((each) => each.endsWith(` ${ref}`));
  return line?.split(' ')[0] ?? null;
}
