/** Every table of the documents by its name, with its inputs. To add a table, add an entry here. */
import { denseStep } from './dense-step.ts';
import { gate } from './gate.ts';
import {
  claimCounts,
  claimsByCard,
  claimsTable,
  letAgainstMonteCarlo,
  planOffset,
  problemFormats,
  rangeOf,
  reactionsAgainstMonteCarlo,
  shippedScenarios,
  spreadOutPeaks,
  usages,
  verbs,
  waterBeams,
} from './programs.ts';
import { realRates, simulatedRates } from './rates.ts';
import { recorded, targetMachines, targets, unrecorded } from './recorded.ts';
import { sanitized } from './sanitized.ts';
import { images, layer, machines, measured, modes, onBothCards, report, rivals, runs } from './sessions.ts';
import { code, seconds, table, times } from './text.ts';

interface Table {
  /** `solver`: runs the solver, so that the last digit may be the machine's. */
  readonly from: 'sessions' | 'program' | 'solver';
  make(): string | Promise<string>;
}

const shown = (file: string): string => code(`npx braggbench bench --open assets/runs/${file}.json`);

async function headline(): Promise<string> {
  const water = report('transport/h200-water-70MeV');
  const uniform = report('transport/h200-uniform-grid-70MeV');
  const cubic = report('diffraction/h200-simple-cubic-1024');
  const large = report('linear-relu/layer-8192');
  const both = (of: typeof water, label: string): string => {
    const entry = measured(of, label);
    return `${seconds(entry.wall_s)} (${seconds(entry.time_s)})`;
  };
  const over = (of: typeof water, slow: string, fast: string): string =>
    times(measured(of, slow).time_s / measured(of, fast).time_s);
  const rival = measured(uniform, 'cupy-raw');
  return table(
    ['What', '>Figure', 'Command'],
    [
      [
        'R80 of 150 MeV in water, and the CSDA range',
        await rangeOf('water-150MeV'),
        code('npx braggbench run water-150MeV'),
      ],
      [
        'The 70 MeV beam on a GPU, whole warm run (steps alone): `cuda-window`',
        both(water, 'cuda-window'),
        shown('transport/h200-water-70MeV'),
      ],
      ['The same, `cuda-depth`', both(water, 'cuda-depth'), 'the same'],
      [
        'On a uniform grid, `cuda-scatter`: an atomic per target',
        both(uniform, 'cuda-scatter'),
        shown('transport/h200-uniform-grid-70MeV'),
      ],
      ['The same, `cuda-window`', both(uniform, 'cuda-window'), 'the same'],
      [
        "CuPy's RawKernel over `cuda-window`, steps",
        times(rival.time_s / measured(uniform, 'cuda-window').time_s),
        'the same',
      ],
      [
        'An image: stages with temporaries over one kernel, both FP64',
        over(cubic, 'diffraction-cuda-unfused', 'diffraction-cuda-fp64'),
        shown('diffraction/h200-simple-cubic-1024'),
      ],
      [
        'A linear layer: a naive fused kernel over cuBLAS and a ReLU',
        over(large, 'cuda-naive', 'cuda-cublas'),
        shown('linear-relu/layer-8192'),
      ],
      ['Published claims that recorded sessions bear out', await claimCounts(), code('npx braggbench claims')],
    ],
  );
}

export const tables: Readonly<Record<string, Table>> = {
  headline: { from: 'solver', make: headline },
  'water-beams': { from: 'solver', make: () => waterBeams() },
  'shipped-scenarios': { from: 'solver', make: () => shippedScenarios() },
  'reactions-monte-carlo': { from: 'solver', make: reactionsAgainstMonteCarlo },
  'plan-offset': { from: 'solver', make: planOffset },
  'let-monte-carlo': { from: 'solver', make: letAgainstMonteCarlo },
  'spread-out-peaks': { from: 'solver', make: () => spreadOutPeaks() },
  'transport-water': { from: 'sessions', make: () => runs('transport/h200-water-70MeV') },
  'transport-uniform': { from: 'sessions', make: () => runs('transport/h200-uniform-grid-70MeV') },
  'transport-dense': { from: 'sessions', make: () => runs('transport/h200-dense-36M') },
  'dense-step': { from: 'sessions', make: denseStep },
  'transport-modes': { from: 'sessions', make: () => modes('transport/h200-uniform-grid-70MeV') },
  rivals: {
    from: 'sessions',
    make: () => rivals('transport/h200-uniform-grid-70MeV', 'transport/h200-dense-36M'),
  },
  'image-still': { from: 'sessions', make: () => images('diffraction/h200-simple-cubic-1024') },
  'image-rotation': { from: 'sessions', make: () => images('diffraction/h200-rotation-100-orientations') },
  layers: { from: 'sessions', make: layer },
  machines: { from: 'sessions', make: machines },
  recorded: { from: 'sessions', make: recorded },
  unrecorded: { from: 'sessions', make: unrecorded },
  targets: { from: 'sessions', make: targets },
  'target-machines': { from: 'sessions', make: targetMachines },
  'verdicts-simulated': { from: 'sessions', make: simulatedRates },
  'verdicts-real': { from: 'sessions', make: realRates },
  gate: { from: 'sessions', make: gate },
  sanitized: { from: 'sessions', make: sanitized },
  claims: { from: 'program', make: claimsTable },
  'claims-by-card': { from: 'program', make: claimsByCard },
  'steps-by-card': {
    from: 'sessions',
    make: () =>
      onBothCards('transport/h200-factorial-uniform-grid-70MeV', 'transport/h100-factorial-uniform-grid-70MeV'),
  },
  'problem-formats': { from: 'program', make: problemFormats },
  verbs: { from: 'program', make: verbs },
  usages: { from: 'program', make: usages },
};
