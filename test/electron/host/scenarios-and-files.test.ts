import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileRef } from '../../../electron/contract/files.ts';
import { narrowResolvedScenario } from '../../../electron/contract/scenarios.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { assetsFolder, smallScenario } from './small-run.ts';
import { eventually, openTestHost, type TestHost } from './test-host.ts';

let test: TestHost;
let page: Client;
beforeEach(async () => {
  test = await openTestHost();
  page = await test.page();
});
afterEach(() => test.close());

const inLibrary = (key: string): FileRef => ({ kind: 'library', key });

describe('scenarios in the host', () => {
  it('are returned as a draft if they have errors, with the line of every issue', async () => {
    const text = '{\n  "kind": "transport",\n  "version": 1,\n  "beam": { "energy_MeV": 900 },\n  "gird": {}\n}\n';
    const { draft, issues } = await page.call('scenario.parse', { text, name: 'a.json' });
    expect(draft).toMatchObject({ beam: { energy_MeV: 900 } });
    expect(issues.map(({ file, line, path: at }) => [file, line, at])).toEqual([
      ['a.json', 4, 'beam.energy_MeV'],
      ['a.json', 5, 'gird'],
    ]);
    expect((await page.call('scenario.parse', { text: 'not a scenario: [', name: 'b.yaml' })).draft).toBeNull();
  });

  it('are sent as text with an error if they contain numbers that no frame can carry', async () => {
    for (const [written, shown] of [
      ['.nan', 'NaN'],
      ['.inf', 'Infinity'],
      ['-1e999', '-Infinity'],
    ] as const) {
      const text = `kind: transport\nversion: 1\nbeam: {energy_MeV: ${written}}\n`;
      const { draft, issues } = await page.call('scenario.parse', { text, name: 'a.yaml' });
      expect(draft).toMatchObject({ beam: { energy_MeV: shown } });
      expect(issues).toMatchObject([{ path: 'beam.energy_MeV', line: 3, message: /is not a finite number/ }]);
    }
  });

  it('are resolved to grid, memory and range; a memory limit is an issue at its field', async () => {
    const { issues, resolved: any } = await page.call('scenario.resolve', { scenario: { ...smallScenario } });
    const resolved = narrowResolvedScenario('transport', any);
    expect(issues).toEqual([]);
    expect(resolved).toMatchObject({ grid: { nz: 44, nx: 24, ntheta: 41 }, variant: 'window', table: /PSTAR/ });
    expect(resolved?.range_mm).toBeCloseTo(8.852, 2);
    expect(resolved?.cells).toBe(44 * 24 * 41 * (resolved?.grid.ne ?? 0));
    const refusals = Object.fromEntries(resolved?.variants.map(({ id, refusal }) => [id, refusal]) ?? []);
    expect(refusals).toMatchObject({ window: null, depth: null });
    const said = { ...smallScenario, solver: { ...smallScenario.solver, stepping: 'path', precision: 'fp32' } };
    const { resolved: bound } = await page.call('scenario.resolve', { scenario: said });
    expect(bound?.variants.filter(({ id }) => id === 'depth' || id === 'reference')).toEqual([
      { id: 'reference', refusal: 'It does not offer fp32.' },
      { id: 'depth', refusal: 'It does not offer path stepping.' },
    ]);
    const large = {
      kind: 'transport',
      version: 1,
      beam: { energy_MeV: 200 },
      solver: { variant: 'reference', precision: 'fp64' },
    };
    const refused = await page.call('scenario.resolve', { scenario: large });
    expect(refused.resolved).toBeNull();
    expect(refused.issues).toMatchObject([
      { severity: 'error', path: 'solver.variant', message: /needs about .* the limit is 2.00 GiB/ },
    ]);
  });

  it('are saved to the library in a stable form, listed and opened again', async () => {
    const named = await page.call('scenario.save', {
      scenario: { ...smallScenario },
      file: inLibrary('mine.json'),
      ifExists: 'refuse',
    });
    expect(named).toMatchObject({ file: inLibrary('mine.json'), name: 'mine.json', place: 'library' });
    const { text } = await page.call('scenario.text', { scenario: { ...smallScenario } });
    expect(await readFile(path.join(test.folder, 'library', 'mine.json'), 'utf8')).toBe(text);
    await expect(
      page.call('scenario.save', { scenario: { ...smallScenario }, file: inLibrary('mine.json'), ifExists: 'refuse' }),
    ).rejects.toMatchObject({ code: 'exists' });
    await page.call('scenario.save', {
      scenario: { ...smallScenario, name: 'other' },
      file: inLibrary('mine.json'),
      ifExists: 'replace',
    });
    const opened = await page.call('scenario.open', { file: inLibrary('mine.json') });
    expect(opened).toMatchObject({ draft: { name: 'other' }, issues: [], readOnly: false });
    const { entries } = await page.call('scenario.library', {});
    expect(entries[0]).toMatchObject({ fileName: 'mine.json', name: 'other', readOnly: false });
    expect(entries.filter((entry) => entry.readOnly).length).toBeGreaterThanOrEqual(8);
    const { files } = await page.call('scenario.recent', {});
    expect(files.map((file) => file.name)).toEqual(['mine.json']);
    await page.call('scenario.clearRecent', {});
    expect((await page.call('scenario.recent', {})).files).toEqual([]);
  });

  it('are read-only and never overwritten if they ship with the program', async () => {
    const opened = await page.call('scenario.open', { file: inLibrary('water-70MeV.json') });
    expect(opened).toMatchObject({ readOnly: true, issues: [] });
    await expect(
      page.call('scenario.save', {
        scenario: { ...smallScenario },
        file: inLibrary('water-70MeV.json'),
        ifExists: 'replace',
      }),
    ).rejects.toMatchObject({ code: 'exists' });
    // Examples are also protected when opened by their path, as `npm start` does.
    const granted = test.host.grant(path.join(assetsFolder, 'scenarios', 'water-70MeV.json'));
    expect(granted.file).toEqual(inLibrary('water-70MeV.json'));
  });

  it('find a stopping power table next to their file, also as a draft', async () => {
    await mkdir(path.join(test.folder, 'library'), { recursive: true });
    const water = await readFile(path.join(assetsFolder, 'materials', 'stopping', 'water-icru49.csv'), 'utf8');
    await writeFile(path.join(test.folder, 'library', 'mine.csv'), water);
    const scenario = { ...smallScenario, physics: { stopping_power: { file: 'mine.csv' } } };
    const unsaved = await page.call('scenario.resolve', { scenario });
    expect(unsaved.issues.map((issue) => issue.path)).toEqual(['physics.stopping_power.file']);
    await page.call('scenario.save', { scenario, file: inLibrary('mine.json'), ifExists: 'refuse' });
    const saved = await page.call('scenario.resolve', { scenario, file: inLibrary('mine.json') });
    expect(saved.issues).toEqual([]);
    const outside = { ...smallScenario, physics: { stopping_power: { file: '../../etc/passwd' } } };
    const refused = await page.call('scenario.resolve', { scenario: outside, file: inLibrary('mine.json') });
    expect(refused.resolved).toBeNull();
    expect(JSON.stringify(refused.issues)).not.toContain('root:');
  });

  it('are saved to the file that the user chose, and are listed as recent after a restart', async () => {
    const chosen = path.join(test.folder, 'elsewhere.yaml');
    await writeFile(chosen, 'kind: transport\nversion: 1\nbeam: { energy_MeV: 30 }\n');
    const { file, name, place } = test.host.grant(chosen);
    expect({ name, place }).toEqual({ name: 'elsewhere.yaml', place: chosen });
    const opened = await page.call('scenario.open', { file });
    expect(opened.draft).toMatchObject({ beam: { energy_MeV: 30 } });
    await page.call('scenario.save', { scenario: { ...smallScenario }, file, ifExists: 'replace' });
    expect((await page.call('scenario.open', { file })).draft).toMatchObject({ name: 'small µ run' });
    await test.host.close();
    const next = await openTestHost({ dataFolder: test.folder });
    try {
      const { files } = await (await next.page()).call('scenario.recent', {});
      expect(files.map((recent) => recent.place)).toEqual([chosen]);
    } finally {
      await next.close();
    }
  });
});

