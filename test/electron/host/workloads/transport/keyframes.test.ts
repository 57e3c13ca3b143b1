/** Keyframes on their way from the engine to the thread that saves them. */
import { expect, test } from 'vitest';
import type { Marginals, TransportResult, TransportRun } from '../../../../../electron/host/io/addon/addon.ts';
import { keyframesOf } from '../../../../../electron/host/workloads/transport/run-data.ts';

/** Engine output of a frame with large maps and a small one. */
function frame(): Marginals {
  const of = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => i);
  const large = { zx: of(2 ** 19), xtheta: of(2 ** 13), ez: of(2 ** 13), ex: of(2 ** 13), ztheta: of(2 ** 13) };
  return { step: 1, depth_mm: 2, ...large, etheta: of(100) };
}

const keptOf = async (handed: Marginals): Promise<Marginals | undefined> => {
  const native = { keyframe: () => handed } as unknown as TransportRun;
  return (await keyframesOf(native, { keyframes: [{}] } as unknown as TransportResult))[0];
};

test('what is copied is free at once, and not when the collector comes; what stays is whole', async () => {
  const handed = frame();
  expect(await keptOf(handed)).toEqual(frame());
  const { zx, xtheta, ez, ex, ztheta, etheta } = handed;
  expect([zx, xtheta, ez, ex, ztheta].map(({ length }) => length)).toEqual([0, 0, 0, 0, 0]);
  expect(etheta).toHaveLength(100);
});

test('arrays that lie in one memory are all whole', async () => {
  const { zx, etheta, ...rest } = frame();
  const together = new Float32Array([...etheta, ...zx]).buffer;
  const handed = {
    ...rest,
    etheta: new Float32Array(together, 0, etheta.length),
    zx: new Float32Array(together, etheta.byteLength),
  };
  expect(await keptOf(handed)).toEqual(frame());
});
