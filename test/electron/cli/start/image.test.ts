import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { snapshotCommand } from '../../../../electron/build/setup/pinned-node.mjs';
import { braggbench, entry, environmentWith, LONG_WORK_BEGINS, longWork } from '../command.ts';
import { useImageAndSource } from './both-ways.ts';

const { folder, bothWays: fromImageAndSource } = useImageAndSource();

describe('the command line behaves the same when started from its start-up image', () => {
  test.each([
    [['--version']],
    [['validate', 'small.json']],
    [['run', 'small.json', '--set', 'beam.energy_MeV=abc', '--json']],
    [['run', 'none.json']],
  ])('%j', async (words) => {
    const [image, plain] = await fromImageAndSource(words);
    expect(image).toEqual(plain);
  });

  test('a run is saved and read again', async () => {
    const words = ['run', 'small.json', '--variant', 'depth', '--json', '--force', '--out', 'run.h5'];
    const [image, plain] = (await fromImageAndSource(words)).map(({ code, stdout, stderr }) => {
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    });
    expect(image.metrics).toEqual(plain.metrics);
    expect(image.ledger).toEqual(plain.ledger);
    const [compared, again] = await fromImageAndSource(['compare', 'run.h5', 'run.h5']);
    expect(compared).toEqual(again);
    expect(compared.code, compared.stderr).toBe(0);
  });

  test('a run by moments ends before garbage is collected', () => {
    const words = ['run', 'small.json', '--variant', 'moments', '--json'];
    const image = snapshotCommand(words);
    if (image === null) throw new Error('there is no start-up image');
    const { stdout } = spawnSync(image.node, ['--trace-gc', ...image.flags, entry, ...words], {
      ...{ cwd: folder, encoding: 'utf8' },
      env: environmentWith(join(folder, 'home')),
    });
    expect(stdout).toContain('"status": "done"');
    expect(stdout).not.toMatch(/Scavenge|Mark-Compact/);
  });

  test('a run ends at the first Ctrl+C with its partial result', async () => {
    const words = ['run', 'small.json', ...longWork, '--json'];
    if (snapshotCommand(words) === null) throw new Error('there is no start-up image');
    const { code, stdout } = await braggbench(words, {
      cwd: folder,
      environment: environmentWith(join(folder, 'home')),
      interruptAt: { text: LONG_WORK_BEGINS, signals: 1 },
    });
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled' });
  });
});
