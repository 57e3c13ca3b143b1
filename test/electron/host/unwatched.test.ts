/** A run that nobody watches makes no pictures, and its numbers are the same. */
import { expect, test } from 'vitest';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';
import { openTestScenarios } from './small-run.ts';

const document = {
  kind: 'transport',
  version: 1,
  beam: { energy_MeV: 40 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 40 },
  solver: { stepping: 'depth' },
};

test('an unwatched run leaves no frame, and the dose of a watched one', async () => {
  const addon = loadAddon();
  const scenarios = await openTestScenarios(addon);
  const reading = await scenarios.check(document, { name: 'test', folder: null });
  const problem = { ...scenarios.resolve(reading), keyframes: 0 };
  const [watched, unwatched] = [addon.createTransport(problem), addon.createTransport(problem)];
  const seen = await watched.start(() => undefined);
  const unseen = await unwatched.start(() => undefined, { unwatched: true });
  expect(watched.live()).not.toBeNull();
  expect(unwatched.live()).toBeNull();
  expect([...unseen.dose]).toEqual([...seen.dose]);
});
