import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostLog } from '../../../../electron/host/app/log.ts';
import { openTestHost } from '../test-host.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the log', () => {
  it('is on disk as soon as something is written, and told to pages that come later', async () => {
    const log = new HostLog(path.join(folder, 'logs'));
    log.write('warning', 'first line\nsecond line');
    const text = await readFile(path.join(folder, 'logs', 'braggbench.log'), 'utf8');
    expect(text).toMatch(/^\d{4}-\d\d-\d\dT\S+Z warning first line\n {2}second line\n$/);
    expect(await log.tail()).toBe(text);
    const heard: string[] = [];
    log.read({ offer: (make) => void heard.push(make().text), end: () => undefined });
    log.write('error', 'third');
    expect(heard).toEqual(['first line\nsecond line', 'third']);
  });

  it('goes aside when it has grown large, and gives only whole lines of its end', async () => {
    const file = path.join(folder, 'braggbench.log');
    const line = 'an old line of some length that was written in an earlier year\n';
    await writeFile(file, line.repeat(40_000));
    const large = new HostLog(folder);
    large.write('info', 'new');
    expect((await stat(file)).size).toBeLessThan(100);
    expect((await stat(`${file}.1`)).size).toBe(line.length * 40_000);
    await writeFile(file, line.repeat(3000));
    const tail = await large.tail();
    expect(tail.length).toBeLessThanOrEqual(64 * 1024);
    expect(tail.startsWith('an old line')).toBe(true);
  });

  it('is kept in memory alone where it cannot be written', async () => {
    await writeFile(path.join(folder, 'file'), '');
    const log = new HostLog(path.join(folder, 'file', 'logs'));
    log.write('info', 'said');
    expect(await log.tail()).toContain('said');
  });

  it('is made again where its folder was deleted, with what was said meanwhile', async () => {
    const log = new HostLog(path.join(folder, 'logs'));
    log.write('info', 'before');
    await rm(path.join(folder, 'logs'), { recursive: true });
    log.write('info', 'meanwhile');
    log.write('info', 'after');
    expect(await readFile(path.join(folder, 'logs', 'braggbench.log'), 'utf8')).toMatch(/meanwhile\n[\s\S]*after\n$/);
  });

  it('is given to a page of a browser as text, with what the host met', async () => {
    const dataFolder = path.join(folder, 'home');
    const shell = { kind: 'browser', dialogs: false, window: false, menus: false } as const;
    const test = await openTestHost({ dataFolder, shell });
    const page = await test.page();
    test.host.log.write('warning', 'Something odd');
    const { shown, file, text } = await page.call('log.show', {});
    expect([shown, file]).toEqual([false, path.join(dataFolder, 'logs', 'braggbench.log')]);
    expect(text).toMatch(/has started\.\n.*Something odd\n$/);
    await test.host.close();
  });
});
