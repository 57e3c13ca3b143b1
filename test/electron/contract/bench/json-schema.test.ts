/** The published JSON Schema of sessions is as strict as the program that reads them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { publishedSessionSchema } from '../../../../electron/contract/bench/json-schema.ts';
import { sessionHead, sessionSchema } from '../../../../electron/contract/bench/session.ts';

const runs = path.join(import.meta.dirname, '../../../../assets/runs');
const recordedFiles = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
const textOf = (name: string): string => readFileSync(path.join(runs, name), 'utf8');
const read = (name: string) => JSON.parse(textOf(name)) as Record<string, unknown>;
const publishedSchema = new Ajv2020({ allErrors: false, strict: true, allowUnionTypes: true }).compile(
  publishedSessionSchema(),
);

test('every recorded session is accepted by both schemas, unchanged', () => {
  expect(recordedFiles.length).toBeGreaterThanOrEqual(200);
  for (const name of recordedFiles) {
    const session = read(name);
    publishedSchema(session);
    expect(publishedSchema.errors ?? [], name).toEqual([]);
    expect(sessionSchema.parse(session), name).toEqual(session);
  }
});

test('a session is recognised by its first characters, and a task session by its workload', () => {
  expect(sessionHead(textOf('micro/launch.json').slice(0, 200))).toEqual({ isTask: true });
  expect(sessionHead(textOf('h200-water-70MeV.json').slice(0, 200))).toEqual({ isTask: false });
  expect(sessionHead('{"format":"other","format_version":2,"workload":"micro"')).toBeNull();
  expect(sessionHead('{"kind":"micro"}')).toBeNull();
});

const names = ['h200-water-70MeV.json', 'diffraction/h200-simple-cubic-1024.json', 'micro/launch.json'];

describe.each(names)('%s', (name) => {
  const document = read(name);
  const [report] = document['reports'] as [Record<string, unknown>];
  test.each([
    ['of another format', { format: 'other' }],
    ['of an earlier version', { format_version: 1 }],
    ['of a later version', { format_version: 3 }],
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
