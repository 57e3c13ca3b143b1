/** Compile options of user kernels: one vocabulary, and no text of a user becomes a compiler flag directly. */
import { expect, test } from 'vitest';
import {
  compileOptionsSchema,
  definesText,
  flagsFor,
  optionsText,
  parseDefines,
} from '../../../../electron/contract/user-kernels/options.ts';

const all = {
  fast_math: true,
  fmad: false,
  optimize: 1,
  lineinfo: true,
  registers: 64,
  defines: { TILE: 16, SAFE: '' },
};

test('each compiler receives the same options in its own syntax', () => {
  expect(flagsFor('cuda', all)).toEqual([
    ...['--use_fast_math', '--fmad=false', '--ptxas-options=-O1', '--generate-line-info', '--maxrregcount=64'],
    ...['-DTILE=16', '-DSAFE'],
  ]);
  expect(flagsFor('gnu', all)).toEqual(['-ffast-math', '-ffp-contract=off', '-O1', '-g1', '-DTILE=16', '-DSAFE']);
  expect(flagsFor('msvc', all)).toEqual(['/fp:fast', '/O1', '/Z7', '/DTILE=16', '/DSAFE']);
  for (const style of ['cuda', 'gnu', 'msvc'] as const) expect(flagsFor(style, {})).toEqual([]);
  expect(flagsFor('gnu', { fast_math: false, lineinfo: false, fmad: true })).toEqual(['-ffp-contract=fast']);
  expect(optionsText(all)).toBe(
    'fast math, no fused multiply-add, optimised at level 1, source line information, at most 64 registers, TILE=16 SAFE',
  );
  expect(optionsText({})).toBe('');
});

test('a macro contains only a number or a word, and cannot add a flag', () => {
  for (const defines of [{ TILE: '16 -fplugin=x' }, { 'A -O0': 1 }, { A: '"x"' }, { A: '$(x)' }, { '-A': 1 }]) {
    expect(compileOptionsSchema.safeParse({ defines }).success).toBe(false);
  }
  expect(compileOptionsSchema.safeParse({ flags: ['-fplugin=x'] }).success).toBe(false);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`M${n}`, n]));
  expect(compileOptionsSchema.safeParse({ defines: many }).success).toBe(false);
});

test('macros are read as they are written', () => {
  const read = parseDefines(' TILE=16  CHECKED N=1e3 T=float ');
  expect(read).toEqual({ TILE: 16, CHECKED: '', N: '1e3', T: 'float' });
  if (typeof read === 'string') throw new Error(read);
  expect(parseDefines(definesText(read))).toEqual(read);
  expect(parseDefines('2x=1')).toBe('"2x" is not a valid macro name; allowed: letters, digits and _');
  expect(parseDefines('A=(1)')).toBe('A is "(1)"; allowed: letters, digits, _ . + -');
});
