/**
 * kill -9 during an edit and during a run: saved data is not lost, and unsaved work is offered. A page's drafts are
 * saved and dropped in the order of its requests, and ids cannot name other files. A run's checkpoint has two files:
 * after a crash, its note may name only a state that can be read.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, test, vi } from 'vitest';
import { Checkpoints, runForm, runsIn } from '../../../../../electron/host/app/recovery/checkpoints.ts';
import { Recovery, type RecoveryParts } from '../../../../../electron/host/app/recovery/recovery.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { smallScenario, tinyScenario } from '../../small-run.ts';
import { openTestHost } from '../../test-host.ts';
import { EARLY_CHECKPOINTS, list, useKilledHosts } from './killed-hosts.ts';
import { imageWork, slowScenario, taskWork, transportWork } from './slow.ts';

describe('ordered recovery requests', () => {
  const own = scratchFolder('drafts');

  test('do not save a draft that is discarded while its file is being searched', async () => {
    let found = (): void => undefined;
    const lookedUp = new Promise<void>((resolve) => {
      found = resolve;
    });
    const recoveryWith = (readable: RecoveryParts['files']['readable']): Recovery =>
      new Recovery({
        folders: { own, make: async () => undefined, orphans: async () => [] },
        files: { readable },
      } as unknown as RecoveryParts);
    const recovery = recoveryWith(async () => {
      await lookedUp;
      return { path: '/somewhere/mine.json', readOnly: false };
    });
    const idle = recoveryWith(async () => ({ path: '/somewhere/mine.json', readOnly: false }));
    const file = { kind: 'library', key: 'mine.json' } as const;
    const kept = recovery.storeDraft('page-one', 'mine.json', file, { kind: 'transport', version: 1 });
    let over = false;
    const dropped = recovery.drop('page-one').then(() => {
      over = true;
    });
    // Run the same deletion twenty times with nothing to wait for. A drop that did not wait for the pending save would
    // have ended by then.
    for (let again = 0; again < 20; again += 1) await idle.drop('page-one');
    expect(over).toBe(false);
    found();
    await Promise.all([kept, dropped]);
    expect(await recovery.list(['page-one'])).toEqual([]);
  });

  test('accept ids of drafts and runs in the recovery folder, and of no other file', async () => {
    const recovery = new Recovery({
      folders: { own, make: async () => undefined, orphans: async () => [] },
    } as unknown as RecoveryParts);
    await recovery.storeDraft('page-two', 'Untitled', null, { kind: 'transport', version: 1 });
    const [item] = await recovery.list(['page-two']);
    const [folder = '', file = ''] = item?.id.split('~') ?? [];
    expect((await recovery.draft(`${folder}~${file}`)).title).toBe('Untitled');
    await mkdir(path.join(own, 'below'), { recursive: true });
    await copyFile(path.join(own, file), path.join(own, 'below', file));
    await expect(recovery.draft(`${folder}~below/${file}`)).rejects.toMatchObject({ code: 'not-found' });
    await recovery.drop('page-two');
  });
});

const killedHosts = useKilledHosts();
const { openNextHost: again, crashHost: crash, runStates: notes } = killedHosts;

describe('a host that was killed', () => {
  it.each([
    { workload: 'transport', work: transportWork },
    { workload: 'diffraction', work: imageWork },
    { workload: 'linear-relu', work: taskWork },
  ])('restores the files as saved, and offers unsaved edits of $workload scenarios', async (of) => {
    await crash('edit', async () => true, of.workload);
    const [saved, edit] = of.work;
    const page = await (await again()).page();
    const opened = await page.call('scenario.open', { file: { kind: 'library', key: 'mine.json' } });
    expect(opened.draft).toEqual(saved);
    const items = await list(page);
    expect(items.map(({ kind, title }) => [kind, title]).sort()).toEqual([
      ['draft', 'Untitled'],
      ['draft', 'mine.json'],
    ]);
    const mine = items.find(({ title }) => title === 'mine.json');
    expect(mine).toMatchObject({ place: path.join(killedHosts.folder, 'library', 'mine.json') });
    const kept = await page.call('recovery.draft', { id: mine?.id ?? '' });
    expect(kept).toMatchObject({
      title: 'mine.json',
      file: { file: { kind: 'library', key: 'mine.json' } },
      draft: edit,
    });
    for (const { id } of items) await page.call('recovery.discard', { id });
    expect(await list(page)).toEqual([]);
    // Files of the dead process are removed.
    expect(await readdir(path.join(killedHosts.folder, 'recovery'))).toEqual([]);
  });

  it('restores the partial result of a run, with a closed ledger', async () => {
    await crash('running', async () => (await notes()).length > 0);
    const page = await (await again()).page();
    const [item, ...others] = await list(page);
    expect(others).toEqual([]);
    if (item?.kind !== 'run') throw new Error('no run was offered');
    expect(item).toMatchObject({ title: 'slow run', finished: false });
    const steps = Number(/^(\d+) steps?, [\d.]+ mm deep$/.exec(item.upTo)?.[1]);
    expect(steps).toBeGreaterThan(0);
    const run = await page.call('recovery.run', { id: item.id });
    expect(run).toMatchObject({ state: 'cancelled', name: 'slow run', file: null });
    const summary = await page.call('run.summary', { run: run.id });
    expect(summary.steps).toBe(steps);
    expect(summary.ledger.energy.rel_error).toBeLessThan(1e-12);
    expect(summary.metrics.energy_deposited_MeV).toBeGreaterThan(0);
    const { curve } = await page.call('run.depthDose', { run: run.id });
    const dz_mm = slowScenario.grid.dz_mm;
    const deposited = curve.values.reduce((sum, value) => sum + value, 0) * dz_mm;
    expect(deposited).toBeCloseTo(summary.metrics.energy_deposited_MeV, 6);
    expect((await page.call('run.keyframes', { run: run.id })).frames[0]?.step).toBe(0);
    expect(await page.call('run.scenario', { run: run.id })).toEqual({ scenario: slowScenario });
    // The run now belongs to this process. It is not offered again, but is retained until it is saved.
    expect(await list(page)).toEqual([]);
    expect(await notes()).toHaveLength(1);
    const file = { kind: 'library', key: 'rest.h5' } as const;
    await page.call('run.save', { run: run.id, file, ifExists: 'refuse' });
    await expect.poll(notes).toEqual([]);
  });
});

describe('a server that is stopped', () => {
  it('keeps unsaved runs for the next start, as after a crash', async () => {
    vi.stubEnv('BRAGGBENCH_KEPT_FROM_MS', EARLY_CHECKPOINTS.BRAGGBENCH_KEPT_FROM_MS);
    const first = await again();
    const page = await first.page();
    const { id } = await page.call('run.start', { scenario: { ...slowScenario }, name: '' });
    await expect.poll(notes).toHaveLength(1);
    await page.call('run.cancel', { run: id });
    await first.host.runs.waitForEnd(id);
    await expect.poll(async () => (await notes()).map(({ finished }) => finished)).toEqual([true]);
    expect(await first.host.close('keep')).toEqual({ kept: 1, sessions: 0, lost: 0 });
    const second = await openTestHost({ dataFolder: killedHosts.folder });
    expect(await list(await second.page())).toMatchObject([{ kind: 'run', title: 'slow run', finished: true }]);
    await second.host.close();
    killedHosts.forgetHost();
  });

  it('offers an unsaved benchmark with its name and samples until it is saved', async () => {
    const first = await again();
    const page = await first.page();
    const order = { variants: ['gather', 'window'], rounds: 3, time_s: 600, processes: 0 };
    const { id } = await page.call('bench.start', { scenario: { ...tinyScenario }, name: 'mine', ...order });
    await first.host.benches.waitForEnd(id);
    const { session } = await page.call('bench.session', { bench: id });
    expect(await first.host.close('keep')).toEqual({ kept: 0, sessions: 1, lost: 0 });
    killedHosts.forgetHost();

    const later = await (await again()).page();
    const [item, ...others] = await list(later);
    expect(others).toEqual([]);
    expect(item).toMatchObject({ kind: 'session', title: 'small µ run: 2 variants', upTo: '3 rounds', finished: true });
    const info = await later.call('recovery.session', { id: item?.id ?? '' });
    expect(info).toMatchObject({ state: 'done', name: 'small µ run: 2 variants', workload: 'transport', file: null });
    expect(info.subjects.map(({ title }) => title)).toEqual(['gather', 'window']);
    const given = await later.call('bench.session', { bench: info.id });
    expect(given.session.reports.map(({ entries }) => entries)).toEqual(session.reports.map(({ entries }) => entries));
    // The run now belongs to this process. It is not offered again, but stays on disk until it is saved.
    expect(await list(later)).toEqual([]);
    const left = async () => (await readdir(path.join(killedHosts.folder, 'recovery'), { recursive: true })).join('\n');
    expect(await left()).toMatch(/session-[\w-]+\.session\.json/);
    const file = { kind: 'library', key: 'mine.session.json' } as const;
    await later.call('bench.save', { bench: info.id, file, ifExists: 'refuse' });
    await expect.poll(left).not.toContain('session-');
  });

  it('reports how many runs ended too early to be saved', { tags: 'slow' }, async () => {
    const first = await again();
    const page = await first.page();
    for (const name of ['a', 'b']) {
      const { id } = await page.call('run.start', { scenario: { ...smallScenario, name }, name: '' });
      await first.host.runs.waitForEnd(id);
    }
    const file = { kind: 'library', key: 'a.h5' } as const;
    const [{ id = '' } = {}] = (await page.call('run.list', {})).runs;
    await page.call('run.save', { run: id, file, ifExists: 'refuse' });
    expect(await first.host.close('keep')).toEqual({ kept: 0, sessions: 0, lost: 1 });
    killedHosts.forgetHost();
  });

  it('reports why a run that had only just begun is dropped', async () => {
    // With this setting, runs of less than ten minutes have no checkpoint, so that even a slow machine drops the run.
    const said = await killedHosts.signalServer('SIGINT', 'started', { BRAGGBENCH_KEPT_FROM_MS: '600000' });
    expect(said).toContain('1 run not saved, and dropped: it ended within 3 s or before the first step.');
    expect(await list(await (await again()).page())).toEqual([]);
  });

  it('saves its unsaved run on SIGINT', { tags: 'slow' }, async () => {
    const said = await killedHosts.signalServer('SIGINT', async () => (await notes()).length === 1, EARLY_CHECKPOINTS);
    expect(said).toContain('1 run not saved: saved, and offered at the next start.');
    expect(await list(await (await again()).page())).toMatchObject([{ kind: 'run', title: 'slow run' }]);
  });
});

describe('a running host', () => {
  const page1 = { page: 'page-one' };
  const draft = { ...smallScenario };

  it('offers the edits of a reloaded page only to that page, and nothing after they were saved', async () => {
    const page = await (await again()).page();
    await page.call('recovery.keep', { ...page1, title: 'A', file: null, draft });
    expect(await list(page)).toEqual([]);
    expect((await page.call('recovery.list', { pages: ['page-one'] })).items).toMatchObject([{ title: 'A' }]);
    await page.call('recovery.drop', page1);
    expect((await page.call('recovery.list', { pages: ['page-one'] })).items).toEqual([]);
  });

  it('leaves nothing behind on a normal exit except unsaved work', async () => {
    const first = await again();
    await (await first.page()).call('recovery.keep', { ...page1, title: 'A', file: null, draft });
    await first.host.close();
    const second = await openTestHost({ dataFolder: killedHosts.folder });
    expect(await list(await second.page())).toMatchObject([{ title: 'A', kind: 'draft' }]);
    await second.host.close();
    killedHosts.forgetHost();
  });

  it('ignores foreign files in its recovery folder', async () => {
    const page = await (await again()).page();
    await page.call('recovery.keep', { ...page1, title: 'A', file: null, draft });
    const [own = ''] = await readdir(path.join(killedHosts.folder, 'recovery'));
    await writeFile(path.join(killedHosts.folder, 'recovery', own, 'draft-broken00.json'), '{ "version": 1');
    expect((await page.call('recovery.list', { pages: ['broken00'] })).items).toEqual([]);
    for (const id of ['nowhere~draft-x.json', `${own}~../../settings.json`, `${own}~owner.json`, 'x']) {
      await expect(page.call('recovery.discard', { id })).rejects.toMatchObject({ code: 'not-found' });
    }
  });
});

describe('one file open in two windows', () => {
  it('is reported to both windows, also across two programs, until one of them closes it', async () => {
    const first = await again();
    const second = await openTestHost({ dataFolder: killedHosts.folder });
    const [a, b] = [await first.page(), await second.page()];
    const file = { kind: 'library', key: 'mine.json' } as const;
    await a.call('scenario.save', { scenario: { ...smallScenario }, file, ifExists: 'refuse' });
    const tell = async (page: typeof a, id: string, open: boolean): Promise<number> =>
      (await page.call('document.presence', { page: id, file: open ? file : null })).others;
    expect(await tell(a, 'window-a', true)).toBe(0);
    expect(await tell(b, 'window-b', true)).toBe(1);
    expect(await tell(a, 'window-a', true)).toBe(1);
    expect(await tell(b, 'window-b', false)).toBe(0);
    expect(await tell(a, 'window-a', true)).toBe(0);
    const example = { kind: 'library', key: 'water-70MeV.json' } as const;
    for (const id of ['window-a', 'window-b']) {
      expect(await a.call('document.presence', { page: id, file: example })).toEqual({ others: 0 });
    }
    await second.host.close();
  });

  it('is not overwritten without confirmation after the other window changed it', { tags: 'slow' }, async () => {
    const page = await (await again()).page();
    const file = { kind: 'library', key: 'mine.json' } as const;
    const scenario = { ...smallScenario };
    const { stamp } = await page.call('scenario.save', { scenario, file, ifExists: 'refuse' });
    const opened = await page.call('scenario.open', { file });
    expect(opened.stamp).toBe(stamp);
    const theirs = await page.call('scenario.save', {
      scenario: { ...scenario, name: 'theirs' },
      file,
      ifExists: 'replace',
      stamp,
    });
    expect(theirs.stamp).not.toBe(stamp);
    const mine = { scenario: { ...scenario, name: 'mine' }, file, ifExists: 'replace' } as const;
    await expect(page.call('scenario.save', { ...mine, stamp })).rejects.toMatchObject({
      code: 'exists',
      message: expect.stringContaining('mine.json was changed by another window or program'),
    });
    expect((await page.call('scenario.open', { file })).draft).toMatchObject({ name: 'theirs' });
    await page.call('scenario.save', mine);
    expect((await page.call('scenario.open', { file })).draft).toMatchObject({ name: 'mine' });
  });
});

describe('checkpoints of runs', () => {
  const own = scratchFolder('checkpoints');

  it('are not announced if the state cannot be written, and report the reason once', async () => {
    const troubles: string[] = [];
    const checkpoints = new Checkpoints(
      { own, make: async () => void (await mkdir(own, { recursive: true })), orphans: async () => [] } as never,
      runForm({ write: async () => new Uint8Array(8) } as never),
      (reason) => void troubles.push(reason),
    );
    const state = (id: string) => ({ id, data: { name: 'Run' }, upTo: 'step 3', finished: false }) as never;
    // A non-empty folder cannot be replaced by the state file of the same name.
    await mkdir(path.join(own, 'run-blocked.h5'), { recursive: true });
    await writeFile(path.join(own, 'run-blocked.h5', 'file'), '');
    await checkpoints.save(state('blocked'));
    await checkpoints.save(state('blocked'));
    expect(existsSync(path.join(own, 'run-blocked.json'))).toBe(false);
    expect(troubles).toEqual([expect.stringMatching(/^Runs are not protected against a crash: /)]);
    await checkpoints.save(state('free'));
    expect((await runsIn(own)).map(({ file, note }) => [path.basename(file), note.upTo])).toEqual([
      ['run-free.json', 'step 3'],
    ]);
  });
});
