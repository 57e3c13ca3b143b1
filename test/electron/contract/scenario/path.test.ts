import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPath, parsePath, suggest, valueAt, withValueAt } from '../../../../electron/contract/scenario/index.ts';
import { withoutPaths } from '../../../../electron/contract/scenario/path.ts';

const key = fc.stringMatching(/^[A-Za-z_$][A-Za-z0-9_-]{0,8}$/);
const path = fc
  .tuple(key, fc.array(fc.oneof(key, fc.nat(999)), { maxLength: 5 }))
  .map(([first, rest]) => [first, ...rest]);

describe('paths', () => {
  test('read back as they were written', () => {
    fc.assert(
      fc.property(path, (steps) => {
        expect(parsePath(formatPath(steps))).toEqual(steps);
      }),
    );
  });

  test.each(['', '.', 'a.', '.a', 'a..b', 'a[', 'a[x]', 'a[-1]', '[0]', 'a b', 'a[0]b', 'a[99999999]'])(
    '%j is none',
    (text) => {
      expect(parsePath(text)).toBeNull();
    },
  );

  test('a key that is no plain word is quoted', () => {
    expect(formatPath(['beam', 'my key', 0])).toBe('beam["my key"][0]');
  });

  test('a value that was set is there, and the rest is as before', () => {
    const document = { a: { b: [1, { c: 2 }] }, d: 3 };
    expect(withValueAt(document, ['a', 'b', 1, 'c'], 9)).toEqual({ a: { b: [1, { c: 9 }] }, d: 3 });
    expect(withValueAt(document, ['a', 'b', 0], undefined)).toEqual({ a: { b: [{ c: 2 }] }, d: 3 });
    expect(withValueAt(document, ['d'], undefined)).toEqual({ a: { b: [1, { c: 2 }] } });
    expect(withValueAt({}, ['x', 'y'], 1)).toEqual({ x: { y: 1 } });
    expect(document).toEqual({ a: { b: [1, { c: 2 }] }, d: 3 });
    fc.assert(
      fc.property(path, (steps) => {
        expect(valueAt(withValueAt({}, steps, 'here'), steps)).toBe('here');
      }),
    );
  });

  test('never reaches the prototype', () => {
    expect(valueAt({}, ['constructor'])).toBeUndefined();
    expect(valueAt({}, ['__proto__', 'toString'])).toBeUndefined();
    withValueAt({}, ['__proto__', 'polluted'], true);
    expect(valueAt({}, ['polluted'])).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('suggest', () => {
  const words = ['dx_mm', 'energy_MeV', 'energy_sigma_MeV', 'weight', 'water', 'lead'];

  test.each([
    ['energy_Mev', 'energy_MeV'],
    ['energy', 'energy_MeV'],
    ['dx', 'dx_mm'],
    ['dz', null],
    ['energySigmaMeV', 'energy_sigma_MeV'],
    ['wieght', 'weight'],
    ['leda', 'lead'],
    ['Water', 'water'],
    ['gold', null],
    ['', null],
    ['x'.repeat(100), null],
  ])('%j gives %j', (word, expected) => {
    expect(suggest(word, words)).toBe(expected);
  });
});

describe('without paths', () => {
  test('leaves out keys and entries of lists at once, as they were counted before', () => {
    const document = { a: [1, { b: 2, c: 3 }, 4], d: { e: 5 }, f: 6 };
    expect(withoutPaths(document, [['a', 0], ['a', 1, 'b'], ['d', 'e'], ['g']])).toEqual({
      a: [{ c: 3 }, 4],
      d: {},
      f: 6,
    });
    expect(
      withoutPaths(document, [
        ['a', 1],
        ['a', 1, 'b'],
        ['a', 2],
      ]),
    ).toEqual({ a: [1], d: { e: 5 }, f: 6 });
    expect(withoutPaths(document, [[]])).toBeUndefined();
    expect(withoutPaths(document, [])).toEqual(document);
  });
});
