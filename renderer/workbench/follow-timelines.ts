/** Keeps the list of timelines as the host has it. */
import type { Client } from '../client/index.ts';
import type { TimelinesStore } from '../state/timelines.ts';

export function followTimelines(client: Client, timelines: TimelinesStore): void {
  client.stream('timelines', {}, { frame: (frame) => timelines.listed(frame.timelines) });
}
