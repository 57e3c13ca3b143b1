/** Recorded sessions of every workload, as comparisons take them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { imageSessionSchema } from '../../../../../electron/contract/bench/recorded/image.ts';
import { taskSessionSchema } from '../../../../../electron/contract/bench/recorded/task.ts';
import {
  type MeasuredSessionEntry,
  type Session,
  sessionSchema,
} from '../../../../../electron/contract/bench/session.ts';
import { asSession, outlineOf, parseKeptSession, readKnown } from '../../../../../electron/host/app/sessions/index.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { assetsFolder } from '../../small-run.ts';

const folder = path.join(assetsFolder, 'runs');
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
const known = await readKnown(loadAddon(), assetsFolder);
const { variants } = known;
const textOf = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
const opened = new Map<string, Session>();
function open(name: string): Session {
  const session = opened.get(name) ?? asSession(parseKeptSession(textOf(name), name), known);
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
    const outline = outlineOf(parseKeptSession(textOf(name), name), variants);
    expect(outline.reports.map(({ entries }) => entries.map(({ label }) => label))).toEqual(
      session.reports.map(({ entries }) => entries.map(({ label }) => label)),
    );
    for (const { reference, entries } of session.reports) {
      const own = entries.find(({ label }) => label === reference);
      expect(own).toMatchObject({ status: 'measured' });
    }
  });
});

test('an image session keeps its four measures, modes and rates, and stands its variants on each other', () => {
  const name = 'diffraction/h200-simple-cubic-1024.json';
  const [report] = imageSessionSchema.parse(JSON.parse(textOf(name))).reports;
  const warm = report?.entries.find((one) => one.variant === 'diffraction-cuda-mixed' && one.mode === 'warm');
  const graph = report?.entries.find((one) => one.variant === 'diffraction-cuda-mixed' && one.mode === 'graph');
  const found = entry(open(name), 'diffraction-cuda-mixed');
  expect(found.time_s).toBe(warm?.median_s);
  expect(found.accuracy.map(({ id }) => id)).toEqual(['rel_l2', 'max', 'bright', 'sum']);
  expect(found.accuracy.map(({ value }) => value)).toEqual(Object.values(warm?.error ?? {}));
  expect(found.modes.find(({ mode }) => mode === 'graph')?.time_s).toBe(graph?.median_s);
  const { fp32_per_s = 0, fp64_per_s = 0 } = warm?.roofline ?? {};
  expect(found.roofline?.flops_per_s).toBe(fp32_per_s + fp64_per_s);
  expect(found.size).toBe(1024 * 1024);
  expect(found).toMatchObject({ flagged: 0, determinism: { bitwise: true } });
  const onOthers = measured(open(name)).filter(({ rung }) => rung !== null);
  expect(onOthers.length).toBeGreaterThan(3);
  for (const { label, builds_on, time_s, rung } of onOthers) {
    expect(rung?.value, label).toBeCloseTo(time_s / entry(open(name), builds_on ?? '').time_s, 9);
    expect(rung?.interval).not.toBeNull();
  }
});

test('a layer keeps every check with its bound, and a row of the ledger its numbers and claims', () => {
  const layer = taskSessionSchema.parse(JSON.parse(textOf('linear-relu/layer-1024.json')));
  const [own] = layer.reports[0]?.entries ?? [];
  const found = entry(open('linear-relu/layer-1024.json'), own?.label ?? '');
  const checks = own?.status === 'measured' ? own.checks : [];
  expect(found.accuracy.map(({ id, value, bound }) => ({ id, value, bound }))).toEqual(
    checks.map(({ id, value, limit }) => ({ id, value, bound: limit })),
  );
  expect(
    measured(open('linear-relu/layer-1024.json')).some(({ accuracy }) => accuracy.some(({ id }) => id === 'mask')),
  ).toBe(true);
  const latency = open('micro/latency.json');
  expect(latency.reports[0]).toMatchObject({ bench: 'latency' });
  expect(latency.reports[0]?.claims.some(({ values }) => values.length > 0)).toBe(true);
  expect(measured(latency).some(({ quantities }) => quantities.length > 0)).toBe(true);
});

test('what is no session, or a damaged one, says so by its name', () => {
  expect(() => parseKeptSession('{', 'x.json')).toThrow('x.json is not JSON');
  expect(() => parseKeptSession('{"format":"mine"}', 'x.json')).toThrow('x.json is not a benchmark of this program');
  const text = textOf('micro/latency.json').replace('"format_version":1', '"format_version":7');
  expect(() => parseKeptSession(text, 'x.json')).toThrow(/x\.json cannot be read as a benchmark: format_version/);
});
