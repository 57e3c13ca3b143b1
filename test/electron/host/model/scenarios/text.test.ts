import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../../../electron/contract/scenario/index.ts';
import { scenarios } from './open.ts';

async function readIssues(text: string, name: string): Promise<readonly string[]> {
  const reading = await scenarios.parse(text, { name, folder: null });
  return reading.issues.map(formatIssue);
}

const json = (text: string): Promise<readonly string[]> => readIssues(text, 's.json');
const yaml = (text: string): Promise<readonly string[]> => readIssues(text, 's.yaml');
const head = '"kind": "transport", "version": 1';

/** 1-based column of `part` in a one-line text. */
function columnOf(text: string, part: string): number {
  return text.indexOf(part) + 1;
}

describe('invalid JSON', () => {
  test.each([
    ['empty file', '', 's.json:1:1: expected a value, found the end of the file'],
    ['cut off', `{ ${head}`, "s.json:1:36: expected ',' or '}', found the end of the file"],
    ['trailing comma', `{ ${head},\n}`, "s.json:1:36: a comma before '}' is not allowed in JSON"],
    ['no colon', '{ "kind" 1 }', `s.json:1:10: expected ':' after the key "kind", found "1"`],
    ['bare key', '{ kind: 1 }', 's.json:1:3: expected a key in double quotes, found "k"'],
    ['single quotes', '{ "kind": \'x\' }', 's.json:1:11: text needs double quotes in JSON'],
    ['bare word', '{ "kind": transport }', 's.json:1:11: transport is not JSON; text needs double quotes'],
    ['leading zero', '{ "version": 01 }', 's.json:1:14: 01 is not a JSON number'],
    ['leading plus', '{ "version": +1 }', 's.json:1:14: +1 is not a JSON number'],
    ['point without digits', '{ "version": .5 }', 's.json:1:14: .5 is not a JSON number'],
    ['hexadecimal', '{ "version": 0x10 }', 's.json:1:14: 0x10 is not a JSON number'],
    [
      'comment',
      '{\n  // note\n}',
      's.json:2:3: comments are not part of JSON; write them as "notes", or use a .yaml file',
    ],
    ['open text', '{ "name": "abc', 's.json:1:11: this text has no closing quote'],
    [
      'line break in text',
      '{ "name": "a\nb" }',
      's.json:1:13: a line break or control character inside text; write \\n or \\t',
    ],
    ['bad escape', '{ "name": "\\q" }', 's.json:1:11: this text has a backslash that does not start a JSON escape'],
    ['two values', `{} {}`, 's.json:1:4: expected the end of the file, found "{"'],
    ['no separator', '[1 2]', `s.json:1:4: expected ',' or ']', found "2"`],
    ['YAML', 'kind: transport', 's.json:1:1: kind is not JSON; text needs double quotes'],
  ])('%s', async (_name, text, expected) => {
    expect(await json(text)).toEqual([expected]);
  });
});

