/** Every session of `npm run bench -- tuning` is planned as a host plans it: an axis that a search may not have is refused. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TUNING_SESSIONS, tunedScenario, tuningStudy } from '../../../../../electron/build/bench/tuning-sessions.mjs';
import { hostOfFile } from '../../host-of-file.ts';

const scenarios = path.join(import.meta.dirname, '../../../../../assets/scenarios');

const { page } = await hostOfFile();

test.each(TUNING_SESSIONS)('$name: all of its configurations are points', async (session) => {
  const shipped: unknown = JSON.parse(readFileSync(path.join(scenarios, `${session.scenario}.json`), 'utf8'));
  const study = tuningStudy(session, '', { search_s: 30, also: [] });
  const document = { ...study, base: [{ scenario: tunedScenario(session, shipped) }] };
  const { points, combinations } = await page.call('study.plan', { document });
  expect(points).toBeGreaterThan(1);
  expect(combinations).toBeGreaterThanOrEqual(points);
});