describe('a page has no access to', () => {
  it.each([
    '../secret.json',
    '..',
    '../../etc/passwd',
    '/etc/passwd',
    'a/b.json',
    'a\\b.json',
    'C:\\x.json',
    '.hidden.json',
    'x\u0000.json',
    'con.json',
    'mine.exe',
    'mine',
    'mine.json ',
    ' mine.json',
    'recent.json/',
  ])('a library name such as %j', async (key) => {
    await writeFile(path.join(test.folder, 'secret.json'), '{"secret": true}');
    await expect(page.call('scenario.open', { file: inLibrary(key) })).rejects.toMatchObject({ code: 'invalid' });
    const bytes = new Uint8Array([1]);
    await expect(page.call('file.write', { file: inLibrary(key), bytes, ifExists: 'replace' })).rejects.toMatchObject({
      code: 'invalid',
    });
  });

  it('a file outside the library through a link in it', async () => {
    const library = path.join(test.folder, 'library');
    await mkdir(library, { recursive: true });
    const secret = path.join(test.folder, 'secret.json');
    await writeFile(secret, '{"kind": "transport", "version": 1, "name": "secret"}');
    await symlink(secret, path.join(library, 'link.json'));
    await expect(page.call('scenario.open', { file: inLibrary('link.json') })).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(JSON.stringify(await page.call('scenario.library', {}))).not.toContain('secret');
    await expect(
      page.call('scenario.save', { scenario: { ...smallScenario }, file: inLibrary('link.json'), ifExists: 'replace' }),
    ).rejects.toMatchObject({ code: 'io' });
    expect(await readFile(secret, 'utf8')).toContain('secret');
  });

  it('a file to which it was granted no access', async () => {
    test.host.grant(path.join(test.folder, 'recent.json'));
    await expect(page.call('scenario.open', { file: { kind: 'granted', key: 'guess' } })).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(page.call('scenario.open', { file: { kind: 'granted', key: '/etc/passwd' } })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('a method or parameters outside the contract', async () => {
    const call = page.call as (method: string, params: unknown) => Promise<unknown>;
    await expect(call.call(page, 'process.exit', {})).rejects.toMatchObject({ code: 'bad-request' });
    await expect(call.call(page, '__proto__', {})).rejects.toMatchObject({ code: 'bad-request' });
    await expect(call.call(page, 'run.list', { extra: 1 })).rejects.toMatchObject({ code: 'bad-request' });
    await expect(call.call(page, 'run.start', { scenario: 'x', name: 3 })).rejects.toMatchObject({
      code: 'bad-request',
    });
    await expect(call.call(page, 'scenario.open', { path: '/etc/passwd' })).rejects.toMatchObject({
      code: 'bad-request',
    });
  });
});

describe('run files', () => {
  async function finishedRun(): Promise<string> {
    const { id } = await page.call('run.start', { scenario: { ...smallScenario }, name: '' });
    await test.host.runs.waitForEnd(id);
    return id;
  }

  it('are saved, listed, opened again and uploaded, and give the same numbers', async () => {
    const id = await finishedRun();
    const summary = await page.call('run.summary', { run: id });
    const named = await page.call('run.save', { run: id, file: inLibrary('mine.h5'), ifExists: 'refuse' });
    expect(named.name).toBe('mine.h5');
    expect((await page.call('run.list', {})).runs[0]?.file).toEqual(named);
    const listed = { text: '', kind: 'run', tag: null, order: 'newest', limit: 10 } as const;
    const yours = await page.call('library.search', { ...listed, place: 'yours' });
    expect(yours.items).toMatchObject([
      { fileName: 'mine.h5', bytes: (await stat(path.join(test.folder, 'library', 'mine.h5'))).size },
    ]);
    const opened = await page.call('run.open', { source: { kind: 'file', file: inLibrary('mine.h5') } });
    expect(opened).toMatchObject({ state: 'done', name: 'small µ run', file: named });
    expect(opened.headline).toEqual({ name: 'R80', value: summary.metrics.r80_mm, unit: 'mm' });
    expect(await page.call('run.summary', { run: opened.id })).toEqual(summary);
    expect((await page.call('run.scenario', { run: opened.id })).scenario).toEqual(
      (await page.call('run.scenario', { run: id })).scenario,
    );
    const exported = await page.call('run.export', { run: id, what: 'run' });
    const uploaded = await page.call('run.open', {
      source: { kind: 'bytes', name: exported.name, bytes: exported.bytes },
    });
    expect(await page.call('run.summary', { run: uploaded.id })).toEqual(summary);
    expect(uploaded.file).toBeNull();
    // Progress and live streams of a run from a file end at once.
    const ends: unknown[] = [];
    page.stream('run.progress', { run: opened.id }, { frame: () => undefined, end: (error) => ends.push(error) });
    page.stream(
      'run.live',
      { run: opened.id, maps: [], depthDose: false },
      { frame: () => undefined, end: (e) => ends.push(e) },
    );
    await eventually(() => ends.length === 2);
    expect(ends).toEqual([null, null]);
  });

  it('are rejected in one sentence if they are invalid', async () => {
    const bytes = new TextEncoder().encode('no run');
    await expect(page.call('run.open', { source: { kind: 'bytes', name: 'x.h5', bytes } })).rejects.toMatchObject({
      code: 'foreign-file',
      message: 'x.h5 cannot be opened as a run: it is not an HDF5 file.',
    });
    await expect(
      page.call('run.open', { source: { kind: 'file', file: inLibrary('nothing.h5') } }),
    ).rejects.toMatchObject({ code: 'not-found' });
  });

  it('are not written if the folder is missing, and the old file stays unchanged', async () => {
    const id = await finishedRun();
    const lost = test.host.grant(path.join(test.folder, 'no such folder', 'a.h5'));
    await expect(page.call('run.save', { run: id, file: lost.file, ifExists: 'replace' })).rejects.toMatchObject({
      name: 'BraggError',
      message: /no such folder/,
    });
  });

  it('export tables that read back to the same numbers', async () => {
    const id = await finishedRun();
    const text = async (what: 'dose' | 'depth-dose' | 'moments' | 'ledger' | 'summary'): Promise<string> =>
      new TextDecoder().decode((await page.call('run.export', { run: id, what })).bytes);
    const { curve } = await page.call('run.depthDose', { run: id });
    const rows = (await text('depth-dose')).trim().split('\n');
    expect(rows[0]).toBe('depth_mm,dose_MeV_per_mm,dose_per_mass_nGy_mm2');
    const columns = rows.slice(1).map((row) => row.split(',').map(Number));
    expect(columns.map(([, dose]) => dose)).toEqual([...curve.values]);
    // In water of density 1, 1 MeV/mm is 1.602e-13 J over 1e-6 kg/mm³.
    for (const [, dose = 0, byMass = 0] of columns) expect(byMass).toBeCloseTo(160.2176634 * dose, 6);
    const summary = JSON.parse(await text('summary')) as { metrics: { sigma_x_mm: [number, number][] } };
    const { metrics } = await page.call('run.summary', { run: id });
    expect(summary.metrics.sigma_x_mm.map(([depth]) => depth)).toEqual([...metrics.sigma_x.depth_mm]);
    expect((await text('ledger')).split('\n')[0]).toMatch(/^step,number_in,.*energy_deposited_MeV,energy_rel_error,/);
    expect((await text('dose')).trim().split('\n').length).toBe(45);
    expect((await text('moments')).split('\n')[0]).toContain('sigma_x_mm');
  });
});

describe('the desktop shell', () => {
  it('chooses files, receives the document state, and sends its events only to its own page', async () => {
    const seen: unknown[] = [];
    const emitters: ((event: { kind: 'command'; id: string }) => void)[] = [];
    const windowed = await test.page({
      choose: async (purpose) => (purpose === 'save-run' ? path.join(test.folder, 'chosen.h5') : null),
      chooseFolder: async () => null,
      document: (state) => seen.push(state),
      menu: (commands) => seen.push(commands.length),
      close: (request, close) => seen.push([request, close]),
      pdf: async (html) => new TextEncoder().encode(html),
      events: (to) => {
        emitters.push(to);
        return () => seen.push('stopped');
      },
    });
    const events: unknown[] = [];
    const others: unknown[] = [];
    windowed.stream('shell.events', {}, { frame: (event) => void events.push(event) });
    page.stream('shell.events', {}, { frame: () => undefined, end: (error) => others.push(error) });
    await eventually(() => emitters.length === 1);
    emitters[0]?.({ kind: 'command', id: 'run' });
    expect(await windowed.call('file.choose', { purpose: 'open-run', suggestedName: '' })).toEqual({ file: null });
    const { bytes } = await windowed.call('shell.pdf', { html: '<p>µ</p>' });
    expect(new TextDecoder().decode(bytes)).toBe('<p>µ</p>');
    await expect(page.call('shell.pdf', { html: '' })).rejects.toThrow('No printer is available here');
    const { file } = await windowed.call('file.choose', { purpose: 'save-run', suggestedName: 'a.h5' });
    expect(file).toMatchObject({ name: 'chosen.h5' });
    if (file === null) return;
    await windowed.call('file.write', { file: file.file, bytes: new Uint8Array([7]), ifExists: 'refuse' });
    expect([...(await readFile(path.join(test.folder, 'chosen.h5')))]).toEqual([7]);
    await windowed.call('shell.document', { title: 'a', edited: true });
    await windowed.call('shell.close', { request: 1, close: false });
    expect(seen).toEqual([{ title: 'a', edited: true }, [1, false]]);
    await eventually(() => events.length > 0 && others.length > 0);
    expect(events).toEqual([{ kind: 'command', id: 'run' }]);
    expect(others).toMatchObject([{ code: 'unsupported' }]);
    await expect(page.call('file.choose', { purpose: 'open-run', suggestedName: '' })).rejects.toMatchObject({
      code: 'unsupported',
    });
    windowed.close();
    await eventually(() => seen.at(-1) === 'stopped');
  });

  it('pages that connect later receive the earlier messages of the host', async () => {
    test.host.log.write('warning', 'first');
    const entries: string[] = [];
    page.stream('host.log', {}, { frame: (entry) => void entries.push(entry.text) });
    await eventually(() => entries.length === 1);
    test.host.log.write('error', 'second');
    await eventually(() => entries.length === 2);
    expect(entries).toEqual(['first', 'second']);
  });
});
