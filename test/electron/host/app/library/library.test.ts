/** The library as pages see it: search, tags and trash. Its index contains nothing that is not in the files. */
import { cp, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileRef, LibraryItem, LibraryQuery } from '../../../../../electron/contract/files.ts';
import { Catalogue } from '../../../../../electron/host/app/library/catalogue.ts';
import type { ShellHandlers } from '../../../../../electron/host/index.ts';
import { FileAccess } from '../../../../../electron/host/io/files/access.ts';
import { Library } from '../../../../../electron/host/io/files/library.ts';
import { Locks } from '../../../../../electron/host/io/files/locks.ts';
import type { Client } from '../../../../../renderer/data/client/client.ts';
import { smallScenario } from '../../small-run.ts';
import { eventually, openTestHost, type TestHost } from '../../test-host.ts';

let test: TestHost;
let page: Client;
beforeEach(async () => {
  test = await openTestHost();
  page = await test.page();
});
afterEach(() => test.close());

const inLibrary = (key: string): FileRef => ({ kind: 'library', key });
const all: LibraryQuery = { place: 'yours', text: '', kind: null, tag: null, order: 'name', limit: 100 };

async function search(query: Partial<LibraryQuery> = {}): Promise<readonly LibraryItem[]> {
  return (await page.call('library.search', { ...all, ...query })).items;
}
const names = async (query: Partial<LibraryQuery> = {}): Promise<string[]> =>
  (await search(query)).map(({ fileName }) => fileName);

async function saveScenario(key: string, change: object = {}): Promise<void> {
  await page.call('scenario.save', {
    scenario: { ...smallScenario, ...change },
    file: inLibrary(key),
    ifExists: 'refuse',
  });
}

async function saveRun(key: string): Promise<void> {
  const { id } = await page.call('run.start', { scenario: { ...smallScenario }, name: '' });
  await test.host.runs.waitForEnd(id);
  await page.call('run.save', { run: id, file: inLibrary(key), ifExists: 'refuse' });
}

const indexFiles = async (): Promise<string[]> =>
  (await readdir(path.join(test.folder, 'index'))).map((name) => path.join(test.folder, 'index', name));

