/** The table of what a dense step's time is made of. */
import { type DenseStep, readDenseStep } from '../bench/dense-step.ts';
import { root } from './documents.ts';
import { code, digits, percent, seconds, table } from './text.ts';

/** Each value is read once and written once. */
const BYTES_OF_A_CELL = 8;
const LANES = 32;

export function denseStepTable(kept: DenseStep | null): string {
  if (kept === null) return 'Not recorded yet.';
  const megabytes = (bytes: number): string => `${digits(bytes / 1e6)} MB`;
  const alone = (share: number): string => seconds(kept.time_s * share);
  const moved = kept.dram_read_bytes + kept.dram_written_bytes;
  const least = (kept.cells * BYTES_OF_A_CELL) / moved;
  const rows = [
    ['DRAM, as counted', `${megabytes(kept.dram_read_bytes)} read, ${megabytes(kept.dram_written_bytes)} written`],
    ['DRAM, each cell once', megabytes(kept.cells * BYTES_OF_A_CELL)],
    ['Shared memory', 'wavefronts'],
    ['Issue slots', `${digits((kept.instructions * LANES) / kept.cells, 2)} instructions a cell`],
    ['FMA pipe', 'of these'],
  ].map(([what = '', how = ''], i) => {
    const share = [kept.dram, kept.dram * least, kept.shared, kept.issue, kept.fma][i] ?? 0;
    return [what, how, percent(share), alone(share)];
  });
  const waits = kept.stalls.map(({ reason, share }) => `${reason} ${percent(share)}`).join(', ');
  return [
    table(['Unit', 'Of what', '>Busy', '>Time if it alone were full'], rows),
    '',
    `${kept.gpu}, ${seconds(kept.time_s)} a step under ncu, kernel of commit ${code(kept.kernel_commit)}. Multiprocessors are busy ${percent(kept.busy)} of it. A scheduler has ${digits(kept.warps)} warps to choose from. They wait for: ${waits}.`,
    ...(kept.tried.length === 0
      ? []
      : [
          '',
          table(
            ['Design', '>A step'],
            kept.tried.map(({ what, time_s }) => [what, seconds(time_s)]),
          ),
        ]),
  ].join('\n');
}

export const denseStep = (): string => denseStepTable(readDenseStep(root));
