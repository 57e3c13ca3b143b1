/** Timeline of a transport run. */
import { type RecordedLane, type RunTimeline, threadLanes } from '../../model/timeline/import/run.ts';
import type { RunData } from './run-data.ts';

/** The recorder's second thread is the device. */
const onGpu: readonly RecordedLane[] = [
  { name: 'main thread', onDevice: false },
  { name: 'steps, by events', onDevice: true },
];

export function transportTimeline(run: RunData, declared: (variant: string) => number): RunTimeline {
  const { name, variant, precision, machine, spans, trace, steps, cell_steps, bytes_per_cell_step } = run;
  const { device } = machine;
  // Files of earlier versions do not say what their kernels moved.
  const bytesPerCellStep = bytes_per_cell_step || declared(variant);
  return {
    name,
    variant,
    precision,
    machine,
    parts: [{ title: null, device, lanes: device === null ? threadLanes(spans.threads) : onGpu, spans, trace }],
    counts: null,
    traffic: steps > 0 ? { steps, bytesPerStep: (cell_steps / steps) * bytesPerCellStep } : null,
  };
}
