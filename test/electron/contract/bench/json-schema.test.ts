/** The JSON Schema of sessions: as published, and as strict as the program that reads them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { publishedSessionSchema } from '../../../../electron/contract/bench/json-schema.ts';
import { keptSessionSchema } from '../../../../electron/contract/bench/kept-session.ts';

const assets = path.join(import.meta.dirname, '../../../../assets');
const runs = path.join(assets, 'runs');
const recorded = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
const read = (name: string) => JSON.parse(readFileSync(path.join(runs, name), 'utf8')) as Record<string, unknown>;
const accepts = new Ajv2020({ allErrors: false, strict: true, allowUnionTypes: true }).compile(
  publishedSessionSchema(),
);

test('the published JSON Schema is the one that the zod schemas give; vitest -u writes it anew', async () => {
  const schema = `${JSON.stringify(publishedSessionSchema(), null, 2)}\n`;
  await expect(schema).toMatchFileSnapshot(path.join(assets, 'schemas/session-1.schema.json'));
});

test('it accepts every recorded session', () => {
  expect(recorded.length).toBeGreaterThanOrEqual(60);
  for (const name of recorded) {
    accepts(read(name));
    expect(accepts.errors ?? [], name).toEqual([]);
  }
});

describe.each(['h200-water-70MeV.json', 'diffraction/h200-simple-cubic-1024.json', 'micro/launch.json'])(
  '%s',
  (name) => {
    const [report] = read(name)['reports'] as [Record<string, unknown>];
    test.each([
      ['of another format', { format: 'other' }],
      ['without reports', { reports: [] }],
      ['with a key of its own', { more: 1 }],
      ['with a report that took a negative time', { reports: [{ ...report, elapsed_s: -1 }] }],
      ['with half a round', { reports: [{ ...report, rounds: 1.5 }] }],
      ['that ended for no known reason', { reports: [{ ...report, stopped: 'bored' }] }],
      ['whose environment lacks its parts', { reports: [{ ...report, environment: {} }] }],
    ])('is refused by schema and program alike %s', (_what, change) => {
      const damaged = { ...read(name), ...change };
      expect(accepts(damaged)).toBe(false);
      expect(keptSessionSchema.safeParse(damaged).success).toBe(false);
    });
  },
);
