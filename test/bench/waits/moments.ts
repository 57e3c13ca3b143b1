/**
 * Beams by moments on one core, each compared with its steps: the rest of the time is set-up, read-back and readouts.
 */
import { timesAgain } from './beams.ts';
import { atLeast, atMost, median, type Row } from './row.ts';
import { type Solver, solve, transportProblem } from './solver.ts';
import { byMoments, manyByMoments } from './wanted.ts';

const BEAMS = 512;
const TIMES = 25;

/** Processor time of all threads of this process, s. */
function busy_s(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

export async function momentRows(solver: Solver, base: object): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const reactions of [false, true]) {
    const read = (spots: readonly { readonly energy_MeV: number }[]) =>
      solver.problem({
        ...base,
        beam: { spots },
        grid: { dx_mm: 0.25, dz_mm: spots.length === 1 && reactions ? 1 : 0.2, dtheta_mrad: 5, theta_max_mrad: 400 },
        physics: { nuclear: reactions ? 'icru63' : 'off' },
        solver: { step_mm: 0.2, stepping: 'depth', variant: 'moments', threads: 1 },
      });
    const energy_MeV = reactions ? 150 : 70;
    const one = await read([{ energy_MeV }]);
    const steps: number[] = [];
    for (let i = 0; i < TIMES; i += 1) steps.push((await solve(solver, transportProblem(one))).result.solve_s);
    const alone = await timesAgain(solver, one, busy_s, { times: TIMES });
    rows.push(atMost(byMoments(energy_MeV, reactions), median(alone), median(steps)));
    const many = await read(Array.from({ length: BEAMS }, (_, i) => ({ energy_MeV: 60 + (20 * i) / (BEAMS - 1) })));
    const together = await timesAgain(solver, many, busy_s);
    rows.push(atLeast(manyByMoments(BEAMS, reactions), BEAMS / median(together)));
  }
  return rows;
}
