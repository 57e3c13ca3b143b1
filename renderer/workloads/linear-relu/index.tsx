/**
 * Linear layer with ReLU in the page. Like every small workload it shows the results of its variants. In addition it
 * shows the upper limit of the gain from fusing ReLU into the multiplication, compared with the measurement. A ReLU
 * that is not fused reads and writes Y once. Its time relative to the product is 4 P / (I · BW) for 4-byte values. P
 * is the machine's arithmetic rate, BW its bandwidth and I the number of inputs.
 */
import type { ReactElement } from 'react';
import type { MeasuredSessionEntry, SessionReport } from '../../../electron/contract/bench/session.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import { measuredTime } from '../../../electron/domain/measured.ts';
import { compactCount, NO_VALUE, percent } from '../../../electron/domain/numbers.ts';
import { taskWorkload } from '../task/index.tsx';

interface Ceiling {
  readonly bytes_per_s: number;
  readonly flops_per_s: number;
  /** Times of the product and of ReLU alone. */
  readonly gemm_s: number;
  readonly relu_s: number;
  /** Maximum saving by fusion as a share of both times together. */
  readonly share: number;
}

/** Null if the session lacks the problem or the machine's ceilings. */
export function fusionCeiling({ document, machine }: Pick<SessionReport, 'document' | 'machine'>): Ceiling | null {
  const sizeAt = (key: string): number => Number(valueAt(document, ['problem', key]));
  const [batch, inputs, outputs] = [sizeAt('batch'), sizeAt('inputs'), sizeAt('outputs')];
  const ceilings = machine.gpu?.ceilings;
  if (ceilings == null || !(batch > 0 && inputs > 0 && outputs > 0)) return null;
  const { copy_bytes_per_s: bytes_per_s, fp32_flops_per_s: flops_per_s } = ceilings;
  const gemm_s = (2 * batch * inputs * outputs) / flops_per_s;
  const relu_s = (8 * batch * outputs) / bytes_per_s;
  return { bytes_per_s, flops_per_s, gemm_s, relu_s, share: relu_s / (gemm_s + relu_s) };
}

/** Pairs of library variants in one precision: product with separate ReLU, and product with ReLU in its epilogue. */
export function fusedPairs(
  entries: readonly MeasuredSessionEntry[],
): readonly (readonly [apart: MeasuredSessionEntry, fused: MeasuredSessionEntry])[] {
  const apart = entries.filter(({ variant }) => variant === 'cuda-cublas');
  const fused = entries.filter(({ variant }) => /^cuda-lt-\w+$/.test(variant));
  return fused.flatMap((one) => {
    const other = apart.find(({ precision }) => precision === one.precision);
    return other === undefined ? [] : [[other, one] as const];
  });
}

function FusionCeiling({ report }: { readonly report: SessionReport }): ReactElement | null {
  const ceiling = fusionCeiling(report);
  if (ceiling === null) return null;
  const pairs = fusedPairs(report.entries.filter((entry) => entry.status === 'measured'));
  const { gemm_s, relu_s, share, flops_per_s, bytes_per_s } = ceiling;
  return (
    <section className="section results__section" aria-label="Fusion ceiling" data-testid="results-fusion">
      <h2>Fusion ceiling</h2>
      <p className="section__text muted">
        At the {compactCount(flops_per_s)}FLOP/s and {compactCount(bytes_per_s)}B/s measured on this machine, the
        product takes {measuredTime(gemm_s)} in FP32, and a separate ReLU that reads and writes Y in memory takes{' '}
        {measuredTime(relu_s)}. For any kernel, fusion can save {percent(share)} at most.
      </p>
      {pairs.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
        <section className="scroll" tabIndex={0} aria-label="Table of the fusion">
          <table className="table results__table">
            <caption className="visually-hidden">Time saved by fusing the ReLU</caption>
            <thead>
              <tr>
                <th scope="col">Precision</th>
                <th scope="col">Apart</th>
                <th scope="col">Fused</th>
                <th scope="col">Saved</th>
                <th scope="col">At most, FP32</th>
              </tr>
            </thead>
            <tbody>
              {pairs.map(([apart, fused]) => (
                <tr key={fused.label}>
                  <th scope="row">{fused.precision}</th>
                  <td>
                    {apart.label}, {measuredTime(apart.time_s)}
                  </td>
                  <td>
                    {fused.label}, {measuredTime(fused.time_s)}
                  </td>
                  <td>{percent(1 - fused.time_s / apart.time_s)}</td>
                  <td>{fused.precision === 'fp32' ? percent(share) : NO_VALUE}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

export const linearRelu = { 'linear-relu': { ...taskWorkload('linear-relu'), Extra: FusionCeiling } } as const;
