/**
 * Waiting times of a user, each next to its lower bound measured in this call. They cover end-to-end runs, the command
 * line, many beams, images and Live. Smatrix_2D, a separate program that solves the same default beam, is measured too.
 *
 * Run by `npm run bench -- cpu` and `npm run bench -- gpu`. `--gpu` measures the device; `--smatrix FOLDER` uses a
 * checkout of Smatrix_2D; `--only a,b` selects parts; `--out FILE` saves the rows as JSON.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { defaultGpu } from '../../../electron/host/io/addon/gpu.ts';
import { devicesWithCeilings } from '../../../electron/host/model/bench/machine.ts';
import { beamsOnAllGpus, beamsOnCpu, beamsOnGpu, momentRows, momentsOnGpu, setupTimeOfBeams } from './beams.ts';
import { ctRows } from './ct.ts';
import { liveRows } from './live.ts';
import { commandLineRows, compareWithSmatrix, firstRuns, momentsByShell, root } from './processes.ts';
import { type GpuVariant, type Row, rowsOfGpu, VARIANTS_ON_GPU } from './row.ts';
import { sessionRows } from './session.ts';
import { openSolver, warmImages, warmRun } from './solver.ts';

const { values } = parseArgs({
  options: {
    gpu: { type: 'boolean', default: false },
    smatrix: { type: 'string' },
    only: { type: 'string' },
    out: { type: 'string' },
  },
});
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const document = (file: string): object =>
  JSON.parse(readFileSync(path.join(root, 'assets/scenarios', file), 'utf8')) as object;

const solver = await openSolver();
const waterScenario = document('water-70MeV.json');
const { gpu } = values;
const device = gpu ? defaultGpu(await devicesWithCeilings(solver.addon, say)) : null;
if (gpu && device === null) throw new Error('there is no GPU that can be used');
const hasSeveralGpus = gpu && solver.addon.driverDevices().devices.length > 1;
const copy = device?.ceilings?.copy_bytes_per_s ?? null;
const cores = availableParallelism();
const machine = `${cpus()[0]?.model.trim() ?? 'CPU'}, ${cores} cores${device === null ? '' : `, ${device.name}`}`;
say(`${machine}; load before: ${loadavg()[0]?.toFixed(1)}`);

async function forEachVariant(
  measure: (variant: GpuVariant) => Promise<Row | readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: (Row | readonly Row[])[] = [];
  for (const variant of VARIANTS_ON_GPU) rows.push(await measure(variant));
  return rows.flat();
}

const gpuParts: readonly (readonly [string, () => Promise<readonly Row[]>])[] = [
  ['warm', () => forEachVariant((variant) => warmRun(solver, waterScenario, variant))],
  ['shell', () => commandLineRows('cuda-depth', true)],
  ['first', () => firstRuns('cuda-window')],
  ['beams', () => forEachVariant((variant) => beamsOnGpu(solver, waterScenario, variant, copy))],
  ['moments', () => momentsOnGpu(solver, waterScenario, device?.ceilings ?? null)],
  ...(hasSeveralGpus
    ? ([['gpus', () => forEachVariant((variant) => beamsOnAllGpus(solver, waterScenario, variant))]] as const)
    : []),
  ['images', () => warmImages(solver, document('diffraction/simple-cubic-4096.json'))],
];
const cpuParts: readonly (readonly [string, () => Promise<readonly Row[]>])[] = [
  ['shell', async () => [...(await commandLineRows('depth', false)), await momentsByShell()]],
  [
    'beams',
    async () => [await beamsOnCpu(solver, waterScenario, cores), await setupTimeOfBeams(solver, waterScenario)],
  ],
  ['moments', () => momentRows(solver, waterScenario)],
];
const { smatrix: checkout } = values;
const parts: readonly (readonly [string, () => Promise<readonly Row[]>])[] = [
  ...(gpu ? gpuParts : cpuParts),
  ['session', () => sessionRows(gpu, waterScenario)],
  ['ct', () => ctRows(gpu)],
  ['live', () => liveRows(gpu, say)],
  ...(gpu ? [] : ([['gpu', async () => rowsOfGpu()]] as const)),
  ...(checkout === undefined
    ? []
    : ([
        ['smatrix', async () => [await compareWithSmatrix(path.resolve(checkout), gpu ? 'cuda-depth' : 'depth')]],
      ] as const)),
];

const selectedParts = values.only?.split(',');
const rows: Row[] = [];
for (const [name, measure] of parts) {
  if (selectedParts !== undefined && !selectedParts.includes(name)) continue;
  try {
    rows.push(...(await measure()));
  } catch (error) {
    // If a part cannot be measured, the others continue.
    say(`  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    rows.push({ what: name, wanted: '', measured: null, met: null, bound: null, ratio: null });
  }
}
const json = JSON.stringify({ machine, rows }, null, 2);
if (values.out === undefined) process.stdout.write(`${json}\n`);
else writeFileSync(values.out, json);
