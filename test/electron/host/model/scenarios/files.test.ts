import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BraggError } from '../../../../../electron/contract/errors.ts';
import { formatIssue } from '../../../../../electron/contract/scenario/index.ts';
import { checkFolderWritable } from '../../../../../electron/host/io/files/write-file.ts';
import { checkWritable } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { onLinux } from '../../../../unless.ts';
import { assetsFolder, expectRefused, hostileSamples, issueLines, scenarios } from './open.ts';

const folder = scratchFolder('files');

async function issuesOfFile(bytes: Uint8Array | string, name = 's.json'): Promise<readonly string[]> {
  await writeFile(join(folder, name), bytes);
  const { issues } = await scenarios.read(join(folder, name));
  return issues.map((issue) => formatIssue({ ...issue, file: name }));
}

describe('files that are not scenarios', () => {
  test('are rejected with one reason', async () => {
    expect(issueLines(await scenarios.read(join(folder, 'none.json')))).toEqual([
      `${folder}/none.json: there is no such file`,
    ]);
    expect(issueLines(await scenarios.read(folder))).toEqual([`${folder}: is a folder, not a file`]);
    expect(await issuesOfFile(Uint8Array.of(0xff, 0xfe, 0x7b, 0))).toEqual(['s.json: is not UTF-8 text']);
    expect(await issuesOfFile(' '.repeat(256 * 1024 + 1))).toEqual([
      's.json: is larger than 256 KiB, the limit for scenarios',
    ]);
  });

  test('are read only up to the limit, even if they never end', async () => {
    expect(issueLines(await scenarios.read('/dev/zero'))).toEqual([
      '/dev/zero: is larger than 256 KiB, the limit for scenarios',
    ]);
  });
});

test('a neighbouring file is suggested for a missing one', async () => {
  await writeFile(join(folder, 'water.yaml'), 'kind: transport');
  expect(issueLines(await scenarios.read(join(folder, 'wather.json')))).toEqual([
    `${folder}/wather.json: there is no such file (did you mean ${folder}/water.yaml?)`,
  ]);
  // The name of a shipped scenario is not accepted as a path in another folder.
  expect(issueLines(await scenarios.read(join(folder, 'bone-slab-150MeV.json')))).toEqual([
    `${folder}/bone-slab-150MeV.json: there is no such file`,
  ]);
  expect(issueLines(await scenarios.read(join(folder, 'none/water.yaml')))).toEqual([
    `${folder}/none/water.yaml: there is no such file`,
  ]);
});

describe('hostile text of the maximum size is rejected within seconds, also on a busy machine', () => {
  test.each(hostileSamples)('%s', expectRefused);
});

