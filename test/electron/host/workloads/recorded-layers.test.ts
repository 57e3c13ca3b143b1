/** The sessions of the linear layer that were recorded on a GPU: what the README says of them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { layerTargets, readSessions } from '../../../../electron/build/bench/targets.mjs';
import {
  type MeasuredSessionEntry,
  type SessionReport,
  sessionSchema,
} from '../../../../electron/contract/bench/session.ts';
import { measuredReport } from '../../../../electron/host/model/bench/claim-results.ts';
import { assetsFolder } from '../small-run.ts';

const folder = path.join(assetsFolder, 'runs/linear-relu');

function report(name: string): SessionReport {
  const [only] = sessionSchema.parse(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))).reports;
  if (only === undefined) throw new Error(`${name} is empty`);
  return only;
}

function entry(name: string, label: string): MeasuredSessionEntry {
  const found = report(name).entries.find((one) => one.label === label);
  if (found?.status !== 'measured') throw new Error(`${label} was not measured in ${name}`);
  return found;
}

/** Fields common to sessions of any form. */
const machineSchema = z.object({ machine: z.object({ gpu: z.object({ name: z.string() }) }) });

describe.each(readdirSync(folder))('%s', (name) => {
  test('is a session of an H200 or an H100', () => {
    const kept: unknown = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
    const { reports } = z.object({ reports: z.array(machineSchema).min(1) }).parse(kept);
    for (const { machine } of reports) expect(machine.gpu.name).toMatch(/^NVIDIA (H200|H100 80GB HBM3)$/);
  });
});

test('the targets are met', () => {
  const targets = layerTargets(readSessions(folder));
  expect(targets).toHaveLength(4);
  for (const { what, met } of targets) expect(met, what).toBe(true);
});

test('fusing gives less the larger the layer; the mask with a bit where Z is 0 is wrong', () => {
  const fusion = ['layer-256.json', 'layer-1024.json', 'layer-8192.json'].map(
    (name) => entry(name, 'cuda-cublas').quantities.find(({ id }) => id === 'fusion')?.value ?? Number.NaN,
  );
  expect(fusion).toEqual([...fusion].sort((a, b) => b - a));
  const mask = entry('layer-odd.json', 'cuda-lt-bf16-mask');
  expect(mask.verdict).toBe('wrong');
  expect(mask.accuracy.filter(({ holds }) => !holds).map(({ id }) => id)).toEqual(['bits']);
});

test('the medium layer is counted: twice its multiply-adds, and bytes that take a small share of its time', () => {
  const { numberOf } = measuredReport(report('layer-1024.json'));
  const multiplyAdds = 1024 * 784 * 2048;
  expect(numberOf('cuda-cublas', 'operations')?.value).toBeCloseTo((2 * multiplyAdds) / 1e9, 1);
  const rate = numberOf('cuda-cublas', 'rate');
  expect(rate?.unit).toBe('GFLOP/s');
  expect(rate?.value).toBeGreaterThan(10_000);
  const share = numberOf('cuda-cublas', 'memory-share')?.value ?? Number.NaN;
  expect(share).toBeGreaterThan(0.01);
  expect(share).toBeLessThan(0.2);
});
