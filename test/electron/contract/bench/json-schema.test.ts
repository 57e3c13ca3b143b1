/** The JSON Schema of sessions: as published, and as strict as the program that reads them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import {
  publishedSessionSchema,
  type SessionVersion,
  schemaFile,
} from '../../../../electron/contract/bench/json-schema.ts';
import { keptSessionSchema } from '../../../../electron/contract/bench/kept-session.ts';
import { asSession, parseKeptSession, readKnown } from '../../../../electron/host/app/sessions/index.ts';
import { loadAddon } from '../../../../electron/host/io/addon/addon.ts';

const assets = path.join(import.meta.dirname, '../../../../assets');
const runs = path.join(assets, 'runs');
const recorded = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
const read = (name: string) => JSON.parse(readFileSync(path.join(runs, name), 'utf8')) as Record<string, unknown>;
const compiled = (version: SessionVersion) =>
  new Ajv2020({ allErrors: false, strict: true, allowUnionTypes: true }).compile(publishedSessionSchema(version));
const schemas = { 1: compiled(1), 2: compiled(2) } as const;
const known = await readKnown(loadAddon(), assets);
/** As it would be written today. */
const imported = (name: string) => asSession(parseKeptSession(JSON.stringify(read(name)), name), known);

test.each([1, 2] as const)(
  'JSON Schema %i is the one that the zod schemas give; vitest -u writes it anew',
  async (version) => {
    const schema = `${JSON.stringify(publishedSessionSchema(version), null, 2)}\n`;
    await expect(schema).toMatchFileSnapshot(path.join(assets, 'schemas', schemaFile(version)));
  },
);

test('each recorded session is of the version that it names, and what is imported of it of the second', () => {
  expect(recorded.length).toBeGreaterThanOrEqual(60);
  for (const name of recorded) {
    const kept = read(name);
    const own = schemas[kept['format_version'] as SessionVersion];
    own(kept);
    expect(own.errors ?? [], name).toEqual([]);
    const session = imported(name);
    schemas[2](session);
    expect(schemas[2].errors ?? [], name).toEqual([]);
    expect(keptSessionSchema.parse(session), name).toEqual(session);
  }
});

const names = ['h200-water-70MeV.json', 'diffraction/h200-simple-cubic-1024.json', 'micro/launch.json'];
const documents = names.flatMap((name) => [
  [name, 1, read(name)] as const,
  [name, 2, { ...imported(name) } as Record<string, unknown>] as const,
]);

describe.each(documents)('%s in version %i', (_name, version, document) => {
  const [report] = document['reports'] as [Record<string, unknown>];
  test.each([
    ['of another format', { format: 'other' }],
    ['of a version to come', { format_version: 3 }],
    ['without reports', { reports: [] }],
    ['with a key of its own', { more: 1 }],
    ['with a report that took a negative time', { reports: [{ ...report, elapsed_s: -1 }] }],
    ['with half a round', { reports: [{ ...report, rounds: 1.5 }] }],
    ['that ended for no known reason', { reports: [{ ...report, stopped: 'bored' }] }],
    ['whose environment lacks its parts', { reports: [{ ...report, environment: {} }] }],
  ])('is refused by schema and program alike %s', (_what, change) => {
    const damaged = { ...document, ...change };
    expect(schemas[version](damaged)).toBe(false);
    expect(keptSessionSchema.safeParse(damaged).success).toBe(false);
  });
});
