/** Published claims about diffraction images, compared with recorded sessions and new ones. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Session } from '../../../../electron/contract/bench/session.ts';
import { parseSession } from '../../../../electron/host/app/sessions/index.ts';
import { readClaimsOf } from '../../../../electron/host/model/bench/index.ts';
import { limitsOf } from '../../../../electron/host/model/bench/stopping.ts';
import { readRegistry } from '../../../../electron/host/model/external/registry.ts';
import { benchHere } from '../bench-here.ts';
import { addon, assetsFolder } from '../model/scenarios/open.ts';
import { smallProblem } from './image.ts';

const claims = await readClaimsOf(assetsFolder, { workload: 'diffraction', bench: '' });

const recorded = (name: string): string => path.join(assetsFolder, 'runs/diffraction', `${name}.json`);
const open = (file: string): Session => parseSession(readFileSync(file, 'utf8'), path.basename(file));

test('every claim names existing variants, or why no pair isolates it', async () => {
  const { baselines } = await readRegistry(assetsFolder);
  const ids = [...addon.diffractionVariants(), ...baselines].map(({ id }) => id);
  expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
  for (const { id, pairs, values, reason, from, to, source } of claims) {
    const named = [
      ...pairs.flatMap(({ slower, faster }) => [slower.variant, faster.variant]),
      ...values.map(({ variant }) => variant),
    ];
    expect(ids, id).toEqual(expect.arrayContaining(named));
    expect(named.length === 0, id).toBe(reason !== null);
    expect(from).toBeLessThanOrEqual(to ?? Number.POSITIVE_INFINITY);
    expect(source).not.toBe('');
  }
});

test('each size of a sweep has the claims about that size', () => {
  const sizes = open(recorded('h200-sweep-simple-cubic')).reports.map(({ claims: told }) =>
    told.flatMap(({ id }) => (id.startsWith('c-over-gpu-') ? [id.slice('c-over-gpu-'.length)] : [])),
  );
  expect(sizes).toEqual(['256', '512', '1024', '2048', '4096'].map((size) => [size, `total-${size}`]));
});

test('a new session contains its claims', async () => {
  const report = await benchHere(
    addon,
    { kind: 'diffraction', problem: await smallProblem() },
    {
      scenario: 'Small',
      variants: ['diffraction-fp64', 'diffraction-mixed'],
      seed: 1,
      limits: limitsOf(5, 60),
      claims,
    },
  );
  const found = report.claims.find(({ id }) => id === 'fp64-as-fast');
  expect(found?.pairs.map(({ gain }) => gain !== null)).toEqual([false, false, false, true, false]);
  const none = claims.filter((one) => one.where['pixels'] !== undefined).map(({ id }) => id);
  expect(report.claims.map(({ id }) => id)).toEqual(claims.map(({ id }) => id).filter((id) => !none.includes(id)));
});
