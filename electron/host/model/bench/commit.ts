/** Commit of the checkout that the program runs from, so that a measurement can be repeated. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const commitForm = /^[0-9a-f]{40,64}$/;

async function text(file: string): Promise<string | null> {
  return (await readFile(file, 'utf8').catch(() => null))?.trim() ?? null;
}

/** Git folder of the checkout. In a linked work tree `.git` is a file with the path of that folder. */
async function gitFolder(root: string): Promise<string> {
  const named = await text(path.join(root, '.git'));
  const target = /^gitdir: (.+)$/.exec(named ?? '')?.[1];
  return target === undefined ? path.join(root, '.git') : path.resolve(root, target);
}

/**
 * Commit of the checkout at `root`; null outside a checkout, as in a package. BRAGGBENCH_COMMIT takes precedence: it
 * names the commit of a copied checkout, such as on a borrowed machine.
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
