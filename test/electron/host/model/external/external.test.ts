/**
 * Programs of assets/external, one of each kind; the others are in `programs.long.test.ts`. Without PyTorch,
 * torch-on-host runs the source of PyTorch programs on NumPy arrays. Also checks which programs are used, and the error
 * of each program that cannot run.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  Conversation,
  openReplySchema,
  parseBaselines,
  readRegistry,
} from '../../../../../electron/host/model/external/conversation.ts';
import { readNpz } from '../../../../../electron/host/model/external/npz.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { assetsFolder } from '../../small-run.ts';
import { addon } from '../scenarios/open.ts';
import {
  benchWithPrograms,
  crystal,
  expectImage,
  expectLayer,
  expectRow,
  imageDifference,
  needsPython,
  runPython,
} from './external-session.ts';
import {
  coarse,
  expectDose,
  problemOf,
  pythonRuns,
  registry,
  startCandidate,
  type TransportCase,
  transport,
} from './python-programs.ts';

const environment = {
  PYTHONPATH: path.join(import.meta.dirname, 'torch-on-host'),
  XDG_CACHE_HOME: scratchFolder('torch-on-host'),
};

/** Two repetitions of each layer; prints the differences from NumPy's results, and the arguments of torch.compile. */
const LAYERS = `
import json, os, sys
import numpy as np
import numpy_small, torch_small
from small_work import SmallProgram

def answer(program):
    program.prepare()
    program.repeat(2)
    return program.answer()["result0"]
apart = []
for asked in json.load(sys.stdin):
    wanted = answer(SmallProgram({**asked, "style": "array"}, numpy_small.Library(), numpy_small.WAYS))
    got = answer(torch_small.program(asked))
    apart.append(float(np.abs(got - wanted).max() / np.abs(wanted).max()))
import torch
print(json.dumps({
    "apart": max(apart),
    "modes": sorted(set(torch.modes)),
    "cache": torch.cache_folder,
    "triton": os.environ.get("TRITON_CACHE_DIR"),
}))
`;

interface ProgramRun {
  readonly apart: number;
  readonly modes: readonly string[];
  readonly cache: string | null;
  readonly triton: string | null;
}

/** Numbers of inputs. Images of 784 inputs have 28 by 28 pixels; 17 is prime, so that its images have one row. */
const INPUTS = [784, 17, 15];

const layers = (style: string, direction = 'forward'): ProgramRun =>
  runPython(
    LAYERS,
    INPUTS.map((inputs) => ({
      style,
      problem: {
        ...{ bench: '', seed: 1, numbers: { batch: 5, inputs, outputs: 7 } },
        ...{ words: { direction, values: 'random' }, switches: { bias: true } },
      },
    })),
    environment,
  ) as ProgramRun;

const ran = new Map<string, ProgramRun>();
/** Runs one process for each style, and caches its results. */
function cachedProgramRun(style: string): ProgramRun {
  const found = ran.get(style) ?? layers(style);
  ran.set(style, found);
  return found;
}

describe('the linear layer of other programs', () => {
  test.for([
    'eager',
    'eager-view',
    'eager-reshape',
    'compile',
    'compile-overhead',
    'compile-autotune',
    'compile-cached',
  ])('%s computes the same outputs as NumPy', (style, ctx) => {
    needsPython(ctx, 'numpy');
    expect(cachedProgramRun(style).apart).toBeLessThan(1e-6);
  });

  test('torch.compile modes are listed as styles', (ctx) => {
    needsPython(ctx, 'numpy');
    expect(cachedProgramRun('eager').modes).toEqual([]);
    expect(cachedProgramRun('compile').modes).toEqual(['default']);
    expect(cachedProgramRun('compile-overhead').modes).toEqual(['reduce-overhead']);
    expect(cachedProgramRun('compile-autotune').modes).toEqual(['max-autotune']);
  });

  test('compiled code is cached across processes only with -cached', (ctx) => {
    needsPython(ctx, 'numpy');
    const [first, second] = [cachedProgramRun('compile'), layers('compile')];
    expect(first.cache).toMatch(/braggbench-torch-/);
    expect(second.cache).not.toBe(first.cache);
    const shared = path.join(environment.XDG_CACHE_HOME, 'braggbench', 'torch-compile');
    expect(cachedProgramRun('compile-cached')).toMatchObject({ cache: shared, triton: path.join(shared, 'triton') });
  });

  test('programs for images have no gradients', (ctx) => {
    needsPython(ctx, 'numpy');
    expect(() => layers('eager-view', 'backward')).toThrow('images are of forward alone');
  });
});

