/** The library that user kernels are linked with: a file that one may replace is an object of its own there. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadAddon, nativeFolder } from '../../../../../electron/host/io/addon/addon.ts';
import { kernelFolders } from '../../../../../electron/host/model/bench/ceilings.ts';
import { replaceable } from '../../../../../electron/host/model/user-kernels/file.ts';
import { hostWorkloads, rulesOf } from '../../../../../electron/host/workloads/index.ts';

const MAGIC = '!<arch>\n';
const HEADER_BYTES = 60;

/** Names of the objects in a static library of the common `ar` format: short ones end with a slash, long ones are `/offset` into the member `//`. */
function objectsIn(library: Buffer): readonly string[] {
  const names: string[] = [];
  let long = '';
  for (let at = MAGIC.length; at + HEADER_BYTES <= library.length; ) {
    const header = library.toString('latin1', at, at + HEADER_BYTES);
    const size = Number(header.slice(48, 58));
    const name = header.slice(0, 16).trimEnd();
    at += HEADER_BYTES;
    if (name === '//') long = library.toString('latin1', at, at + size);
    else if (/^\/\d+$/.test(name)) names.push(long.slice(Number(name.slice(1))).split('/\n', 1)[0] ?? '');
    else names.push(name.replace(/\/$/, ''));
    at += size + (size % 2);
  }
  return names;
}

test('every file that a user kernel may replace is an object by itself', async ({ skip }) => {
  skip(process.platform !== 'linux', 'libraries elsewhere have another format');
  const addon = loadAddon();
  const objects = new Set(objectsIn(readFileSync(path.join(nativeFolder(), 'libbraggbench_core.a'))));
  expect(objects).toContain('registry.cpp.o');
  const bases = Object.values(hostWorkloads).flatMap(({ userKernels }) => userKernels.bases(addon));
  const lists = await Promise.all(
    bases
      .filter(({ device }) => device === 'cpu')
      .map((base) => replaceable(kernelFolders().sources, base, rulesOf(base))),
  );
  const files = new Set(lists.flatMap((list) => list.files.map((file) => path.posix.basename(file))));
  expect(files.size).toBeGreaterThan(50);
  expect([...files].filter((file) => !objects.has(`${file}.o`))).toEqual([]);
});