describe('writing a scenario', () => {
  test('replaces the complete file and leaves no temporary file', async () => {
    const path = join(folder, 'w', 'out.json');
    await mkdir(join(folder, 'w'));
    await writeFile(path, 'old');
    await scenarios.write(path, { version: 1, kind: 'transport', beam: { energy_MeV: 70 } });
    expect(await readFile(path, 'utf8')).toBe(
      '{\n  "kind": "transport",\n  "version": 1,\n  "beam": { "energy_MeV": 70 }\n}\n',
    );
    expect(await readdir(join(folder, 'w'))).toEqual(['out.json']);
  });

  test('does not overwrite a file without permission', async () => {
    const path = join(folder, 'kept.json');
    await scenarios.write(path, { a: 1 }, 'refuse');
    await expect(scenarios.write(path, { a: 2 }, 'refuse')).rejects.toMatchObject({ code: 'exists' });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ a: 1 });
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('reports a missing folder', async () => {
    const failure = scenarios.write(join(folder, 'none', 'x.json'), {});
    await expect(failure).rejects.toBeInstanceOf(BraggError);
    await expect(failure).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('x.json cannot be written'),
    });
  });

  test('does not change folders and devices, and keeps private files private', async (context) => {
    const taken = join(folder, 'taken.json');
    await mkdir(taken);
    const refused = { code: 'invalid', message: `${taken} cannot be written: it is a folder` };
    await expect(scenarios.write(taken, {})).rejects.toMatchObject(refused);
    await expect(checkWritable(taken, 'replace')).rejects.toMatchObject(refused);
    await expect(checkWritable(join(folder, 'new.json'), 'refuse')).resolves.toBeUndefined();
    expect((await readdir(folder)).filter((name) => /\.tmp$|new/.test(name))).toEqual([]);
    if (process.platform === 'win32') return context.skip('devices and permissions are of POSIX');
    await expect(checkWritable('/dev/null', 'replace')).rejects.toMatchObject({
      message: expect.stringContaining('a device'),
    });
    const secret = join(folder, 'secret.json');
    await writeFile(secret, 'old', { mode: 0o600 });
    await scenarios.write(secret, {});
    expect((await stat(secret)).mode & 0o777).toBe(0o600);
  });

  test('is checked in advance, even where the file mode would allow root to write', onLinux, async () => {
    await expect(checkWritable('/proc/run.h5', 'refuse')).rejects.toMatchObject({
      code: 'io',
      message: expect.stringMatching(
        /^\/proc\/run\.h5 cannot be written: (its folder is not writable|permission denied)$/,
      ),
    });
  });

  test('checks a results folder at its final location, and leaves it unchanged', async () => {
    await expect(checkFolderWritable(join(folder, 'new', 'study'))).resolves.toBeUndefined();
    expect((await readdir(folder)).filter((name) => /\.tmp$|new/.test(name))).toEqual([]);
    const file = join(folder, 'plain.json');
    await writeFile(file, '{}');
    for (const one of [file, join(file, 'study')]) {
      const message = `${one} cannot be written: ${file} is not a folder`;
      await expect(checkFolderWritable(one)).rejects.toMatchObject({ code: 'invalid', message });
    }
  });

  test('keeps the old file if the process is killed midway', async () => {
    const path = join(folder, 'crash.json');
    await writeFile(path, 'old');
    const module = join(import.meta.dirname, '../../../../../electron/host/io/files/write-file.ts');
    // The child dies after writing, before it renames the file.
    const script = `import fs from 'node:fs/promises'; import { syncBuiltinESMExports } from 'node:module';
      fs.rename = () => process.exit(7); syncBuiltinESMExports();
      const { writeAtomically } = await import(${JSON.stringify(module)});
      await writeAtomically(${JSON.stringify(path)}, 'new', 'replace');`;
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' })).toThrow();
    expect(await readFile(path, 'utf8')).toBe('old');
  });
});

describe('the shipped scenarios', async () => {
  const shipped = (await readdir(join(assetsFolder, 'scenarios'))).filter((name) => name.endsWith('.json'));

  test('are exactly these nine files', () => {
    expect(shipped.sort()).toEqual([
      'bone-edge-150MeV.json',
      'bone-slab-150MeV.json',
      'dense-36M.json',
      'monte-carlo-138MeV.json',
      'tilted-45deg-70MeV.json',
      'uniform-grid-70MeV.json',
      'water-150MeV.json',
      'water-200MeV.json',
      'water-70MeV.json',
    ]);
  });

  test.each(shipped)('%s has no issues, has notes, and is formatted by the writer', async (name) => {
    const path = join(assetsFolder, 'scenarios', name);
    const reading = await scenarios.read(path);
    // This example uses the grid of an earlier solver, which widens the beam. The warnings say so.
    const expected =
      name === 'uniform-grid-70MeV.json'
        ? [expect.stringContaining('of range spread'), expect.stringContaining('widens the distal falloff')]
        : [];
    expect(issueLines(reading)).toEqual(expected);
    expect(reading.scenario?.name).not.toBe('');
    expect(reading.scenario?.notes.length).toBeGreaterThan(60);
    expect(scenarios.text(reading.document)).toBe(await readFile(path, 'utf8'));
  });
});
