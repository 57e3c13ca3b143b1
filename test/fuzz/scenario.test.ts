import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { anyDocument, anyJunk } from '../electron/contract/scenario/arbitrary.ts';
import { assetsFolder, scenarios } from '../electron/host/model/scenarios/open.ts';
import { runs } from './runs.ts';

const folder = join(assetsFolder, 'scenarios');
const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .map((name) => readFileSync(join(folder, name), 'utf8'));

/** Reading ends soon, with issues that are whole; a scenario without errors resolves. */
async function survives(text: string, name: string): Promise<void> {
  const start = process.cpuUsage();
  const reading = await scenarios.parse(text, { name, folder: null });
  // Processor's time, which other programs do not add to.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(2);
  for (const issue of reading.issues) {
    expect(issue.message.length).toBeGreaterThan(3);
    expect(issue.message).not.toMatch(/undefined|\[object|Invalid input/);
    if (issue.line !== null) expect(issue.line).toBeLessThanOrEqual(text.split(/\r\n?|\n/).length);
  }
  if (reading.problem === null) expect(reading.issues.some(({ severity }) => severity === 'error')).toBe(true);
  else {
    const problem = scenarios.resolve(reading);
    expect(problem.map.length).toBe(problem.grid.nx * problem.grid.nz);
    expect(Math.max(...problem.map.slice(0, 1000))).toBeLessThan(problem.materials.length);
    expect(JSON.stringify(problem)).not.toContain('null');
  }
}

const extension = fc.constantFrom('json', 'yaml');

describe('scenario files', () => {
  test('with bytes changed, removed and doubled', async () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.nat(20),
      insert: fc.oneof(
        fc.string({ maxLength: 8 }),
        fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '"',
          '-',
          'e999',
          '-1',
          '0',
          'NaN',
          '\n',
          ' ',
          '\t',
          '&a ',
          '*a',
          '\u0000',
          '💥',
        ),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        extension,
        async (text, edits, type) => {
          let damaged = text;
          for (const { at, remove, insert } of edits) {
            const start = at % (damaged.length + 1);
            damaged = damaged.slice(0, start) + insert + damaged.slice(start + remove);
          }
          await survives(damaged, `s.${type}`);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test('with values replaced by anything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), anyJunk, fc.nat(), async (text, junk, pick) => {
        const document = JSON.parse(text) as Record<string, unknown>;
        const places: [Record<string, unknown>, string][] = [];
        const walk = (value: unknown): void => {
          if (typeof value !== 'object' || value === null) return;
          for (const key of Object.keys(value)) {
            places.push([value as Record<string, unknown>, key]);
            walk((value as Record<string, unknown>)[key]);
          }
        };
        walk(document);
        const place = places[pick % places.length];
        if (place) place[0][place[1]] = junk;
        await survives(JSON.stringify(document), 's.json');
        await survives(stringify(document), 's.yaml');
      }),
      { numRuns: runs(400) },
    );
  });

  test('that are random but valid: all resolve or are told why not', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, async (document) => survives(JSON.stringify(document), 's.json')),
      { numRuns: runs(300) },
    );
  });

  test('that are any text at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200, unit: 'binary' }), extension, (text, type) =>
        survives(text, `s.${type}`),
      ),
      { numRuns: runs(300) },
    );
  });

  test('round trip: a valid document read from JSON, from YAML and from its own text is the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, async (document) => {
        const place = { name: 's.json', folder: null };
        const json = await scenarios.parse(JSON.stringify(document), place);
        const yaml = await scenarios.parse(stringify(document), { ...place, name: 's.yaml' });
        const own = await scenarios.parse(scenarios.text(document), place);
        expect(yaml.draft).toEqual(json.draft);
        expect(own.draft).toEqual(json.draft);
        expect(own.scenario).toEqual(json.scenario);
        expect(yaml.issues.map(({ message }) => message).sort()).toEqual(
          json.issues.map(({ message }) => message).sort(),
        );
      }),
      { numRuns: runs(150) },
    );
  });
});
