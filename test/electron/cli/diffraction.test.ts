/** The verbs of the command line on diffraction scenarios. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { triclinic } from '../host/workloads/diffraction/refine/triclinic.ts';
import { braggbenchInProcess, environmentWith } from './command.ts';

let folder: string;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'bb-cli-image-'));
  environment = environmentWith(path.join(folder, 'home'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const smallFlags = ['--set', 'detector.width=64', '--set', 'detector.height=48'];
const call = (...words: string[]) => braggbenchInProcess(words, { cwd: folder, environment });

test('run prints the image and saves it, and export writes it for image viewers', async () => {
  const run = await call(
    'run',
    'simple-cubic-256',
    ...smallFlags,
    '--variant',
    'diffraction-mixed',
    '--out',
    'small.h5',
  );
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toMatch(
    /^Simple cubic, 256 pixels \(detector.width = 64, detector.height = 48\)\ndiffraction-mixed, fp32, \d+ threads?, \w+; 64 × 48 pixels/,
  );
  expect(run.stdout).toMatch(/Brightest {3}154\.65\d+ photons at fast \d+, slow \d+/);
  expect(run.stdout).toMatch(/Saved as .*small\.h5/);
  for (const [name, bytes] of [
    ['small.img', 512 + 2 * 64 * 48],
    ['small.bin', 4 * 64 * 48],
  ] as const) {
    expect(await call('export', 'small.h5', '--image', name)).toMatchObject({ code: 0 });
    expect((await readFile(path.join(folder, name))).length).toBe(bytes);
  }
  expect(await call('export', 'small.h5', '--image', 'image.hdf5')).toMatchObject({ code: 0 });
  expect((await readFile(path.join(folder, 'image.hdf5'))).subarray(1, 4).toString()).toBe('HDF');
  expect((await call('export', 'small.h5', '--trace', 'small.json')).stderr).toMatch(/^\d+ spans written/);
  const timeline = JSON.parse((await call('trace', 'small.h5', '--json')).stdout);
  expect(timeline).toMatchObject({ source: 'run', about: expect.stringContaining('diffraction-mixed FP32') });
  expect(timeline.lanes[0]).toMatchObject({ process: 'Host', name: 'thread 0' });
  const refused = await call('export', 'small.h5', '--image', 'small.png');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('.png is not an image format; allowed: .img');
  const map = await call('export', 'small.h5', '--map', 'small.nrrd');
  expect(map).toMatchObject({ code: 2, stderr: expect.stringContaining('is a run of diffraction: it has no dose') });
  const compared = await call('compare', 'small.h5', 'small.h5', '--wide');
  expect(compared).toMatchObject({ code: 0, stdout: expect.stringMatching(/relL2.*Bright pixels[\s\S]* reference /) });
});

test('run --json prints one document', async () => {
  const { code, stdout } = await call('run', 'simple-cubic-256', ...smallFlags, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    workload: 'diffraction',
    variant: 'diffraction-fp64',
    status: 'done',
    terms: 64 * 48,
    image: { width: 64, height: 48, oversample: 1, sources: 1, orientations: 1 },
  });
});

test('validate reports the resources that an image needs, and invalid fields', async () => {
  const valid = await call('validate', 'triclinic-512');
  expect(valid).toMatchObject({ code: 0 });
  expect(valid.stdout).toMatch(
    /valid; needs 512 × 512 pixels of 2 × 2 sub-pixels, 1 source, 1 orientation, .* with diffraction-fp64/,
  );
  const refused = await call(
    'validate',
    'triclinic-512',
    '--set',
    'crystal.cells.a=20',
    '--set',
    'solver.variant=diffraction-chebyshev',
  );
  expect(refused.code).toBe(2);
  expect(refused.stdout).toContain('crystal.cells has 20 along an edge');
});

test('bench measures variants, checks their answers and compares them', async () => {
  const variants = 'diffraction-fp64,diffraction-mixed';
  const few = ['--rounds', '5', '--processes', '1'];
  const { code, stdout } = await call('bench', 'simple-cubic-256', '--variants', variants, ...few, '--json');
  expect(code).toBe(0);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ workload: 'diffraction', reference: 'diffraction-fp64', rounds: 5 });
  expect(report.facts).toContainEqual(['Image', '256 × 256 pixels, 65536 lattice terms']);
  for (const { accuracy } of report.entries) for (const { holds } of accuracy) expect(holds).toBe(true);
  const unknown = await call('bench', 'simple-cubic-256', '--variants', 'diffraction-mixd');
  expect(unknown.stderr).toContain('did you mean diffraction-mixed?');
  const external = await call('bench', 'simple-cubic-256', '--external', 'cupy-raw');
  expect(external.code).toBe(2);
  expect(external.stderr).toContain('"cupy-raw" does not solve scenarios of kind diffraction; allowed: numpy-image');
});

test('variants lists the variants of every workload', async () => {
  const { stdout } = await call('variants', '--json');
  const workloads = JSON.parse(stdout).variants.map(({ workload }: { workload: string }) => workload);
  expect([...new Set(workloads)]).toEqual(expect.arrayContaining(['transport', 'diffraction', 'micro']));
});

test('every CUDA variant that cannot run here states its reason in one sentence', async () => {
  const { stdout } = await call('variants', '--json');
  type ListedVariant = { id: string; device: string; available: boolean; reason: string | null };
  const all: readonly ListedVariant[] = JSON.parse(stdout).variants;
  const gpu = all.filter(({ id, device }) => id.startsWith('diffraction-cuda-') && device === 'cuda');
  expect(gpu).toHaveLength(15);
  for (const { available, reason } of gpu) {
    if (available) expect(reason).toBeNull();
    else expect(reason).toMatch(/^[A-Z][^\n]{20,}\.$/);
  }
});

test("refine fits a crystal to a user's image, and writes the resulting scenario", async () => {
  const crystal = { ...triclinic, name: 'Mine', detector: { width: 96, height: 96, pixel_mm: 0.5, distance_mm: 100 } };
  await writeFile(path.join(folder, 'mine.json'), JSON.stringify(crystal));
  const turned = ['--set', 'crystal.misset.y_deg=-40.03', '--set', 'crystal.lattice.a_A=70.06'];
  expect(await call('run', 'mine.json', ...turned, '--out', 'turned.h5')).toMatchObject({ code: 0 });
  expect(await call('export', 'turned.h5', '--image', 'frame.img')).toMatchObject({ code: 0 });

  const refined = await call('refine', 'mine.json', 'frame.img', '--out', 'refined.json');
  expect(refined).toMatchObject({ code: 0, stderr: '' });
  expect(refined.stdout).toMatch(/^Image {8}96 × 96 pixels\nFit {10}converged after \d+ iterations of 10 images, /);
  expect(refined.stdout).toMatch(/^Misset y +-40\.0000 ° +-40\.0300 ° +\S+$/m);
  expect(refined.stdout).toMatch(/^Edge a +70\.0000 Å +70\.0\d+ Å +\S+$/m);
  const written = JSON.parse(await readFile(path.join(folder, 'refined.json'), 'utf8'));
  expect(written.crystal.misset.y_deg).toBeCloseTo(-40.03, 3);
  expect(written.crystal.lattice.a_A).toBeCloseTo(70.06, 2);
  expect(written.detector).toEqual(crystal.detector);

  // A saved run can be used as the image. If the image's header gives another distance than the scenario, a warning is
  // printed.
  const [run, far] = await Promise.all([
    call('refine', 'mine.json', 'turned.h5', '--fit', 'misset', '--json'),
    call('refine', 'mine.json', 'frame.img', '--set', 'detector.distance_mm=101'),
  ]);
  expect(JSON.parse(run.stdout).unknowns).toHaveLength(3);
  expect(far.stderr).toContain('detector.distance_mm is 101 in the scenario, but 100 in the header of the image');

  for (const [words, said] of [
    [['mine.json', 'none.img'], 'The file none.img does not exist.'],
    [['mine.json', 'mine.json'], 'mine.json: .json is not a supported image format; allowed: .img'],
    [['water-70MeV', 'frame.img'], 'refine needs a crystal; this is a scenario of kind transport'],
    [['mine.json', 'frame.img', '--fit', 'beam'], '--fit beam is not known; allowed: both, misset, cell'],
    [
      ['mine.json', 'frame.img', '--size', '5'],
      '--size: 5 is not an image size; allowed: WIDTHxHEIGHT, such as 1024x768',
    ],
    [['mine.json', 'frame.img', '--out', 'refined.json'], 'refined.json'],
  ] as const) {
    const refused = await call('refine', ...words);
    expect(refused.code, said).toBe(2);
    expect(refused.stderr).toContain(said);
  }
}, 60_000);
