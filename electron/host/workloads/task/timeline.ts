/** Timeline of a measurement: one part per variant, and for a sweep per value. */
import { recordingOf } from '../../model/recording/kept.ts';
import { type RecordedPart, type RunTimeline, threadLanes } from '../../model/timeline/import/run.ts';
import type { TaskRunData } from './task-data.ts';

export function taskTimeline({ name, variant, precision, machine, session }: TaskRunData): RunTimeline {
  const { reports, sweep } = session;
  const parts = reports.flatMap(({ recordings = [] }, i): RecordedPart[] =>
    recordings.map((kept) => {
      const recording = recordingOf(kept);
      const [calls, ...threads] = [{ name: 'samples', onDevice: false }, ...threadLanes(recording.spans.threads - 1)];
      return {
        title: sweep === null ? kept.label : `${kept.label} at ${sweep.values[i]}`,
        device: kept.device,
        lanes: calls === undefined ? [] : [calls, ...threads],
        ...recording,
      };
    }),
  );
  const device = parts.find((part) => part.device !== null)?.device ?? machine.device;
  return {
    name,
    variant,
    precision,
    machine: { ...machine, device },
    parts,
    counts: 'Repetitions',
    traffic: null,
  };
}
