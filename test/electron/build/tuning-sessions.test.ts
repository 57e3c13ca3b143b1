/** What `npm run bench:tuning` tunes: shipped kernels on shipped scenarios, by studies that are valid. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TUNING_SESSIONS, tuningStudy } from '../../../electron/build/bench/tuning-sessions.mjs';
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
  expect(studySchema.parse(tuningStudy(session, file))).toMatchObject({ name: session.name, seed: 1 });
});

test('every shipped space is tuned by a session', () => {
  const tuned = new Set(TUNING_SESSIONS.map(({ variant }) => variant));
  expect(spaces.filter(({ variants }) => !variants.some((id) => tuned.has(id)))).toEqual([]);
});
