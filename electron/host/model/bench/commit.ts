/** Finds the commit of the checkout from which the program runs, so that others can repeat a measurement. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const commitForm = /^[0-9a-f]{40,64}$/;

async function text(file: string): Promise<string | null> {
  return (await readFile(file, 'utf8').catch(() => null))?.trim() ?? null;
}

/** Git folder of the checkout. In a linked work tree, `.git` is a file that contains the path of this folder. */
async function gitFolder(root: string): Promise<string> {
  const named = await text(path.join(root, '.git'));
  const target = /^gitdir: (.+)$/.exec(named ?? '')?.[1];
  return target === undefined ? path.join(root, '.git') : path.resolve(root, target);
}

/**
 * Commit of the checkout at `root`; null if there is none, as in a package. The environment variable BRAGGBENCH_COMMIT
 * overrides it, for checkouts that were copied to another machine without git.
 */
export async function commitOf(root: string, environment = process.env): Promise<string | null> {
  const told = environment['BRAGGBENCH_COMMIT'];
  if (told !== undefined && commitForm.test(told)) return told;
  const folder = await gitFolder(root);
  const head = await text(path.join(folder, 'HEAD'));
  if (head === null) return null;
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return commitForm.test(head) ? head : null;
  const common = path.resolve(folder, (await text(path.join(folder, 'commondir'))) ?? '.');
  const loose = (await text(path.join(folder, ref))) ?? (await text(path.join(common, ref)));
  if (loose !== null && commitForm.test(loose)) return loose;
  const packed = (await text(path.join(common, 'packed-refs'))) ?? '';
  const line = packed.split('\n').find((each) => each.endsWith(` ${ref}`));
  return line?.split(' ')[0] ?? null;
}
