/** Sessions of `npm run bench -- tuning`: shipped kernels on shipped scenarios, by valid studies, within the time. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { searchSeconds, TUNING_SESSIONS, tuningStudy } from '../../../electron/build/bench/tuning-sessions.mjs';
import { studySchema } from '../../../electron/contract/study/index.ts';
import { readShippedSpaces } from '../../../electron/host/model/tuning/shipped.ts';

const assets = path.join(import.meta.dirname, '../../../assets');
const spaces = await readShippedSpaces(assets);

test.each(TUNING_SESSIONS)('$name: a shipped space of its scenario, a valid study', (session) => {
  const file = path.join(assets, 'scenarios', `${session.scenario}.json`);
  const scenario = JSON.parse(readFileSync(file, 'utf8')) as { kind?: string; problem?: { kind?: string } };
  const bench = scenario.kind === 'micro' ? scenario.problem?.kind : '';
  const found = spaces.filter(
    ({ workload, bench: of, variants }) =>
      workload === (scenario.kind ?? 'transport') && of === bench && variants.includes(session.variant),
  );
  expect(found).toHaveLength(1);
  const also = [`${session.variant}[kOne=1]`];
  const study = studySchema.parse(tuningStudy(session, file, { search_s: 30, also }));
  expect(study).toMatchObject({ name: session.name, seed: 1, budget: { minutes: 0.5 }, search: { also } });
});

test('every shipped space is tuned by a session', () => {
  const tuned = new Set(TUNING_SESSIONS.map(({ variant }) => variant));
  expect(spaces.filter(({ variants }) => !variants.some((id) => tuned.has(id)))).toEqual([]);
});

test('all searches and what comes after them take the time that was given, and no more', () => {
  const AFTER_S = 20;
  let left_s = 510;
  for (const [i] of TUNING_SESSIONS.entries()) {
    const search_s = searchSeconds(left_s, TUNING_SESSIONS.slice(i));
    expect(search_s).toBeGreaterThanOrEqual(6);
    left_s -= search_s + AFTER_S;
  }
  expect(Math.abs(left_s)).toBeLessThan(1e-6);
});
