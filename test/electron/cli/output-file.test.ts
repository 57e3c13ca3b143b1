/** Files that the command line writes: none that is there is replaced unasked, and that is said before any work. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseArguments } from '../../../electron/cli/arguments.ts';
import { forceFlag, writeOutput } from '../../../electron/cli/output-file.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { assetsFolder } from '../host/small-run.ts';
import { braggbenchHere, type Ended, environmentWith } from './command.ts';

const recorded = path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV.json');
const traced = path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV-cuda-fused.h5');
const PRECIOUS = 'work of a week';

const folder = scratchFolder('output');
const inFolder = (name: string): string => path.join(folder, name);
const call = (words: readonly string[]): Promise<Ended> =>
  braggbenchHere(words, { cwd: folder, environment: environmentWith(inFolder('home')) });

/** Every verb and flag that writes: the words, and the file. None of the runs is begun: they would take minutes. */
const writes: readonly (readonly [string, readonly string[], string])[] = [
  ['run', ['run', 'water-150MeV', '--set', 'grid.dx_mm=0.1', '--out', 'run.h5'], 'run.h5'],
  ['run of an image', ['run', 'simple-cubic-1024', '--out', 'image.h5'], 'image.h5'],
  ['run of a measurement', ['run', 'layer-1024', '--out', 'layer.json'], 'layer.json'],
  ['bench', ['bench', 'water-150MeV', '--out', 'session.json'], 'session.json'],
  ['report', ['report', recorded, '-o', 'report.html'], 'report.html'],
  ['replay', ['replay', recorded, '-o', 'figures'], 'figures/roofline.svg'],
  ['export --trace', ['export', traced, '--trace', 'trace.json'], 'trace.json'],
  ['export --image', ['export', traced, '--image', 'image.tif'], 'image.tif'],
  ['export --map', ['export', traced, '--map', 'dose.nrrd'], 'dose.nrrd'],
  ['export --samples', ['export', recorded, '--samples', 'samples.csv'], 'samples.csv'],
];

describe.for(writes)('%s', ([, words, file]) => {
  beforeAll(async () => {
    await mkdir(path.dirname(inFolder(file)), { recursive: true });
    await writeFile(inFolder(file), PRECIOUS);
  });

  test('leaves a file that is there, and says how to replace it', async () => {
    const { code, stdout, stderr } = await call(words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${path.basename(file)} cannot be written: it exists already`);
    expect(stderr).toContain('Choose another name, or replace it with --force');
    expect(await readFile(inFolder(file), 'utf8')).toBe(PRECIOUS);
  });
});

test.for([
  ['report', recorded, '-o', 'report.html'],
  ['replay', recorded, '-o', 'figures'],
  ['export', traced, '--trace', 'trace.json'],
  ['export', traced, '--map', 'dose.nrrd'],
  ['export', recorded, '--samples', 'samples.csv'],
])('--force replaces it: %s', async (words) => {
  const [, , , out = ''] = words;
  const file = out === 'figures' ? 'figures/roofline.svg' : out;
  const { code, stderr } = await call([...words, '--force']);
  expect(code, stderr).toBe(0);
  expect(await readFile(inFolder(file), 'utf8')).not.toBe(PRECIOUS);
});

test('a file that appeared during the work stays', async () => {
  const file = inFolder('late.json');
  await writeFile(file, PRECIOUS);
  const asked = parseArguments([], [forceFlag]);
  await expect(writeOutput(asked, file, 'new')).rejects.toMatchObject({
    code: 'exists',
    message: expect.stringContaining('--force'),
  });
  expect(await readFile(file, 'utf8')).toBe(PRECIOUS);
  await writeOutput(parseArguments(['--force'], [forceFlag]), file, 'new');
  expect(await readFile(file, 'utf8')).toBe('new');
});
