/** Timeline of a diffraction image. */
import { type RunTimeline, threadLanes } from '../../model/timeline/import/run.ts';
import type { ImageRunData } from './image-data.ts';

export function imageTimeline({ name, variant, precision, machine, spans, trace }: ImageRunData): RunTimeline {
  const { device } = machine;
  const lanes = device === null ? threadLanes(spans.threads) : [{ name: 'main thread', onDevice: false }];
  return {
    name,
    variant,
    precision,
    machine,
    parts: [{ title: null, device, lanes, spans, trace }],
    counts: 'First row',
    traffic: null,
  };
}
