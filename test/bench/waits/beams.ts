/** Many beams by the command line: a second's worth, with set-up and read-back. */
import { cli, whole } from './processes.ts';
import { atLeast, median, type Row } from './row.ts';
import { type Solver, solve, solvedBy, transportProblem } from './solver.ts';
import { beamRate, manyBeams, type OnGpu } from './wanted.ts';

/** 16 million visits of a cell a beam, each read and written once in FP32. */
const BYTES_A_BEAM = 16e6 * 8;

const byDepth = ['--set', 'solver.stepping=depth'];

interface Batch {
  readonly wall_s: number;
  readonly beams: readonly { readonly status: string; readonly error?: string }[];
}

async function beamsPerSecond(count: number, words: readonly string[]): Promise<number> {
  const sweep = `beam.energy_MeV=60..80/${count}`;
  const args = [cli, 'batch', 'water-70MeV', '--sweep', sweep, ...words, '--json'];
  const rates: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const { wall_s, beams } = JSON.parse((await whole(process.execPath, args)).output) as Batch;
    const bad = beams.find(({ status }) => status !== 'done');
    if (bad !== undefined) throw new Error(`a beam is ${bad.status}: ${bad.error ?? ''}`);
    rates.push(beams.length / wall_s);
  }
  return median(rates);
}

/** `copy` is the device's measured bandwidth, bytes a second. */
export async function beamsOnGpu(variant: OnGpu, copy: number | null): Promise<Row> {
  const measured = await beamsPerSecond(1024, [
    ...['--one-grid', '--variant', variant],
    ...(variant.endsWith('depth') ? byDepth : []),
  ]);
  return atLeast(manyBeams(variant), measured, copy === null ? null : copy / BYTES_A_BEAM);
}

/** All on one grid; the steps of one beam on one core are the bound. */
export async function beamsOnCpu(solver: Solver, base: object, cores: number): Promise<Row> {
  const reading = await solver.problem({ ...base, solver: { ...solvedBy('depth'), threads: 1 } });
  const steps: number[] = [];
  for (let i = 0; i < 5; i += 1) steps.push((await solve(solver, transportProblem(reading))).result.solve_s);
  const measured = (await beamsPerSecond(16 * cores, ['--one-grid', '--variant', 'depth', ...byDepth])) / cores;
  const what = `${16 * cores} beams of 60 to 80 MeV, depth, per core and second on ${cores} cores`;
  return atLeast({ what, limit: 10, text: beamRate }, measured, 1 / median(steps));
}
