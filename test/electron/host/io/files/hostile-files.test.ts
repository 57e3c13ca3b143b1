/** File names that are in use, and pipes instead of files: no file is overwritten, and no request blocks. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../../../renderer/data/client/client.ts';
import { onPosix } from '../../../../unless.ts';
import { smallScenario } from '../../small-run.ts';
import { openTestHost, type TestHost } from '../../test-host.ts';

let test: TestHost;
let page: Client;
let library = '';
beforeEach(async () => {
  test = await openTestHost();
  page = await test.page();
  library = path.join(test.folder, 'library');
});
afterEach(() => test.close());

const inLibrary = (key: string) => ({ kind: 'library', key }) as const;
const base = { workload: 'transport', bench: '', id: 'window' } as const;
const cuda = { workload: 'transport', bench: '', id: 'cuda-window' } as const;

async function createKernel(id: string, of: typeof base | typeof cuda): Promise<unknown> {
  const { files } = await page.call('userKernels.templates', { base: of });
  return page.call('userKernels.create', { beside: null, id, base: of, replaces: files[0] ?? '' });
}

describe('a user kernel whose description file would have the name of an existing file', () => {
  it('is not created, and an existing scenario stays a scenario', async () => {
    await page.call('scenario.save', {
      scenario: { ...smallScenario },
      file: inLibrary('precious.json'),
      ifExists: 'refuse',
    });
    const before = await readFile(path.join(library, 'precious.json'), 'utf8');
    await expect(createKernel('precious.cpp', base)).rejects.toMatchObject({
      code: 'exists',
      message: expect.stringMatching(/^precious\.cpp could not be created: .* precious\.json/),
    });
    expect(await readFile(path.join(library, 'precious.json'), 'utf8')).toBe(before);
    expect((await readdir(library)).filter((name) => !name.startsWith('.'))).toEqual(['precious.json']);
  });

  it('is not created if code for the other device has that description', async () => {
    await createKernel('my.cpp', base);
    const before = await readFile(path.join(library, 'my.json'), 'utf8');
    await expect(createKernel('my.cu', cuda)).rejects.toMatchObject({ code: 'exists' });
    expect(await readFile(path.join(library, 'my.json'), 'utf8')).toBe(before);
    expect((await readdir(library)).sort()).toEqual(['my.cpp', 'my.json']);
  });

  it('leaves no description behind if its code file exists', async () => {
    await mkdir(library, { recursive: true });
    await writeFile(path.join(library, 'mine.cpp'), '// mine');
    await expect(createKernel('mine.cpp', base)).rejects.toMatchObject({ code: 'exists' });
    expect(await readdir(library)).toEqual(['mine.cpp']);
    expect(await readFile(path.join(library, 'mine.cpp'), 'utf8')).toBe('// mine');
  });
});

describe('a pipe in place of a file', onPosix, () => {
  const makePipe = (name: string): string => {
    const place = path.join(library, name);
    execFileSync('mkfifo', [place]);
    return place;
  };
  beforeEach(() => mkdir(library, { recursive: true }));

  it('is reported without blocking for tables that a scenario names, for up to as many as there are threads', async () => {
    makePipe('pipe.csv');
    const scenario = { ...smallScenario, physics: { stopping_power: { kind: 'file', file: 'pipe.csv' } } };
    await page.call('scenario.save', { scenario, file: inLibrary('pipes.json'), ifExists: 'refuse' });
    const requested = Array.from({ length: 12 }, () =>
      page.call('scenario.resolve', { scenario, file: inLibrary('pipes.json') }),
    );
    for (const { issues } of await Promise.all(requested)) {
      expect(issues.map(({ message }) => message).join('\n')).toContain('is a pipe, not a file');
    }
    // The pipes do not block other requests: other files can still be read.
    expect((await page.call('scenario.open', { file: inLibrary('pipes.json') })).draft).toMatchObject(scenario);
  });

  it('is reported for scenarios, runs, sessions and traces chosen by the user', async () => {
    const chosen = (name: string) => test.host.grant(makePipe(name)).file;
    const outside = path.join(test.folder, 'outside');
    await mkdir(outside);
    library = outside;
    const scenario = await page.call('scenario.open', { file: chosen('a.json') });
    expect(scenario.issues.map(({ message }) => message)).toEqual(['is a pipe, not a file']);
    const refused = { code: 'foreign-file', message: expect.stringContaining('is a pipe or a device, not a file') };
    await expect(page.call('run.open', { source: { kind: 'file', file: chosen('b.h5') } })).rejects.toMatchObject(
      refused,
    );
    const session = { kind: 'file', file: chosen('c.session.json') } as const;
    await expect(page.call('bench.open', { source: session })).rejects.toMatchObject(refused);
    await expect(
      page.call('timeline.open', { source: { kind: 'file', file: chosen('d.json') } }),
    ).rejects.toMatchObject(refused);
  });
});
