import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitOf } from '../../../../../electron/host/model/bench/commit.ts';
import { kernelResources, resourcesFor } from '../../../../../electron/host/model/bench/resources.ts';
import { kernelsOf, variantSources } from '../../../../../electron/host/model/bench/sources.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { assetsFolder } from '../../small-run.ts';
import { addon } from '../scenarios/open.ts';

const scratch = scratchFolder('sources');

const kernels = path.resolve(assetsFolder, '../kernels');

describe('the source of a variant', () => {
  test('begins with its own file and the one with its kernels', async () => {
    for (const variant of [...addon.variants(), ...addon.diffractionVariants(), ...addon.taskVariants()]) {
      const files = await variantSources(kernels, variant);
      expect(files[0]?.text, variant.id).toContain(`"${variant.id}"`);
      expect(
        files.map((file) => file.path),
        variant.id,
      ).toContain(variant.source);
      expect(new Set(files.map((file) => file.path)).size).toBe(files.length);
    }
  });

  test('names the kernels that it launches', async () => {
    const variant = addon.variants().find(({ id }) => id === 'cuda-gather');
    if (variant === undefined) throw new Error('no cuda-gather');
    const none = { registers: 1, shared_bytes: 0, constant_bytes: 0, stack_bytes: 0, spill_store_bytes: 0 };
    const of = (name: string) => ({ name, architecture: 'sm_90', ...none, spill_load_bytes: 0, barriers: 0 });
    const all = { compiler: '13.0', kernels: ['gather_slow_down_f32', 'tiled_stream_x4_f32', 'dense_sum_f64'].map(of) };
    const own = kernelsOf(await variantSources(kernels, variant), all);
    expect(own.kernels.map(({ name }) => name)).toEqual(['gather_slow_down_f32', 'dense_sum_f64']);
    expect(resourcesFor(all, '9.0')?.kernels).toHaveLength(3);
    expect(resourcesFor(all, '8.0')).toBeNull();
    await writeFile(path.join(scratch, 'transport.resources.json'), JSON.stringify({ workload: 'transport', ...all }));
    expect(await kernelResources(scratch, 'transport')).toEqual(all);
    expect(await kernelResources(scratch, 'other')).toBeNull();
  });
});

test('the commit is read from folders, further work trees and packed references', async () => {
  const hash = 'a'.repeat(40);
  const root = path.join(scratch, 'plain');
  await mkdir(path.join(root, '.git/refs/heads'), { recursive: true });
  await writeFile(path.join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
  await writeFile(path.join(root, '.git/refs/heads/main'), `${hash}\n`);
  expect(await commitOf(root)).toBe(hash);
  const other = path.join(scratch, 'other');
  const linked = path.join(root, '.git/worktrees/other');
  await mkdir(other);
  await mkdir(linked, { recursive: true });
  await writeFile(path.join(other, '.git'), `gitdir: ${linked}\n`);
  await writeFile(path.join(linked, 'commondir'), '../..\n');
  await writeFile(path.join(linked, 'HEAD'), 'ref: refs/heads/side\n');
  await writeFile(path.join(root, '.git/packed-refs'), `# pack-refs\n${'b'.repeat(40)} refs/heads/side\n`);
  expect(await commitOf(other)).toBe('b'.repeat(40));
  await writeFile(path.join(linked, 'HEAD'), `${'c'.repeat(40)}\n`);
  expect(await commitOf(other)).toBe('c'.repeat(40));
  expect(await commitOf(path.join(scratch, 'nothing'))).toBeNull();
});
