/** Solver settings that a variant of transport implies, and settings that it does not imply. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { validateStudy } from '../../../../../../electron/contract/study/index.ts';
import { documentOf } from '../../../../../../electron/host/app/studies/results.ts';
import { computePoints } from '../../../../../../electron/host/model/studies/points.ts';
import { assetsFolder, checkBeam, issueLines, scenarios } from '../../../model/scenarios/open.ts';

test.each([
  ['depth', {}, 'depth', 'fp32'],
  ['window', {}, 'path', 'fp32'],
  ['reference', {}, 'path', 'fp64'],
  ['auto', {}, 'path', 'fp32'],
  // The setting in the file takes precedence, even if the engine will reject it.
  ['depth', { stepping: 'path' }, 'path', 'fp32'],
  ['reference', { precision: 'fp32', stepping: 'depth' }, 'depth', 'fp32'],
])('%s with %o offers steps by %s in %s', async (variant, said, stepping, precision) => {
  const reading = await checkBeam({ solver: { variant, ...said } });
  expect(issueLines(reading)).toEqual([]);
  expect(reading.scenario?.solver).toMatchObject({ variant, stepping, precision });
  expect(scenarios.resolve(reading).solver).toMatchObject({ stepping, precision });
});

test('the first study in the handbook has no point that the solver rejects', async () => {
  const page = await readFile(join(assetsFolder, 'handbook/studies.md'), 'utf8');
  const text = /```yaml\n(kind: study\n.*?)```/s.exec(page)?.[1];
  const { study } = validateStudy(parse(text ?? ''));
  if (study === null) throw new Error('the handbook has no study');
  const base: unknown = JSON.parse(await readFile(join(assetsFolder, 'scenarios/water-70MeV.json'), 'utf8'));
  const { points } = computePoints(study, [{ document: base, beside: [] }]);
  expect(points).toHaveLength(8);
  for (const { settings } of points) {
    const reading = await scenarios.check(documentOf(base, settings), { name: 's', folder: null });
    const { solver } = scenarios.resolve(reading);
    expect([solver.variant, solver.stepping]).toEqual([solver.variant, solver.variant === 'depth' ? 'depth' : 'path']);
  }
});
