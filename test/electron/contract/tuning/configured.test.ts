import { expect, test } from 'vitest';
import { configuredName, parseConfigured, splitFmad } from '../../../../electron/contract/tuning/configured.ts';
import { isUserKernelFile, isUserKernelId } from '../../../../electron/contract/user-kernels.ts';

test('a configuration has one name, whatever the order of its constants', () => {
  const name = configuredName({ variant: 'cuda-gather', configuration: { kB: 2, kA: -1 } });
  expect(name).toBe('cuda-gather[kA=-1;kB=2]');
  expect(parseConfigured(name)).toEqual({ variant: 'cuda-gather', configuration: { kA: -1, kB: 2 } });
  expect(configuredName({ variant: 'my.cu', configuration: {} })).toBe('my.cu');
  expect(parseConfigured('my.cu[kA=3]')).toEqual({ variant: 'my.cu', configuration: { kA: 3 } });
});

test.each(['gather', 'gather[]', 'gather[kA=1;kA=2]', 'gather[kA=x]', 'gather[kA=1', '../x[kA=1]', 'a[kA=1.5]'])(
  '%s names no configuration',
  (name) => expect(parseConfigured(name)).toBeNull(),
);

test('a configuration is treated as code, not as a file', () => {
  expect([isUserKernelId('gather[kA=1]'), isUserKernelFile('gather[kA=1]')]).toEqual([true, false]);
  expect([isUserKernelId('my.cpp'), isUserKernelFile('my.cpp'), isUserKernelId('gather')]).toEqual([true, true, false]);
});

test('fmad is split off as a compiler option, unless the source has a constant of that name', () => {
  expect(splitFmad({ kA: 1, fmad: 0 }, [{ name: 'kA' }])).toEqual({ constants: { kA: 1 }, fmad: false });
  expect(splitFmad({ kA: 1 }, [])).toEqual({ constants: { kA: 1 }, fmad: undefined });
  expect(splitFmad({ fmad: 3 }, [{ name: 'fmad' }])).toEqual({ constants: { fmad: 3 }, fmad: undefined });
  expect(splitFmad({ fmad: 3 }, [])).toBeNull();
});
