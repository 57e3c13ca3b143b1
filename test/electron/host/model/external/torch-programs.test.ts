/** The programs of assets/external in PyTorch, without it: torch-on-host runs their real text on arrays of NumPy. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { imageApart, needsPython, runPython } from './python-kernels.ts';

const environment = {
  PYTHONPATH: path.join(import.meta.dirname, 'torch-on-host'),
  XDG_CACHE_HOME: scratchFolder('torch-on-host'),
};

/** Two repetitions of each layer; prints how far they are from NumPy's, and what torch.compile was called with. */
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

interface Ran {
  readonly apart: number;
  readonly modes: readonly string[];
  readonly cache: string | null;
  readonly triton: string | null;
}

/** 784 inputs are images of 28 by 28; 17 is prime, so that images have one row. */
const INPUTS = [784, 17, 15];

const layers = (style: string, direction = 'forward'): Ran =>
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
  ) as Ran;

const ran = new Map<string, Ran>();
/** One process for each style. */
function ranOnce(style: string): Ran {
  const found = ran.get(style) ?? layers(style);
  ran.set(style, found);
  return found;
}

describe('the layer', () => {
  test.for([
    'eager',
    'eager-view',
    'eager-reshape',
    'compile',
    'compile-overhead',
    'compile-autotune',
    'compile-cached',
  ])('%s computes the outputs of NumPy', (style, ctx) => {
    needsPython(ctx, 'numpy');
    expect(ranOnce(style).apart).toBeLessThan(1e-6);
  });

  test('modes of torch.compile are those of the styles', (ctx) => {
    needsPython(ctx, 'numpy');
    expect(ranOnce('eager').modes).toEqual([]);
    expect(ranOnce('compile').modes).toEqual(['default']);
    expect(ranOnce('compile-overhead').modes).toEqual(['reduce-overhead']);
    expect(ranOnce('compile-autotune').modes).toEqual(['max-autotune']);
  });

  test('compiled code outlives the process only with -cached', (ctx) => {
    needsPython(ctx, 'numpy');
    const [first, second] = [ranOnce('compile'), layers('compile')];
    expect(first.cache).toMatch(/braggbench-torch-/);
    expect(second.cache).not.toBe(first.cache);
    const shared = path.join(environment.XDG_CACHE_HOME, 'braggbench', 'torch-compile');
    expect(ranOnce('compile-cached')).toMatchObject({ cache: shared, triton: path.join(shared, 'triton') });
  });

  test('images have no gradients', (ctx) => {
    needsPython(ctx, 'numpy');
    expect(() => layers('eager-view', 'backward')).toThrow('images are of forward alone');
  });
});

describe('images', () => {
  const drawn = (name: Parameters<typeof imageApart>[0], style: string) =>
    imageApart(name, { module: 'torch_diffraction', style }, environment);

  test.for(['eager-fp64', 'compile-fp64', 'compile-fp64-overhead', 'compile-fp64-autotune', 'compile-fp64-cached'])(
    '%s draws the image of NumPy, of one orientation and of several',
    async (style, ctx) => {
      needsPython(ctx, 'numpy');
      expect(await drawn('square crystals, all alike', style)).toBeLessThan(1e-14);
      // With graphs, a later orientation writes over the memory of the first.
      expect(await drawn('turning blocks, more than a tile of them', style)).toBeLessThan(1e-14);
    },
  );

  test('FP32 throughout is farther away', async (ctx) => {
    needsPython(ctx, 'numpy');
    const apart = await drawn('square crystals, all alike', 'eager-fp32');
    expect(apart).toBeGreaterThan(1e-9);
    expect(apart).toBeLessThan(1e-2);
  });
});
