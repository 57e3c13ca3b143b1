import { describe, expect, test } from 'vitest';
import {
  flagNumber,
  flagOneOf,
  flagValue,
  hasFlag,
  parseArguments,
  UsageError,
} from '../../../electron/cli/arguments.ts';

const flags = [
  { name: 'out', value: 'FILE', help: '' },
  { name: 'set', value: 'path=value', repeats: true, help: '' },
  { name: 'json', help: '' },
  { name: 'port', value: 'N', help: '' },
] as const;

describe('arguments', () => {
  test('values stand behind a space or an equals sign; operands anywhere', () => {
    const parsed = parseArguments(
      ['a.json', '--set', 'x=1', '--out=b.h5', '--json', '--set=y=2', 'c.json', '--', '--d'],
      flags,
    );
    expect(parsed.operands).toEqual(['a.json', 'c.json', '--d']);
    expect(parsed.flags.get('set')).toEqual(['x=1', 'y=2']);
    expect(flagValue(parsed, 'out')).toBe('b.h5');
    expect(hasFlag(parsed, 'json')).toBe(true);
    expect(hasFlag(parsed, 'help')).toBe(false);
    expect(flagValue(parsed, 'port')).toBeUndefined();
  });

  test('a value may begin with a dash', () => {
    expect(parseArguments(['--set', 'beam.x_mm=-3', '--out', '-'], flags).flags.get('out')).toEqual(['-']);
  });

  test('-h asks for help', () => {
    expect(hasFlag(parseArguments(['-h'], flags), 'help')).toBe(true);
  });

  test.each([
    [['--jsn'], '--jsn is not a known flag (did you mean --json?); allowed: --out, --set, --json, --port, --help'],
    [['-x'], '-x is not a known flag; allowed: --out, --set, --json, --port, --help'],
    [['--out'], '--out needs a value: --out FILE'],
    [['--json=1'], '--json takes no value, and got "1"'],
    [['--out', 'a', '--out', 'b'], '--out may be given only once'],
  ])('%j is refused', (words, message) => {
    expect(() => parseArguments(words, flags)).toThrow(new UsageError(message));
  });

  test('a word is one of those allowed, the first by default', () => {
    const allowed = ['left', 'right'] as const;
    expect(flagOneOf(parseArguments([], flags), 'out', allowed)).toBe('left');
    expect(flagOneOf(parseArguments(['--out', 'right'], flags), 'out', allowed)).toBe('right');
    expect(() => flagOneOf(parseArguments(['--out', 'up'], flags), 'out', allowed)).toThrow(
      '--out up is not known; allowed: left, right',
    );
  });

  test('numbers have bounds', () => {
    const number = (text: string) =>
      flagNumber(parseArguments(['--port', text], flags), 'port', { min: 0, max: 65_535, whole: true });
    expect(number('80')).toBe(80);
    expect(flagNumber(parseArguments([], flags), 'port', { min: 0, max: 1 })).toBeUndefined();
    for (const text of ['-1', '65536', '1.5', 'many', '', ' ', 'NaN']) {
      expect(() => number(text)).toThrow(
        `--port: ${JSON.stringify(text)} is not allowed; allowed: a whole number, 0 to 65535`,
      );
    }
  });
});