describe('the library', () => {
  it('finds scenarios and runs by any words of their text', async () => {
    await saveScenario('water.json', { name: 'Plain water', notes: 'for the Monday talk' });
    await saveScenario('slow.json', { name: 'Slow beam', beam: { energy_MeV: 12.5 } });
    await saveRun('first.h5');
    expect(await names()).toEqual(['first.h5', 'slow.json', 'water.json']);
    expect(await names({ text: 'monday WATER' })).toEqual(['water.json']);
    expect(await names({ text: '12.5 MeV' })).toEqual(['slow.json']);
    expect(await names({ text: '100%' })).toEqual([]);
    expect(await names({ kind: 'run' })).toEqual(['first.h5']);
    const [run] = await search({ kind: 'run' });
    expect(run).toMatchObject({
      file: inLibrary('first.h5'),
      name: 'small µ run',
      facts: {
        workload: 'transport',
        about: '30 MeV',
        variant: 'window',
        precision: 'fp32',
        status: 'done',
        device: 'cpu',
      },
      problem: null,
    });
    const r80 = /^R80 ([\d.]+) mm$/.exec(run?.facts.result ?? '')?.[1];
    expect(Math.abs(Number(r80) - 8.85)).toBeLessThan(0.1);
    expect(await names({ text: `r80 ${r80} mm` })).toEqual(['first.h5']);
    const examples = await search({ place: 'examples', text: 'tilted 70' });
    expect(examples).toMatchObject([{ fileName: 'tilted-45deg-70MeV.json', facts: { about: '70 MeV' } }]);
    // Examples are in folders by subject, and are opened by a path that contains the folder.
    const [image] = await search({ place: 'examples', text: 'tilted 1024' });
    expect(image).toMatchObject({ file: inLibrary('diffraction/tilted-1024.json'), fileName: 'tilted-1024.json' });
    const opened = await page.call('scenario.open', { file: inLibrary('diffraction/tilted-1024.json') });
    expect(opened).toMatchObject({ readOnly: true, draft: { kind: 'diffraction' }, issues: [] });
    // Runs recorded on GPUs are among the examples; sessions are listed in Compare.
    const recorded = await search({ place: 'examples', kind: 'run' });
    expect(recorded.map(({ fileName }) => fileName)).toContain('h200-water-70MeV-cuda-window.h5');
    expect(recorded.map(({ facts }) => facts.device)).toEqual(recorded.map(() => 'NVIDIA H200'));
    const openedRun = await page.call('run.open', {
      source: { kind: 'file', file: inLibrary('recorded/h200-water-70MeV-cuda-window.h5') },
    });
    expect(openedRun).toMatchObject({ name: 'Water, 70 MeV', file: { place: 'library' } });
    for (const key of [
      'recorded/h200-water-70MeV.json',
      'recorded/../scenarios/water-70MeV.json',
      '../library.json',
      'diffraction/../water-70MeV.json',
      'no-such/tilted-1024.json',
    ])
      await expect(page.call('scenario.open', { file: inLibrary(key) })).rejects.toThrow();
    const few = await page.call('library.search', { ...all, limit: 1 });
    expect([few.items.length, few.total, few.folder]).toEqual([1, 3, path.join(test.folder, 'library')]);
  });

  it('answers from a folder scan that began after the request', async () => {
    const folder = path.join(test.folder, 'slow');
    await mkdir(folder);
    await writeFile(path.join(folder, 'first.h5'), 'not a run');
    const requested: ReturnType<Catalogue['search']>[] = [];
    const locks = new Locks(test.folder);
    const catalogue = new Catalogue({
      dataFolder: test.folder,
      locks,
      files: new FileAccess(new Library(folder, []), locks),
      readers: {
        scenarios: { parse: () => Promise.reject(new Error('there is none')) },
        // While the first search reads its file, another file appears and a second search looks for it.
        runFacts: async () => {
          if (requested.length === 1) {
            await writeFile(path.join(folder, 'second.h5'), 'not a run');
            requested.push(catalogue.search(all), catalogue.search(all));
          }
          throw new Error('no run');
        },
      },
      onTrouble: (reason) => expect.unreachable(reason),
    });
    requested.push(catalogue.search(all));
    await requested[0];
    const answers = await Promise.all(requested);
    await catalogue.close();
    expect(answers.map(({ total }) => total)).toEqual([1, 2, 2]);
  });

  it('stores tags and remarks next to the files, and finds files by them', async () => {
    await saveScenario('a.json');
    await saveScenario('b.json');
    await page.call('library.label', { file: inLibrary('a.json'), tags: ['talk', ' talk ', 'Größe'], remark: 'Keep' });
    await page.call('library.label', { file: inLibrary('b.json'), tags: ['talk'], remark: '' });
    expect(await names({ tag: 'Größe' })).toEqual(['a.json']);
    expect(await names({ text: 'größe keep' })).toEqual(['a.json']);
    expect((await page.call('library.search', all)).tags).toEqual([
      { tag: 'talk', count: 2 },
      { tag: 'Größe', count: 1 },
    ]);
    await page.call('library.label', { file: inLibrary('b.json'), tags: [], remark: '' });
    expect(await names({ tag: 'talk' })).toEqual(['a.json']);
    // Concurrent requests do not overwrite each other's labels.
    const both = ['a.json', 'b.json'].map((name) =>
      page.call('library.label', { file: inLibrary(name), tags: ['both'], remark: '' }),
    );
    await Promise.all(both);
    expect((await names({ tag: 'both' })).sort()).toEqual(['a.json', 'b.json']);
    const example = inLibrary('water-150MeV.json');
    await expect(page.call('library.label', { file: example, tags: ['x'], remark: '' })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  it('moves files to the trash and back with their tags, and never overwrites another file', async () => {
    await saveScenario('a.json', { name: 'The first' });
    await page.call('library.label', { file: inLibrary('a.json'), tags: ['old'], remark: '' });
    const { id } = await page.call('library.trash', { file: inLibrary('a.json') });
    expect(await names()).toEqual([]);
    expect(await search({ place: 'trash' })).toMatchObject([{ id, file: null, fileName: 'a.json', tags: ['old'] }]);
    await saveScenario('a.json', { name: 'The second' });
    expect((await search()).map(({ tags }) => tags)).toEqual([[]]);
    expect((await page.call('library.restore', { id })).name).toBe('a 2.json');
    expect((await search({ order: 'name' })).map(({ fileName, name, tags }) => [fileName, name, tags])).toEqual([
      ['a 2.json', 'The first', ['old']],
      ['a.json', 'The second', []],
    ]);
    expect(await search({ place: 'trash' })).toEqual([]);
    for (const forged of ['../a.json', '2026-01-02T03-04-05.678Z~..', '2026-01-02T03-04-05.678Z~../../x.json']) {
      await expect(page.call('library.restore', { id: forged })).rejects.toMatchObject({ name: 'BraggError' });
    }
  });

  it('lists an unreadable file with the reason', async () => {
    await saveRun('cut.h5');
    await truncate(path.join(test.folder, 'library', 'cut.h5'), 3000);
    await writeFile(path.join(test.folder, 'library', 'empty.h5'), '');
    await writeFile(path.join(test.folder, 'library', 'bad.json'), '{ "kind": "transport", "version": 1, "beam": 3 }');
    await writeFile(path.join(test.folder, 'library', 'x.session.json'), '{}');
    const problems = Object.fromEntries((await search()).map(({ fileName, problem }) => [fileName, problem]));
    expect(problems).toMatchObject({
      'cut.h5': 'cut.h5 cannot be opened as a run: it is truncated.',
      'empty.h5': expect.stringMatching(/empty\.h5 cannot be opened as a run/),
      'bad.json': expect.stringMatching(/^beam: /),
      'x.session.json': expect.stringMatching(/is not a Braggbench benchmark/),
    });
  });

  it('notifies pages of changes in the folder, made by itself or by other programs', async () => {
    await saveScenario('a.json');
    let revision = 0;
    const heard = (frame: { readonly revision: number }): void => {
      revision = frame.revision;
    };
    page.stream('library', {}, { frame: heard });
    await eventually(() => revision > 0);
    const first = revision;
    await saveScenario('b.json');
    await eventually(() => revision > first);
    await search();
    const second = revision;
    await writeFile(path.join(test.folder, 'library', 'c.json'), JSON.stringify(smallScenario));
    await eventually(() => revision > second);
    expect(await names()).toEqual(['a.json', 'b.json', 'c.json']);
  });

  it('notifies pages when another program creates the folder', async () => {
    let frames = 0;
    page.stream(
      'library',
      {},
      {
        frame: () => {
          frames += 1;
        },
      },
    );
    await eventually(() => frames > 0);
    const folder = path.join(test.folder, 'library');
    expect(await readdir(test.folder)).not.toContain('library');
    const before = frames;
    await mkdir(folder);
    await eventually(() => frames > before);
    const created = frames;
    await writeFile(path.join(folder, 'sum-attempt-0001.cpp'), '');
    await eventually(() => frames > created);
  });

  it('switches to the folder that the user selects, and keeps it after a restart', async () => {
    await saveScenario('here.json');
    const other = path.join(test.folder, 'elsewhere');
    const shell = { chooseFolder: async () => other } as unknown as ShellHandlers;
    const desktop = await test.page(shell);
    expect(await desktop.call('library.chooseFolder', {})).toEqual({ folder: other });
    expect(test.host.capabilities().shell.libraryFolder).toBe(other);
    expect(await names()).toEqual([]);
    await saveScenario('there.json');
    expect(await readdir(other)).toEqual(['there.json']);
    const settings = JSON.parse(await readFile(path.join(test.folder, 'settings.json'), 'utf8')) as object;
    expect(settings).toMatchObject({ version: 1, settings: { libraryFolder: other } });
    await expect(page.call('library.chooseFolder', {})).rejects.toMatchObject({ code: 'unsupported' });
  });
});

describe('the index of the library', () => {
  beforeEach(async () => {
    await saveScenario('a.json', { name: 'Alpha' });
    await page.call('library.label', { file: inLibrary('a.json'), tags: ['kept'], remark: 'mine' });
    await search();
  });

  it.each([
    ['deleted', (file: string) => writeFile(file, '')],
    [
      'overwritten with something else',
      (file: string) => writeFile(file, 'not a database at all, but long enough '.repeat(400)),
    ],
    ['cut off', (file: string) => truncate(file, 5000)],
  ])('is rebuilt from the files if it was %s while the program was not running', async (_what, harm) => {
    const { folder } = test;
    await test.host.close();
    for (const file of await indexFiles()) await harm(file);
    const again = await openTestHost({ dataFolder: folder });
    try {
      const client = await again.page();
      const { items } = await client.call('library.search', all);
      expect(items).toMatchObject([{ fileName: 'a.json', name: 'Alpha', tags: ['kept'], remark: 'mine' }]);
    } finally {
      await again.close();
    }
  });

  it('follows files that other programs change, add or remove', async () => {
    const folder = path.join(test.folder, 'library');
    await writeFile(path.join(folder, 'a.json'), JSON.stringify({ ...smallScenario, name: 'Changed' }));
    await writeFile(
      path.join(folder, 'b.yaml'),
      'kind: transport\nversion: 1\nname: From YAML\nbeam: { energy_MeV: 70 }\n',
    );
    expect((await search()).map(({ name }) => name)).toEqual(['Changed', 'From YAML']);
    await page.call('library.trash', { file: inLibrary('b.yaml') });
    expect(await names()).toEqual(['a.json']);
    expect(await page.call('library.rebuild', {})).toEqual({ files: 1 });
    expect((await search({ tag: 'kept' })).map(({ name }) => name)).toEqual(['Changed']);
  });

  it('renames damaged tag files instead of overwriting them', async () => {
    const folder = path.join(test.folder, 'library', '.braggbench');
    await writeFile(path.join(folder, 'labels.json'), '{ "version": 1, "labels": {');
    expect((await search())[0]?.tags).toEqual([]);
    expect((await readdir(folder)).some((name) => name.startsWith('labels.json.damaged-'))).toBe(true);
  });
});

describe('user kernels of the library', () => {
  const base = { workload: 'transport', bench: '', id: 'gather' } as const;

  it('are listed as kernels, and stay trusted while edited here, until another program changes them', async () => {
    const { files } = await page.call('userKernels.templates', { base });
    const of = { beside: null, id: 'mine.cpp' };
    const made = await page.call('userKernels.create', { ...of, base, replaces: files[0] ?? '' });
    expect(made.trusted).toBe(true);
    expect(await search({ kind: 'kernel' })).toMatchObject([
      { fileName: 'mine.json', kind: 'kernel', problem: null, facts: { workload: 'transport', variant: 'gather' } },
    ]);
    expect((await search({ kind: 'scenario' })).map(({ fileName }) => fileName)).not.toContain('mine.json');

    const { text, info } = await page.call('userKernels.read', of);
    const edited = await page.call('userKernels.save', { ...of, text: `${text}// mine\n`, sha256: info.sha256 });
    expect(edited).toMatchObject({ trusted: true });
    expect(edited.sha256).not.toBe(made.sha256);
    const compile = { fmad: false };
    const options = await page.call('userKernels.options', { ...of, compile, sha256: edited.sha256 });
    expect(options.trusted).toBe(true);

    // Content from another program needs trust, and so does an edit of it.
    await writeFile(path.join(test.folder, 'library', 'mine.cpp'), `${text}// theirs\n`);
    const theirs = await page.call('userKernels.read', of);
    expect(theirs.info.trusted).toBe(false);
    const over = await page.call('userKernels.save', { ...of, text: `${theirs.text}\n`, sha256: theirs.info.sha256 });
    expect(over.trusted).toBe(false);
    // A save without a previous read of the file cannot inherit its trust.
    const blind = await page.call('userKernels.save', { ...of, text: `${text}// mine\n// again\n`, sha256: null });
    expect(blind.trusted).toBe(false);
  });

  it.each(['online.cpp', 'numpy.py'])(
    'are rejected with compiler options for the candidate %s, and no file is written',
    async (id) => {
      const problem = path.join(test.folder, 'softmax');
      await cp(path.resolve('assets/problems/softmax-rows'), problem, { recursive: true });
      const { file } = test.host.grant(path.join(problem, 'problem.json'));
      const [before, source] = [await readdir(problem), await readFile(path.join(problem, id), 'utf8')];
      const { info } = await page.call('userKernels.read', { beside: file, id });
      await expect(
        page.call('userKernels.options', { beside: file, id, compile: { fmad: false }, sha256: info.sha256 }),
      ).rejects.toThrow(`${id} is a candidate of a problem`);
      expect([await readdir(problem), await readFile(path.join(problem, id), 'utf8')]).toEqual([before, source]);
    },
  );
});
