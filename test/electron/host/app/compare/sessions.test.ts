/** Recorded sessions of every workload, as comparisons take them. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type MeasuredSessionEntry,
  type Session,
  sessionSchema,
} from '../../../../../electron/contract/bench/session.ts';
import { asSession, parseSession } from '../../../../../electron/host/app/sessions/index.ts';
import { readDesigns } from '../../../../../electron/host/model/bench/factorial/designs.ts';
import { assetsFolder } from '../../small-run.ts';

const folder = path.join(assetsFolder, 'runs');
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
const designs = await readDesigns(assetsFolder);
const textOf = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
const opened = new Map<string, Session>();
function open(name: string): Session {
  const session = opened.get(name) ?? asSession(parseSession(textOf(name), name), designs);
  opened.set(name, session);
  return session;
}

function measured(session: Session): readonly MeasuredSessionEntry[] {
  return session.reports.flatMap(({ entries }) => entries).filter((entry) => entry.status === 'measured');
}

function entry(session: Session, label: string): MeasuredSessionEntry {
  const found = measured(session).find((one) => one.label === label);
  if (found === undefined) throw new Error(`no ${label}`);
  return found;
}

describe.for(names)('%s', (name) => {
  test('opens, and says of every variant how fast and how right it is', () => {
    const session = sessionSchema.parse(open(name));
    expect(session.reports[0]?.machine.gpu?.name).toMatch(/^NVIDIA (H200|H100 80GB HBM3)$/);
    expect(measured(session).length).toBeGreaterThan(0);
    for (const { label, accuracy, verdict, samples, time_s, ratio } of measured(session)) {
      expect(accuracy.length, label).toBeGreaterThan(0);
      // Wrong is what breaks a bound, and nothing else.
      expect(verdict === 'wrong', label).toBe(accuracy.some(({ holds }) => !holds));
      expect(samples.length, label).toBeGreaterThan(0);
      expect(time_s).toBeGreaterThan(0);
      expect(ratio.value).toBeGreaterThan(0);
    }
    for (const { reference, entries } of session.reports) {
      const own = entries.find(({ label }) => label === reference);
      expect(own).toMatchObject({ status: 'measured' });
    }
  });
});

test('an image session contains its four measures, modes and rates, and ratios along the chain of variants', () => {
  const session = open('diffraction/h200-simple-cubic-1024.json');
  const found = entry(session, 'diffraction-cuda-mixed');
  expect(found.accuracy.map(({ id }) => id)).toEqual(['rel_l2', 'max', 'bright', 'sum']);
  expect(found.modes.find(({ mode }) => mode === 'graph')?.time_s).toBeGreaterThan(0);
  expect(found.roofline?.flops_per_s).toBeGreaterThan(1e12);
  expect(found.size).toBe(1024 * 1024);
  expect(found).toMatchObject({ flagged: 0, determinism: { bitwise: true } });
  const onOthers = measured(session).filter(({ rung }) => rung !== null);
  expect(onOthers.length).toBeGreaterThan(3);
  for (const { label, builds_on, time_s, rung } of onOthers) {
    expect(rung?.value, label).toBeCloseTo(time_s / entry(session, builds_on ?? '').time_s, 9);
    expect(rung?.interval).not.toBeNull();
  }
});

test('a layer has every check with its bound, and a row of the ledger its numbers and claims', () => {
  const layer = measured(open('linear-relu/layer-1024.json'));
  for (const { accuracy } of layer) expect(accuracy.some(({ bound }) => bound !== null)).toBe(true);
  expect(layer.some(({ accuracy }) => accuracy.some(({ id }) => id === 'mask'))).toBe(true);
  const latency = open('micro/latency.json');
  expect(latency.reports[0]).toMatchObject({ bench: 'latency' });
  expect(latency.reports[0]?.claims.some(({ values }) => values.length > 0)).toBe(true);
  expect(measured(latency).some(({ quantities }) => quantities.length > 0)).toBe(true);
});

test('rejects a foreign or damaged file by its name', () => {
  expect(() => parseSession('{', 'x.json')).toThrow('x.json is not JSON');
  expect(() => parseSession('{"format":"mine"}', 'x.json')).toThrow('x.json is not a benchmark of this program');
  const text = textOf('micro/latency.json').replace('"format_version":2', '"format_version":7');
  expect(() => parseSession(text, 'x.json')).toThrow(/x\.json cannot be read as a benchmark: format_version/);
});
