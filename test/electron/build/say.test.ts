import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sayOn, timed } from '../../../electron/build/setup/say.mjs';
import { howFar } from '../../../electron/build/steps/native.mjs';

/** Output of a step of half a minute that is half done at 11 s. */
async function said(terminal: boolean): Promise<string> {
  const out = Object.assign(new PassThrough(), { isTTY: terminal });
  sayOn(out);
  await timed('Building', async (progress) => {
    await vi.advanceTimersByTimeAsync(11_000);
    progress('130 of 260 files');
    await vi.advanceTimersByTimeAsync(19_000);
  });
  return String(out.read());
}

describe('a step that takes its time', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => {
    vi.useRealTimers();
    sayOn(process.stdout);
  });

  it('adds a line now and then to a log', async () => {
    expect(await said(false)).toBe('Building …\n  20 s, 130 of 260 files\n  done in 30.0 s\n');
  });

  it('writes over one line of a terminal, which is gone at the end', async () => {
    const text = await said(true);
    expect(text.startsWith('Building …\n\r  1 s\x1b[K\r')).toBe(true);
    expect(text.endsWith('\r  30 s, 130 of 260 files\x1b[K\r\x1b[K  done in 30.0 s\n')).toBe(true);
    expect(text.split('\n')).toHaveLength(3);
  });

  it('leaves no line behind where it fails', async () => {
    const out = Object.assign(new PassThrough(), { isTTY: true });
    sayOn(out);
    await expect(timed('Building', () => Promise.reject(new Error('no compiler')))).rejects.toThrow('no compiler');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(String(out.read())).toBe('Building …\n\r\x1b[K');
  });
});

it('a build tells how far it is by the lines of ninja or make', () => {
  expect(howFar('[12/260] Building CXX object CMakeFiles/bb_core.dir/cpu/host.cpp.o')).toBe('12 of 260 files');
  expect(howFar('[  5%] Building CXX object CMakeFiles/bb_core.dir/cpu/host.cpp.o')).toBe('5 %');
  expect(howFar('[0/2] Re-checking globbed directories...')).toBeNull();
  expect(howFar('host.cpp:12: warning: [3/4] is odd')).toBeNull();
});
