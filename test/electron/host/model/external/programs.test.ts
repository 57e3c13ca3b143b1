/** The programs of assets/external at work, and the error of each that cannot run. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Conversation, openedSchema } from '../../../../../electron/host/model/external/conversation.ts';
import { readNpz } from '../../../../../electron/host/model/external/npz.ts';
import { chooseBaselines } from '../../../../../electron/host/model/external/registry.ts';
import { type Case, coarse, expectDose, problemOf, python, registry, rival, transport } from './python-programs.ts';

const cases: readonly Case[] = [
  ['numpy-array', 'water, fp32', {}, 'fp32', 1e-5],
  [
    'numpy-array',
    'bins of equal range, fp64',
    { beam: { energy_MeV: 15 }, grid: { ...coarse.grid, dz_mm: 1, energy: { kind: 'range' } } },
    'fp64',
    1e-12,
  ],
  [
    'numpy-array',
    'an energy spread, fp64',
    { beam: { energy_MeV: 20, energy_sigma_MeV: 1, z_mm: 0.1 } },
    'fp64',
    1e-12,
  ],
  ['numpy-array', 'along a side, fp64', { beam: { energy_MeV: 30, x_mm: 4.8, x_sigma_mm: 1 } }, 'fp64', 1e-12],
];

describe('numpy_transport.py', () => {
  test.for(cases)('%s: %s: the engine’s dose, and a ledger that closes', expectDose);

  test('a second run is as the first, bit for bit, and modes of ours are none of its', async (ctx) => {
    if (!python('import numpy')) ctx.skip('python3 with NumPy is not installed');
    const program = rival('numpy-array', await problemOf({ solver: { step_mm: 0.5 } }));
    await program.first();
    const second = await program.take('warm');
    expect([...(second?.parts.keys() ?? [])]).toEqual(['tables', 'start state']);
    expect(second?.setup_s).toBeLessThan(second?.wall_s ?? 0);
    await program.answer();
    expect(program.known()).toMatchObject({
      repeats: { runs: 2, bitwise: true },
      note: expect.stringContaining('numpy'),
    });
    await expect(program.take('graph')).rejects.toThrow('which no graph replays');
  });
});

describe('what is missing is said in one readable sentence', () => {
  test('an interpreter', async () => {
    const program = rival('numpy-array', await problemOf({}), { command: ['braggbench-no-such-python', 'x.py'] });
    await expect(program.first()).rejects.toThrow('braggbench-no-such-python is not installed, or not in PATH');
  });

  test('a package', async (ctx) => {
    if (!python('import numpy')) ctx.skip('python3 with NumPy is not installed');
    if (python('import cupy')) ctx.skip('CuPy is installed here');
    await expect(rival('cupy-raw', await problemOf({})).first()).rejects.toThrow(
      /^CuPy is not installed for this Python/,
    );
  });

  test('a package that fails as it is imported, as one of another NumPy does', async (ctx) => {
    if (!python('import numpy')) ctx.skip('python3 with NumPy is not installed');
    const failing = `
import runpy, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numba":
            raise AttributeError("module 'numpy' has no attribute 'row_stack'")
sys.meta_path.insert(0, Finder())
sys.path.insert(0, ".")
runpy.run_path("numba_transport.py", run_name="__main__")
`;
    const program = rival('numba-kernel', await problemOf({}), { command: ['python3', '-c', failing] });
    await expect(program.first()).rejects.toThrow(
      /^Numba does not start in this Python: module 'numpy' has no attribute 'row_stack'$/,
    );
  });

  test('gives NumPy the earlier names that Numba imports, and leaves today’s alone', (ctx) => {
    if (!python('import numpy')) ctx.skip('python3 with NumPy is not installed');
    const program = [
      'import sys',
      `sys.path.insert(0, ${JSON.stringify(path.resolve(import.meta.dirname, '../../../../../assets/external'))})`,
      'import numpy as np',
      'for name in ("row_stack", "in1d", "trapz"): np.__dict__.pop(name, None)',
      'own = np.vstack',
      'import numba_device',
      'numba_device.restore_numpy_names()',
      'assert np.row_stack is own and np.in1d is np.isin and np.vstack is own',
      'np.row_stack = max',
      'numba_device.restore_numpy_names()',
      'assert np.row_stack is max',
    ].join('\n');
    expect(python(program)).toBe(true);
  });

  test('a style', async (ctx) => {
    if (!python('import numpy')) ctx.skip('python3 with NumPy is not installed');
    const program = rival('numpy-array', await problemOf({}), { style: 'quick' });
    await expect(program.first()).rejects.toThrow("style 'quick' is not known; allowed: array, loop");
  });

  test('a program that is not registered, or solves something else', () => {
    expect(() => chooseBaselines(registry, transport, ['cupy'])).toThrow('allowed: numpy-array, ');
    expect(() => chooseBaselines(registry, { workload: 'micro', bench: 'timing' }, ['cupy-raw'])).toThrow(
      'does not solve scenarios of micro/timing; allowed: none',
    );
  });
});

describe('a conversation', () => {
  const script = (code: string): Conversation =>
    new Conversation({ command: ['python3', '-c', code] }, { folder: registry.folder, gpu: null, mostSeconds: 20 });

  test('with a program that ends quotes what it said last', async (ctx) => {
    if (!python('')) ctx.skip('python3 is not installed');
    const ended = script('raise SystemExit("out of paper")');
    await expect(ended.ask({ do: 'open' }, openedSchema)).rejects.toThrow('it ended with code 1: out of paper');
    await expect(ended.ask({ do: 'open' }, openedSchema)).rejects.toThrow('out of paper');
    await ended.close();
  });

  test('with a program that is killed names the signal', async (ctx) => {
    if (!python('')) ctx.skip('python3 is not installed');
    const killed = script('import os; os.kill(os.getpid(), 9)');
    await expect(killed.ask({ do: 'open' }, openedSchema)).rejects.toThrow(
      'it was killed by SIGKILL, as by a system without free memory',
    );
    await killed.close();
  });

  test('with a program that answers something else', async (ctx) => {
    if (!python('')) ctx.skip('python3 is not installed');
    const odd = script('input(); print("hello", flush=True); input()');
    await expect(odd.ask({ do: 'open' }, openedSchema)).rejects.toThrow('its answer is not of the protocol');
    await odd.close();
  });
});

test('a file that is no NPZ says so', () => {
  expect(() => readNpz(new Uint8Array(4), 'dose')).toThrow('it has no directory');
  expect(() => readNpz(new Uint8Array(64), 'dose')).toThrow('it has no directory');
});
