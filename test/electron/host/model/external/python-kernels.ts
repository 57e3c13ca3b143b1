/**
 * Kernels of the programs of assets/external, without a GPU. The programs are the real ones; Numba's run in its
 * simulator, and CuPy's are compiled by g++ and run by cupy-on-host. Each is checked against the array program, which
 * is checked against the engine.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import type { TestContext } from 'vitest';
import { assetsFolder } from '../../small-run.ts';
import { crystal, imageProblem } from './rival-session.ts';

/** Two programs draw the problem of standard input; prints how far the second is from the first. */
const DRAWN = `
import json, sys
import numpy as np
from diffraction_array import ImageProgram
from numpy_diffraction import Library
import %MODULE%

request = json.load(sys.stdin)
images = []
for program in (ImageProgram(request, Library(), "fp64"), %MODULE%.program(request)):
    program.prepare()
    program.repeat(1)
    images.append(np.asarray(program.answer()["image"], float))
print(json.dumps(float(np.linalg.norm(images[1] - images[0]) / np.linalg.norm(images[0]))))
`;

const plain = (_: string, value: unknown) => (ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value);

export function runPython(code: string, asked: object, environment: Readonly<Record<string, string>>): unknown {
  const printed = execFileSync('python3', ['-c', code], {
    cwd: path.join(assetsFolder, 'external'),
    input: JSON.stringify(asked, plain),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...environment },
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return JSON.parse(printed);
}

const missing = new Map<string, boolean>();

/** Skips the test where Python or one of the modules is missing. */
export function needsPython(ctx: TestContext, ...modules: readonly string[]): void {
  const wanted = modules.join(', ');
  if (!missing.has(wanted)) {
    missing.set(wanted, spawnSync('python3', ['-c', `import ${wanted}`], { stdio: 'ignore' }).status !== 0);
  }
  if (missing.get(wanted) === true) ctx.skip(`python3 with ${modules.join(' and ')} is not installed`);
}

const images = {
  'square crystals, all alike': { crystal },
  round: { crystal: { ...crystal, shape: 'round' } },
  gauss: { crystal: { ...crystal, shape: 'gauss' } },
  tophat: { crystal: { ...crystal, shape: 'tophat' } },
  'turning blocks, more than a tile of them': {
    crystal: { ...crystal, mosaic_spread_deg: 1, mosaic_domains: 40 },
    rotation: { oscillation_deg: 1, steps: 2 },
  },
  'sub-pixels, polarised light of two colours': {
    crystal,
    detector: { oversample: 2, corrections: 'subpixel' },
    beam: { wavelength_A: 1, polarisation: 0.5, dispersion_percent: 1, dispersion_steps: 2 },
  },
  'listed reflections': { crystal },
} as const;
export const imageNames = Object.keys(images) as readonly (keyof typeof images)[];

const reflections = [-3, -2, -1, 0, 1, 2].flatMap((h) =>
  [-2, -1, 0, 1].flatMap((k) => [-1, 0, 1].map((l) => [h, k, l, 10 + h + 2 * k - l])),
);

/** Relative L2 norm between an image of that program and the array program's. */
export async function imageApart(
  name: keyof typeof images,
  { module, style }: { readonly module: string; readonly style: string },
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const problem = await imageProblem(images[name]);
  const factors = { ...problem.structure_factors, reflections: reflections.flat(), default: 3 };
  const asked = name === 'listed reflections' ? { ...problem, structure_factors: factors } : problem;
  return runPython(DRAWN.replaceAll('%MODULE%', module), { problem: asked, style }, environment) as number;
}
