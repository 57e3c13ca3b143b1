/** Programs of assets/external as candidates, one of each kind; the others: `rivals.long.test.ts`. */
import { expect, test } from 'vitest';
import { readRegistry } from '../../../../../electron/host/model/external/registry.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { assetsFolder } from '../../small-run.ts';
import { addon } from '../scenarios/open.ts';
import { crystal, expectImage, expectLayer, expectRow } from './rival-session.ts';

test('the linear layer, forward', (ctx) => expectLayer({}, ctx));

test('elementwise', (ctx) => expectRow(['elementwise', { n: 70_001 }, 'cpu-fused', ['numpy']], ctx));

test('an image', (ctx) => expectImage({ crystal }, ctx));

test('every program of the registry is where it says, and its scenarios are known', async () => {
  const { baselines } = await readRegistry(assetsFolder);
  expect(new Set(baselines.map(({ id }) => id)).size).toBe(baselines.length);
  const rows = new Set(addon.taskVariants('micro').map(({ bench }) => `micro/${bench}`));
  for (const { solves } of baselines) {
    for (const name of solves) expect(rows.has(name) || name in hostWorkloads).toBe(true);
  }
});