describe('invalid YAML', () => {
  test.each([
    ['empty file', '', 's.yaml:1:1: the file is empty'],
    ['only a comment', '# nothing', 's.yaml:1:1: the file is empty'],
    ['anchor', 'kind: &a transport', 's.yaml:1:10: anchors (&name) are not supported'],
    ['alias', 'kind: *a', 's.yaml:1:7: aliases (*name) are not supported; write the value out'],
    ['tag', 'kind: !!str transport', 's.yaml:1:13: tags (!name) are not supported'],
    ['own tag', 'kind: !x transport', 's.yaml:1:10: tags (!name) are not supported'],
    [
      'second document',
      'kind: transport\n---\nkind: transport',
      's.yaml:2:1: a second document begins here; allowed: one document',
    ],
    [
      'YAML 1.1',
      '%YAML 1.1\n---\nkind: transport',
      's.yaml:1:1: YAML 1.1 reads on, off and numbers differently; allowed: YAML 1.2',
    ],
    ['list as key', '? [a]\n: 1', 's.yaml:1:3: a key must be a plain word'],
    ['tab', '\tkind: transport', 's.yaml:1:1: Tabs are not allowed as indentation'],
    [
      'open list',
      'kind: [a',
      's.yaml:1:9: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  ])('%s', async (_name, text, expected) => {
    expect(await yaml(text)).toContain(expected);
  });

  test('off and on are strings, as in YAML 1.2', async () => {
    const text = 'kind: transport\nversion: 1\nbeam: {energy_MeV: 70}\nphysics: {straggling: off, nuclear: off}';
    expect(await yaml(text)).toEqual([]);
  });
});

describe('duplicate keys', () => {
  const message = (key: string): string => `the key "${key}" is given twice in the same object; allowed: once`;

  test('are rejected in JSON', async () => {
    expect(await json(`{ ${head},\n"beam": { "energy_MeV": 70,\n"energy_MeV": 71 } }`)).toEqual([
      `s.json:3:1: ${message('energy_MeV')}`,
    ]);
  });

  test('are rejected in JSON if spelled in two ways', async () => {
    const text = `{ ${head}, "beam": { "energy_MeV": 70, "energy\\u005fMeV": 71 } }`;
    expect(await json(text)).toEqual([`s.json:1:${columnOf(text, '"energy\\u005fMeV"')}: ${message('energy_MeV')}`]);
  });

  test('are rejected in YAML, several at once and inside lists', async () => {
    const text = `kind: transport
version: 1
version: 1
beam: {energy_MeV: 70}
geometry:
  regions:
    - {material: water, material: lead, x_mm: [0, 1], z_mm: [0, 1]}
`;
    expect(await yaml(text)).toEqual([`s.yaml:3:1: ${message('version')}`, `s.yaml:7:25: ${message('material')}`]);
  });
});

describe('non-finite numbers', () => {
  test('are reported at their path in JSON', async () => {
    const text = `{ ${head}, "beam": { "energy_MeV": NaN, "weight": 1e999, "x_mm": -Infinity } }`;
    expect(await json(text)).toEqual([
      `s.json:1:${columnOf(text, 'NaN')}: beam.energy_MeV: NaN is not a finite number; allowed: 0.5 to 300 MeV; in water with your own table up to 1000 MeV`,
      `s.json:1:${columnOf(text, '1e999')}: beam.weight: Infinity is not a finite number; allowed: 1e-12 to 1e18`,
      `s.json:1:${columnOf(text, '-Inf')}: beam.x_mm: -Infinity is not a finite number; allowed: -5000 to 5000 mm`,
    ]);
  });

  test('are reported at their path in YAML', async () => {
    expect(await yaml('kind: transport\nversion: 1\nbeam:\n  energy_MeV: 70\n  weight: .inf\n  x_mm: .nan')).toEqual([
      's.yaml:5:11: beam.weight: Infinity is not a finite number; allowed: 1e-12 to 1e18',
      's.yaml:6:9: beam.x_mm: NaN is not a finite number; allowed: -5000 to 5000 mm',
    ]);
  });
});

describe('positions in a file', () => {
  test('start at 1, count lines ending in CR, LF and both, and skip a byte order mark', async () => {
    const text = `\uFEFF{ ${head},\r\n\r"beam": { "energy_MeV": 70 },\n "grid": { "dx_mm": "a" } }`;
    expect(await json(text)).toEqual(['s.json:4:21: grid.dx_mm: "a" is not a number; allowed: 1e-5 to 100 mm']);
  });

  test('point to the key if it is unknown, and to its parent if it is missing', async () => {
    expect(await json(`{ ${head},\n  "beam": {\n  "enrgy_MeV": 70 } }`)).toEqual([
      's.json:2:3: beam.energy_MeV: is missing; needed: 0.5 to 300 MeV; in water with your own table up to 1000 MeV, or range_mm or spots instead',
      's.json:3:3: beam.enrgy_MeV: is not a known key (did you mean energy_MeV?); allowed here: energy_MeV, range_mm, range_is, spots, energy_sigma_MeV, angle_deg, angle_sigma_mrad, x_mm, x_sigma_mm, x_sigma_is, y_sigma_mm, focus_mm, z_mm, weight',
    ]);
  });

  test('are found in a file without an extension, whose format follows from its first character', async () => {
    const text = `{ ${head}, "beam": { "energy_MeV": 70 } }`;
    expect(await readIssues(text, 'scenario')).toEqual([]);
    expect(await readIssues('kind: transport\nversion: 1\nbeam: {energy_MeV: 70}', 'scenario')).toEqual([]);
    expect(await readIssues('{ kind: transport }', 's.yml')).toEqual(['s.yml:1:1: version: is missing; needed: 2']);
  });
});

test('a warning does not make a scenario invalid', async () => {
  const text = `{ ${head}, "beam": { "energy_MeV": 70 }, "geometry": { "depth_mm": 30 } }`;
  const reading = await scenarios.parse(text, { name: 's.json', folder: null });
  expect(reading.issues.map(formatIssue)).toEqual([
    `s.json:1:${columnOf(text, '30 }')}: geometry.depth_mm: the beam reaches 40.8 mm, but the box ends at 30 mm; without depth_mm the box follows the range`,
  ]);
  expect(reading.issues[0]?.severity).toBe('warning');
  expect(scenarios.resolve(reading).grid.nz).toBe(150);
});
