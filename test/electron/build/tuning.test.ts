/**
 * Tests the record of the best configurations of `npm run bench -- tuning`, and which of them are measured again. Its
 * sessions must be valid studies of shipped kernels on shipped scenarios, within the time limit.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  knownFasterConfigurations,
  sessionReport,
  type TunedSession,
  tunedEntries,
} from '../../../electron/build/bench/tuning-record.mjs';
import { searchSeconds, TUNING_SESSIONS, tuningStudy } from '../../../electron/build/bench/tuning-sessions.mjs';
import { studySchema } from '../../../electron/contract/study/index.ts';
import { parseTunedRecord, tunedValuesFor } from '../../../electron/host/model/tuning/recorded.ts';
import { readShippedSpaces } from '../../../electron/host/model/tuning/space.ts';

describe('the tuning record', () => {
  const entry = (label: string, ratio: number, interval: { low: number; high: number } | null, verdict = 'faster') => ({
    ...{ label, status: 'measured', time_s: ratio / 1000, ratio: { value: ratio, interval }, verdict },
  });
  const best = {
    reports: [
      {
        reference: 'own[kA=3;kB=4]',
        entries: [
          entry('own[kA=3;kB=4]', 1, null, 'reference'),
          entry('own', 1.01, { low: 0.99, high: 1.02 }, 'same'),
          entry('own[kA=2;kB=4]', 0.9, { low: 0.88, high: 0.92 }),
          entry('own[kA=1;kB=1]', 0.5, { low: 0.4, high: 0.6 }, 'wrong'),
          entry('own[kA=4;kB=4]', 0.99, { low: 0.98, high: 1.01 }, 'same'),
          { label: 'own[kA=9;kB=4]', status: 'refused', reason: 'too much shared memory' },
        ],
      },
    ],
  };

  const session = (more: object = {}): TunedSession => {
    const found = tunedEntries(best);
    if (found === null) throw new Error('no usual constants');
    const about = { session: 's', workload: 'transport', bench: '', variant: 'own', file: 'a.hpp', scenario: 'beam' };
    return { ...about, measured: 12, ...found, ...more };
  };

  test('lists configurations by their ratio to the default constants, without the shipped variant', () => {
    const { usual, entries } = session();
    expect(usual).toEqual({ kA: 3, kB: 4 });
    expect(entries.map(({ configuration }) => configuration['kA'])).toEqual([1, 2, 4, 3]);
    expect(tunedEntries({ reports: [{ reference: 'own', entries: [] }] })).toBeNull();
  });

  test('repeats clearly faster, correct configurations in the other tunings of the same source', () => {
    const known = [session(), session({ file: 'b.hpp' })];
    expect(knownFasterConfigurations({ file: 'a.hpp', variant: 'other' }, known)).toEqual(['other[kA=2;kB=4]']);
    expect(knownFasterConfigurations({ file: 'c.hpp', variant: 'other' }, known)).toEqual([]);
  });

  test('names wrong configurations in its report', () => {
    const lines = sessionReport(session());
    expect(lines[0]).toBe('s: own on beam, 12 measured; defaults kA=3 kB=4');
    expect(lines[1]).toContain('0.500 (0.400–0.600)  kA=1 kB=1  WRONG');
    expect(lines[2]).not.toContain('WRONG');
  });

  test('provides the defaults of a GPU generation', () => {
    const on = { name: 'One', uuid: null, driver: null, architecture: 90 };
    const head = { format: 'braggbench-tuned', format_version: 1, created: '2026-01-01T00:00:00Z', commit: null, on };
    const records = ['One', 'Two'].map((name) =>
      parseTunedRecord(JSON.stringify({ ...head, on: { ...on, name }, sessions: [session()] })),
    );
    expect(tunedValuesFor(records, { file: 'a.hpp', variants: ['own'] }, 90)).toEqual({ kA: 2, kB: 4 });
  });
});

describe('tuning sessions', async () => {
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

  test('all searches and their follow-up measurements fit into the given time', () => {
    const AFTER_S = 20;
    let left_s = 510;
    for (const [i] of TUNING_SESSIONS.entries()) {
      const search_s = searchSeconds(left_s, TUNING_SESSIONS.slice(i));
      expect(search_s).toBeGreaterThanOrEqual(6);
      left_s -= search_s + AFTER_S;
    }
    expect(Math.abs(left_s)).toBeLessThan(1e-6);
  });
});
