import { expect, test } from 'vitest';
import { constantsOf, constantsSince90, withConstants } from '../../../../../electron/host/model/tuning/constants.ts';

const text = `#pragma once
inline constexpr int kThreads = 256;  // kThreads = 1 in a comment stays
constexpr std::size_t kDepth = 64, kWide = 512;
BB_TUNABLE(int, kTile, 32);
#define kUnroll 4
constexpr unsigned kPitch = kTile + 4;
int other(int kLike) { return kThreads == 256 ? kLike : 0; }
`;

test('constants are found in each of their forms, and changed where they stand', () => {
  const names = ['kThreads', 'kDepth', 'kWide', 'kTile', 'kUnroll'];
  expect(constantsOf(text, names, 'a.hpp')).toEqual({ kThreads: 256, kDepth: 64, kWide: 512, kTile: 32, kUnroll: 4 });
  const changed = withConstants(text, { kWide: 1024, kTile: 8, kThreads: 64, kUnroll: 1 }, 'a.hpp');
  expect(constantsOf(changed, names, 'a.hpp')).toEqual({ kThreads: 64, kDepth: 64, kWide: 1024, kTile: 8, kUnroll: 1 });
  expect(changed.split('\n')).toHaveLength(text.split('\n').length);
  expect(changed).toContain('kThreads = 1 in a comment stays');
  expect(changed).toContain('kThreads == 256 ?');
});

test('a value for a GPU generation is replaced with the usual one', () => {
  const two = 'BB_TUNABLE_90(int, kRows, 4, 16);';
  expect(constantsOf(two, ['kRows'], 'a.hpp')).toEqual({ kRows: 4 });
  expect(constantsSince90(`${two}${text}`, ['kRows', 'kTile'], 'a.hpp')).toEqual({ kRows: 16, kTile: 32 });
  expect(withConstants(two, { kRows: 8 }, 'a.hpp')).toBe('BB_TUNABLE_90(int, kRows, 8, 8);');
});

test.each([
  ['kLike', 'is no constant with a whole number'],
  ['kPitch', 'is no constant with a whole number'],
  ['kMissing', 'is no constant with a whole number'],
])('%s is refused by name', (name, says) => {
  expect(() => constantsOf(text, [name], 'a.hpp')).toThrow(`a.hpp: ${name} ${says}`);
});

test('a constant that stands there twice is refused', () => {
  expect(() => withConstants(`${text}\nconstexpr int kTile = 1;`, { kTile: 2 }, 'a.hpp')).toThrow(
    'stands there 2 times',
  );
});
