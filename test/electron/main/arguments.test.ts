/** The program's command line, including arguments that other programs add. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { forwardedArgumentsSchema, programArguments, readArguments } from '../../../electron/main/arguments.ts';

describe('the command line of the desktop program', () => {
  it('begins after the application folder in development, and after the program in a package', () => {
    expect(programArguments(['electron', '.', 'a.json', '--run'], false)).toEqual(['a.json', '--run']);
    expect(programArguments(['electron', '--inspect=0', '--no-sandbox', '/app', '--run'], false)).toEqual(['--run']);
    expect(programArguments(['electron', '--version'], false)).toEqual([]);
    expect(programArguments(['braggbench', '--no-sandbox', 'a.json'], true)).toEqual(['--no-sandbox', 'a.json']);
  });

  it('names a file relative to the working directory, with or without a verb', () => {
    const file = path.resolve('/data', 'a.json');
    const plain = { file, run: false, gpu: null };
    expect(readArguments(['a.json'], '/data')).toEqual(plain);
    expect(readArguments(['--no-sandbox', '--scenario', 'a.json'], '/data')).toEqual(plain);
    expect(readArguments(['--scenario=a.json', '--run', '--gpu', '1'], '/data')).toEqual({ file, run: true, gpu: '1' });
    expect(readArguments(['--remote-debugging-port=0', '--gpu=GPU-1'], '/data')).toEqual({
      file: null,
      run: false,
      gpu: 'GPU-1',
    });
  });

  it('is accepted from a second launch only if it is complete', () => {
    expect(forwardedArgumentsSchema.safeParse({ args: ['a.json'], folder: '/data' }).success).toBe(true);
    expect(forwardedArgumentsSchema.safeParse({ args: 'a.json', folder: '/data' }).success).toBe(false);
    expect(forwardedArgumentsSchema.safeParse(undefined).success).toBe(false);
  });
});
