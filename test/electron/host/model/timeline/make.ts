/** Small traces for tests, and a file of each kind in a folder of the test's own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { type LaneKey, type NewSpan, TraceBuilder } from '../../../../../electron/host/model/timeline/builder.ts';
import type { Trace } from '../../../../../electron/host/model/timeline/trace.ts';

export type Given = Partial<NewSpan> & Pick<NewSpan, 'start_ns' | 'duration_ns'>;

/** One lane per list; spans are called `span` unless they say otherwise. */
export function traceOf(...lanes: readonly (Partial<LaneKey> & { readonly spans: readonly Given[] })[]): Trace {
  const builder = new TraceBuilder();
  for (const [i, { spans, ...key }] of lanes.entries()) {
    const lane = builder.lane({ process: 'p', name: `lane ${i}`, kind: 'thread', scope: 0, order: i, ...key });
    for (const span of spans) builder.span({ name: 'span', kind: 'other', ...span, lane });
  }
  return builder.build({ source: 'chrome-trace', name: 'test', about: '', device: null });
}

/** Numbers that repeat with the seed, in [0, 1). Source: Numerical Recipes' linear congruence. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Folder {
  write(name: string, content: string | Uint8Array): string;
  path(name: string): string;
}

/** Call at the top of a test file; removed after its tests. */
export function useFolder(): Folder {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-timeline-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    path: (name) => path.join(folder, name),
    write: (name, content) => {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    },
  };
}
