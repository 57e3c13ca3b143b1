/** The published JSON Schema of sessions is as strict as the program that reads them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { publishedSessionSchema } from '../../../../electron/contract/bench/json-schema.ts';
import { recognizeSession, sessionSchema, type TimedSample } from '../../../../electron/contract/bench/session.ts';
import { sessionText } from '../../../../electron/host/model/bench/session-file.ts';

const runs = path.join(import.meta.dirname, '../../../../assets/runs');
const recordedFiles = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
const textOf = (name: string): string => readFileSync(path.join(runs, name), 'utf8');
const read = (name: string) => JSON.parse(textOf(name)) as Record<string, unknown>;
const publishedSchema = new Ajv2020({ allErrors: false, strict: true, allowUnionTypes: true }).compile(
  publishedSessionSchema(),
);

test('every recorded session is accepted by both schemas, and written again to the same bytes', () => {
  expect(recordedFiles.length).toBeGreaterThanOrEqual(200);
  for (const name of recordedFiles) {
    const session = read(name);
    publishedSchema(session);
    expect(publishedSchema.errors ?? [], name).toEqual([]);
    expect(sessionText(sessionSchema.parse(session)) === textOf(name), name).toBe(true);
  }
});

test('a session is recognised by its first characters, and a task session by its workload', () => {
  expect(recognizeSession(textOf('micro/launch.json').slice(0, 200))).toEqual({ isTask: true });
  expect(recognizeSession(textOf('h200-water-70MeV.json').slice(0, 200))).toEqual({ isTask: false });
  expect(recognizeSession('{"format":"other","format_version":3,"workload":"micro"')).toBeNull();
  expect(recognizeSession('{"kind":"micro"}')).toBeNull();
});

const names = ['h200-water-70MeV.json', 'diffraction/h200-simple-cubic-1024.json', 'micro/launch.json'];

describe.each(names)('%s', (name) => {
  const document = read(name);
  const [report] = document['reports'] as [Record<string, unknown>];
  test.each([
    ['of another format', { format: 'other' }],
    ['of an earlier version', { format_version: 2 }],
    ['of a later version', { format_version: 4 }],
    ['without reports', { reports: [] }],
    ['with an unknown key', { more: 1 }],
    ['with a report that took a negative time', { reports: [{ ...report, elapsed_s: -1 }] }],
    ['with half a round', { reports: [{ ...report, rounds: 1.5 }] }],
    ['that ended for no known reason', { reports: [{ ...report, stopped: 'bored' }] }],
    ['with an incomplete environment', { reports: [{ ...report, environment: {} }] }],
  ])('is rejected by schema and program alike: %s', (_what, change) => {
    const damaged = { ...document, ...change };
    expect(publishedSchema(damaged)).toBe(false);
    expect(sessionSchema.safeParse(damaged).success).toBe(false);
  });
});

describe('samples', () => {
  const first = { round: 0, time_s: 1e-3, device_s: 1e-3, host_s: 2e-3, sm_MHz: 1980, flag: null };
  const document = read('micro/launch.json');
  const [report] = document['reports'] as [{ readonly entries: readonly Record<string, unknown>[] }];
  const withSamples = (samples: unknown): unknown => ({
    ...document,
    reports: [{ ...report, entries: [{ ...report.entries[0], samples }] }],
  });
  const samplesIn = (session: unknown): readonly TimedSample[] => {
    const [entry] = sessionSchema.parse(session).reports[0]?.entries ?? [];
    return entry?.status === 'measured' ? entry.samples : [];
  };
  const inFile = (rows: readonly TimedSample[]): unknown => {
    const text = sessionText(sessionSchema.parse(withSamples(rows)));
    return (JSON.parse(text) as typeof document & { reports: [typeof report] }).reports[0].entries[0]?.['samples'];
  };

  test.each<[string, readonly TimedSample[], unknown]>([
    [
      'with a value that all share, and the time of the device',
      [first, { ...first, round: 1, time_s: 3e-3, device_s: 3e-3 }],
      { round: [0, 1], device_s: [1e-3, 3e-3], host_s: 2e-3, sm_MHz: 1980, flag: null },
    ],
    [
      'with a time of their own, and values of single samples',
      [
        { ...first, time_s: 5e-3, setup_s: 0.1, told: { cycles: 12 } },
        { ...first, round: 2, setup_s: null, wall_s: 0.2, flag: 'far' },
      ],
      {
        ...{ round: [0, 2], time_s: [5e-3, 1e-3], device_s: 1e-3, host_s: 2e-3, setup_s: [0.1, null] },
        ...{ wall_s: [null, 0.2], told: { cycles: [12, null] }, sm_MHz: 1980, flag: [null, 'far'] },
      },
    ],
    ['that are none', [], { round: [], sm_MHz: null, flag: null }],
  ])('%s are written as columns and read as the same rows', (_what, rows, columns) => {
    expect(inFile(rows)).toEqual(columns);
    expect(samplesIn(withSamples(columns))).toEqual(rows);
  });

  test.each([
    ['of different lengths', { round: [0, 1], host_s: [1e-3], sm_MHz: null, flag: null }],
    ['without a time', { round: [0], sm_MHz: null, flag: null }],
    ['with a negative time', { round: [0], host_s: -1, sm_MHz: null, flag: null }],
    ['of unknown names', { round: [0], host_s: 1, sm_MHz: null, flag: null, more: 1 }],
  ])('in columns %s are rejected', (_what, columns) => {
    expect(sessionSchema.safeParse(withSamples(columns)).success).toBe(false);
  });
});