describe('diffraction images of other programs', () => {
  const drawn = (name: Parameters<typeof imageDifference>[0], style: string) =>
    imageDifference(name, { module: 'torch_diffraction', style }, environment);

  test.for(['eager-fp64', 'compile-fp64', 'compile-fp64-overhead', 'compile-fp64-autotune', 'compile-fp64-cached'])(
    '%s computes the same image as NumPy, for one orientation and for several',
    async (style, ctx) => {
      needsPython(ctx, 'numpy');
      expect(await drawn('square crystals, all alike', style)).toBeLessThan(1e-14);
      // With CUDA graphs, a later orientation overwrites the memory of the first.
      expect(await drawn('turning blocks, more than a tile of them', style)).toBeLessThan(1e-14);
    },
  );

  test('pure FP32 deviates more', async (ctx) => {
    needsPython(ctx, 'numpy');
    const apart = await drawn('square crystals, all alike', 'eager-fp32');
    expect(apart).toBeGreaterThan(1e-9);
    expect(apart).toBeLessThan(1e-2);
  });
});

describe('other programs for transport', () => {
  const cases: readonly TransportCase[] = [
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
    test.for(cases)("%s: %s: has the engine's dose and a closed ledger", expectDose);

    test('repeat bit for bit, and reject modes that only the engine has', async (ctx) => {
      if (!pythonRuns('import numpy')) ctx.skip('python3 with NumPy is not installed');
      const program = startCandidate('numpy-array', await problemOf({ solver: { step_mm: 0.5 } }));
      await program.first();
      const second = await program.takeSample('warm');
      expect([...(second?.parts.keys() ?? [])]).toEqual(['tables', 'start state']);
      expect(second?.setup_s).toBeLessThan(second?.wall_s ?? 0);
      await program.answer();
      expect(program.properties()).toMatchObject({
        repeats: { runs: 2, bitwise: true },
        note: expect.stringContaining('numpy'),
      });
      await expect(program.takeSample('graph')).rejects.toThrow('which cannot be captured in a graph');
    });
  });

  describe('a missing part of a program is reported in one readable sentence', () => {
    test('a missing interpreter', async () => {
      const program = startCandidate('numpy-array', await problemOf({}), {
        command: ['braggbench-no-such-python', 'x.py'],
      });
      await expect(program.first()).rejects.toThrow('braggbench-no-such-python is not installed, or not on PATH');
    });

    test('a missing package', async (ctx) => {
      if (!pythonRuns('import numpy')) ctx.skip('python3 with NumPy is not installed');
      if (pythonRuns('import cupy')) ctx.skip('CuPy is installed here');
      await expect(startCandidate('cupy-raw', await problemOf({})).first()).rejects.toThrow(
        /^CuPy is not installed for this Python/,
      );
    });

    test('a package that fails on import, such as one built for another NumPy', async (ctx) => {
      if (!pythonRuns('import numpy')) ctx.skip('python3 with NumPy is not installed');
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
      const program = startCandidate('numba-kernel', await problemOf({}), { command: ['python3', '-c', failing] });
      await expect(program.first()).rejects.toThrow(
        /^Numba does not start in this Python: module 'numpy' has no attribute 'row_stack'$/,
      );
    });

    test('no class stores a value under the name of one of its methods or properties', (ctx) => {
      if (!pythonRuns('')) ctx.skip('python3 is not installed');
      const program = `
import ast, pathlib, sys

methods, stored, bases = {}, {}, {}
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    for found in ast.walk(ast.parse(file.read_text())):
        if not isinstance(found, ast.ClassDef):
            continue
        functions = [each for each in found.body if isinstance(each, ast.FunctionDef)]
        # A property with a setter takes stores.
        setters = {each.name for each in functions if any(isinstance(by, ast.Attribute) for by in each.decorator_list)}
        methods[found.name] = {each.name for each in functions} - setters
        bases[found.name] = [each.id for each in found.bases if isinstance(each, ast.Name)]
        stored[found.name] = {
            each.attr
            for each in ast.walk(found)
            if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
            and isinstance(each.value, ast.Name) and each.value.id == "self"
        }
def everything(of, name):
    return set(of.get(name, ())).union(*[everything(of, base) for base in bases.get(name, [])])
assert len(methods) > 10
for name in methods:
    for each in everything(methods, name) & everything(stored, name):
        print(name, each)
`;
      const folder = path.resolve(import.meta.dirname, '../../../../../assets/external');
      expect(execFileSync('python3', ['-c', program, folder], { encoding: 'utf8' })).toBe('');
    });

    test('names removed from NumPy are restored for Numba, and existing ones are unchanged', (ctx) => {
      if (!pythonRuns('import numpy')) ctx.skip('python3 with NumPy is not installed');
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
      expect(pythonRuns(program)).toBe(true);
    });

    test('an unknown style', async (ctx) => {
      if (!pythonRuns('import numpy')) ctx.skip('python3 with NumPy is not installed');
      const program = startCandidate('numpy-array', await problemOf({}), { style: 'quick' });
      await expect(program.first()).rejects.toThrow("style 'quick' is not known; allowed: array, loop");
    });

    test('a program that is not registered or solves another problem', () => {
      expect(() => parseBaselines(registry, transport, ['cupy'])).toThrow('allowed: numpy-array, ');
      expect(() => parseBaselines(registry, { workload: 'micro', bench: 'timing' }, ['cupy-raw'])).toThrow(
        'does not solve scenarios of kind micro/timing; allowed: none',
      );
    });
  });

  describe('communication with a program', () => {
    const script = (code: string): Conversation =>
      new Conversation({ command: ['python3', '-c', code] }, { folder: registry.folder, gpu: null, mostSeconds: 20 });

    test('quotes its last message if the program ends', async (ctx) => {
      if (!pythonRuns('')) ctx.skip('python3 is not installed');
      const ended = script('raise SystemExit("out of paper")');
      await expect(ended.sendRequest({ do: 'open' }, openReplySchema)).rejects.toThrow(
        'it exited with code 1: out of paper',
      );
      await expect(ended.sendRequest({ do: 'open' }, openReplySchema)).rejects.toThrow('out of paper');
      await ended.close();
    });

    test('names the signal if the program is killed', async (ctx) => {
      if (!pythonRuns('')) ctx.skip('python3 is not installed');
      const killed = script('import os; os.kill(os.getpid(), 9)');
      await expect(killed.sendRequest({ do: 'open' }, openReplySchema)).rejects.toThrow(
        'it was killed by SIGKILL, possibly because the system ran out of memory',
      );
      await killed.close();
    });

    test('is an error if the program answers something unexpected', async (ctx) => {
      if (!pythonRuns('')) ctx.skip('python3 is not installed');
      const odd = script('input(); print("hello", flush=True); input()');
      await expect(odd.sendRequest({ do: 'open' }, openReplySchema)).rejects.toThrow(
        'its reply does not follow the protocol',
      );
      await odd.close();
    });
  });

  test('a file that is not an NPZ is rejected', () => {
    expect(() => readNpz(new Uint8Array(4), 'dose')).toThrow('it has no directory');
    expect(() => readNpz(new Uint8Array(64), 'dose')).toThrow('it has no directory');
  });
});

