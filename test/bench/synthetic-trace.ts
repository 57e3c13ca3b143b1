/** A trace of a million spans over three minutes with spans down to tens of nanoseconds, as Chrome Trace JSON. */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

interface SyntheticLane {
  readonly pid: number;
  readonly tid: number;
  readonly category: string;
  readonly name: string;
  /** Spans within spans; 1: none. */
  readonly depth: number;
}

const MINUTES_NS = 180e9;

/** 16 streams with their copies, 4 threads that call CUDA, 6 threads with stacks of four calls: 60 tracks. */
function syntheticLanes(): readonly SyntheticLane[] {
  const lanes: SyntheticLane[] = [];
  for (let tid = 0; tid < 6; tid += 1) lanes.push({ pid: 1, tid, category: 'cpu_op', name: `op::${tid}`, depth: 4 });
  for (let tid = 0; tid < 4; tid += 1)
    lanes.push({ pid: 1, tid, category: 'cuda_runtime', name: 'cudaLaunchKernel', depth: 1 });
  for (let tid = 0; tid < 16; tid += 1) {
    lanes.push({ pid: 0, tid, category: 'kernel', name: 'void kernel', depth: 1 });
    lanes.push({ pid: 0, tid, category: 'gpu_memcpy', name: 'Memcpy HtoD', depth: 1 });
  }
  return lanes;
}

/** Numerical Recipes' linear congruence: the same trace every time. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Writes about `spans` events; resolves with how many. Lengths and pauses span seven decades, in bursts. */
export async function writeSyntheticTrace(file: string, spans: number): Promise<number> {
  const lanes = syntheticLanes();
  const tracks = lanes.reduce((sum, { depth }) => sum + depth, 0);
  const out = createWriteStream(file, { highWaterMark: 2 ** 20 });
  let written = 0;
  let buffer =
    '{"displayTimeUnit":"ns","traceEvents":[\n{"ph":"M","name":"process_name","pid":0,"args":{"name":"GPU 0"}}';
  const put = async (lane: SyntheticLane, name: string, start: number, duration: number): Promise<void> => {
    written += 1;
    buffer += `,\n{"ph":"X","cat":"${lane.category}","name":"${name}","pid":${lane.pid},"tid":${lane.tid},"ts":${(start / 1e3).toFixed(3)},"dur":${(duration / 1e3).toFixed(3)},"args":{"grid":[64,1,1],"block":[256,1,1],"correlation":${written}}}`;
    if (buffer.length < 2 ** 20) return;
    const more = out.write(buffer);
    buffer = '';
    if (!more) await once(out, 'drain');
  };
  for (const [i, lane] of lanes.entries()) {
    const next = numbers(i + 1);
    const own = Math.round((spans * lane.depth) / tracks / lane.depth);
    let at = 0;
    for (let k = 0; k < own; k += 1) {
      // A burst every thousand spans; between bursts the rest of the lane's share of the three minutes.
      const pause = k % 1000 === 999 ? (MINUTES_NS / own) * 900 * (0.5 + next()) : 20 + next() * 400;
      const duration = 20 * 10 ** (next() * 4);
      at += pause;
      for (let level = 0; level < lane.depth; level += 1) {
        const inner = duration * (1 - level * 0.2);
        await put(lane, `${lane.name}_${(k * 7 + level) % 40}`, at + duration * level * 0.1, inner);
      }
      at += duration;
    }
  }
  out.end(`${buffer}\n]}\n`);
  await once(out, 'finish');
  return written;
}
