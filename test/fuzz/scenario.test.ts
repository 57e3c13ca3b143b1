import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeFrame, encodeFrame, FrameError } from '../../electron/contract/wire/frame.ts';

/** JSON-like values that contain typed arrays. */
const arrays = fc.oneof(
  fc.float32Array({ maxLength: 50 }),
  fc.float64Array({ maxLength: 50 }),
  fc.uint8Array({ maxLength: 50 }),
  fc.int16Array({ maxLength: 50 }),
  fc.uint32Array({ maxLength: 50 }),
  fc.bigUint64Array({ maxLength: 10 }),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((x) => !Object.is(x, -0)),
    fc.string(),
    arrays,
    fc.array(tie('tree'), { maxLength: 6 }),
    fc.dictionary(fc.string({ maxLength: 10 }), tie('tree'), { maxKeys: 6, noNullPrototype: true }),
  ),
}));

/** Decoding may fail only with FrameError, and never uses more memory than the frame and its header. */
function expectDecodedOrRejected(bytes: Uint8Array): void {
  try {
    decodeFrame(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(FrameError);
  }
}

it('any encoded value is decoded unchanged', () => {
  fc.assert(
    fc.property(tree, (value) => {
      expect(decodeFrame(encodeFrame(value))).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

it('a truncated frame is rejected', () => {
  fc.assert(
    fc.property(tree, fc.double({ min: 0, max: 0.999, noNaN: true }), (value, share) => {
      const frame = encodeFrame(value);
      expect(() => decodeFrame(frame.slice(0, Math.floor(frame.length * share)))).toThrow(FrameError);
    }),
    { numRuns: 500 },
  );
});

it('a frame with changed bytes is read or rejected, and nothing else happens', () => {
  const change = fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(tree, fc.array(change, { minLength: 1, maxLength: 8 }), (value, changes) => {
      const frame = encodeFrame(value);
      for (const [share, byte] of changes) frame[Math.floor(share * frame.length)] = byte;
      expectDecodedOrRejected(frame);
    }),
    { numRuns: 3000 },
  );
});

it('random bytes after the magic number are read or rejected', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 400 }), (bytes) => {
      bytes.set([0x42, 0x52, 0x47, 0x31]);
      expectDecodedOrRejected(bytes);
    }),
    { numRuns: 3000 },
  );
});

it('claimed lengths allocate no memory', () => {
  const before = process.memoryUsage();
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), fc.constantFrom('u8', 'f32', 'f64', 'u64'), (count, type) => {
      const header = new TextEncoder().encode(JSON.stringify({ value: null, sections: [[type, count, []]] }));
      const frame = new Uint8Array(8 + ((header.length + 7) & ~7));
      new DataView(frame.buffer).setUint32(0, 0x31475242, true);
      new DataView(frame.buffer).setUint32(4, header.length, true);
      frame.set(header, 8);
      if (count === 0) return;
      expect(() => decodeFrame(frame)).toThrow(FrameError);
    }),
    { numRuns: 1000 },
  );
  const after = process.memoryUsage();
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(64 * 2 ** 20);
});