describe('other programs measured as candidates', () => {
  test('solve the linear layer forward', (ctx) => expectLayer({}, ctx));

  test('solve elementwise kernels', (ctx) => expectRow(['elementwise', { n: 70_001 }, 'cpu-fused', ['numpy']], ctx));

  test('compute an image', (ctx) => expectImage({ crystal }, ctx));

  test('every registered program exists at its path, and its scenarios exist', async () => {
    const { baselines } = await readRegistry(assetsFolder);
    expect(new Set(baselines.map(({ id }) => id)).size).toBe(baselines.length);
    const rows = new Set(addon.taskVariants('micro').map(({ bench }) => `micro/${bench}`));
    for (const { solves } of baselines) {
      for (const name of solves) expect(rows.has(name) || name in hostWorkloads).toBe(true);
    }
  });

  /** A registry with one program that writes its process id and never answers, like a compilation without end. */
  function endlessCompiler(): { readonly registryIn: string; readonly pidFile: string } {
    const registryIn = scratchFolder('braggbench-registry-');
    const folder = path.join(registryIn, 'external');
    const pidFile = path.join(folder, 'pid');
    mkdirSync(folder);
    writeFileSync(
      path.join(folder, 'endless.mjs'),
      `import { writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
     process.on('SIGTERM', () => undefined);
     setInterval(() => undefined, 1000);`,
    );
    const baseline = {
      ...{ id: 'endless', title: 'Endless', language: 'JavaScript', device: 'cpu', style: 'compiled' },
      solves: ['micro/elementwise'],
      command: [process.execPath, 'endless.mjs'],
    };
    writeFileSync(path.join(folder, 'registry.json'), JSON.stringify({ version: 2, baselines: [baseline] }));
    return { registryIn, pidFile };
  }

  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test('a program still compiling after 60 % of the time is ended and left out', { tags: 'slow' }, async () => {
    const { registryIn, pidFile } = endlessCompiler();
    const document = { kind: 'micro', version: 1, problem: { kind: 'elementwise', n: 70_001 } };
    const report = await benchWithPrograms(document, ['cpu-fused'], ['endless'], { registryIn, mostSeconds: 10 });
    expect(report.entries.map(({ label, status }) => [label, status])).toEqual([
      ['cpu-fused', 'measured'],
      ['endless', 'refused'],
    ]);
    const [, refused] = report.entries;
    expect(refused).toMatchObject({
      reason: expect.stringMatching(
        /^it was still starting or compiling after \d+ s: first runs may use 6 s of the session's 10 s\. Allow more time\.$/,
      ),
    });
    expect(report.rounds).toBeGreaterThanOrEqual(1);
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });
});
