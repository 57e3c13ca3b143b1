/**
 * Checks scenarios with the real addon and the shipped materials. Also creates texts of the largest size that a
 * scenario may have, crafted to keep the parser busy.
 */
import { join } from 'node:path';
import { expect } from 'vitest';
import { formatIssue } from '../../../../../electron/contract/scenario/index.ts';
import type { WorkloadName } from '../../../../../electron/contract/workload.ts';
import { extraStragglingOf, loadAddon, variantOptionsOf } from '../../../../../electron/host/io/addon/addon.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { openScenarios, type Reading } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { TransportScenarios } from '../../small-run.ts';

export const assetsFolder = join(import.meta.dirname, '../../../../../assets');
export const addon = loadAddon(join(import.meta.dirname, '../../../../../dist/native/braggbench.node'));

/** Variants of these tests, so that messages do not change with every new variant. */
const variants = ['reference', 'window', 'depth'] as const;

export const namedVariants = (workload: WorkloadName) =>
  workload === 'transport' ? variants.map((id) => ({ id, bench: '' })) : hostWorkloads[workload].variants(addon);

export const scenarios = new TransportScenarios(
  await openScenarios({
    assetsFolder,
    rangeTable: addon.rangeTable,
    variants: namedVariants,
    workloads: hostWorkloads,
    extraStraggling: extraStragglingOf(addon),
    offers: variantOptionsOf(addon),
    memoryLimit_bytes: 2 ** 30,
  }),
);

/** `severity? file:line:column: path: message` of every issue; errors without their severity. */
export function issueLines(reading: Reading): readonly string[] {
  return reading.issues.map((issue) => (issue.severity === 'warning' ? 'warning ' : '') + formatIssue(issue));
}

/** Reads YAML text as the file `s.yaml`, which is in no folder. */
export function readYaml(text: string): Promise<Reading> {
  return scenarios.parse(text, { name: 's.yaml', folder: null });
}

/** Checks a document of the three required values and of `parts`, as the page's form sends it. */
export function checkBeam(parts: object, energy_MeV = 70): Promise<Reading> {
  return scenarios.check(
    { kind: 'transport', version: 1, beam: { energy_MeV }, ...parts },
    { name: 's', folder: null },
  );
}

const size = 256 * 1024 - 64;
const fill = (part: string): string => part.repeat(Math.floor(size / part.length));

type HostileText = readonly [name: string, text: string, extension: 'json' | 'yaml'];

/** One hostile text in either format, and one that parses as a scenario. */
export const hostileSamples: readonly HostileText[] = [
  ['lists in lists', fill('['), 'json'],
  ['aliases', `a: &a [x]\nb: [${fill('*a, ')}]`, 'yaml'],
  [
    'very many regions',
    `kind: transport\nversion: 1\nbeam: {energy_MeV: 70}\ngeometry: {regions: [${fill('{a: 1}, ')}]}`,
    'yaml',
  ],
];

export const hostileVariants: readonly HostileText[] = [
  ['objects in objects', fill('{"a":'), 'json'],
  ['a long number', fill('1'), 'json'],
  ['a long text', `"${fill('\\u0041')}"`, 'json'],
  ['very many keys', `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join(',')}}`, 'json'],
  ['the same key over and over', `{${fill('"a":1,')}"a":1}`, 'json'],
  ['flow lists in lists', fill('['), 'yaml'],
  ['block lists in lists', fill('- '), 'yaml'],
  ['keys in keys', fill('? '), 'yaml'],
  ['maps in maps', fill('{a: '), 'yaml'],
  ['indentation', Array.from({ length: 700 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'yaml'],
  ['very many keys', Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n'), 'yaml'],
  ['the same key over and over', fill('a: 1\n'), 'yaml'],
  ['anchors', fill('&a '), 'yaml'],
  ['tags', fill('! '), 'yaml'],
  ['documents', fill('---\n'), 'yaml'],
  ['quotes', fill('"a" '), 'yaml'],
  ['commas', `[${fill(', ')}`, 'yaml'],
];

/** Expects a rejection within seconds, also on a busy machine. */
export async function expectRefused(_name: string, text: string, extension: string): Promise<void> {
  const start = process.cpuUsage();
  const { issues } = await scenarios.parse(text, { name: `s.${extension}`, folder: null });
  // Processor time, which does not depend on other programs.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(15);
  expect(issues.length).toBeGreaterThan(0);
  expect(issues.length).toBeLessThan(1000);
  expect(Math.max(...issues.map(({ message }) => message.length))).toBeLessThan(600);
}
