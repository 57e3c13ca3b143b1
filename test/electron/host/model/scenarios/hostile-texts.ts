/** Texts of the largest size that a scenario may have, made to keep its reader busy. */
import { expect } from 'vitest';
import { scenarios } from './open.ts';

const size = 256 * 1024 - 64;
const fill = (part: string): string => part.repeat(Math.floor(size / part.length));

type Hostile = readonly [name: string, text: string, extension: 'json' | 'yaml'];

/** One in either format, and one that its reader takes for a scenario. */
export const fewHostile: readonly Hostile[] = [
  ['lists in lists', fill('['), 'json'],
  ['aliases', `a: &a [x]\nb: [${fill('*a, ')}]`, 'yaml'],
  [
    'very many regions',
    `kind: transport\nversion: 1\nbeam: {energy_MeV: 70}\ngeometry: {regions: [${fill('{a: 1}, ')}]}`,
    'yaml',
  ],
];

export const moreHostile: readonly Hostile[] = [
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

/** Refused within seconds, also on a busy machine. */
export async function expectRefused(_name: string, text: string, extension: string): Promise<void> {
  const start = process.cpuUsage();
  const { issues } = await scenarios.parse(text, { name: `s.${extension}`, folder: null });
  // Processor's time, which other programs do not add to.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(15);
  expect(issues.length).toBeGreaterThan(0);
  expect(issues.length).toBeLessThan(1000);
  expect(Math.max(...issues.map(({ message }) => message.length))).toBeLessThan(600);
}
