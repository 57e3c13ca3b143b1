import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import {
  decodeFrame,
  encodeFrame,
  FRAME_MAGIC,
  FrameError,
  FrameSizeError,
  frameInSteps,
  MAX_HEADER_BYTES,
} from '../../../../electron/contract/wire/frame.ts';
import { DOCUMENT_POLICY, withDocumentPolicy } from '../../../../electron/contract/wire/page.ts';

describe('the security policy of the page', () => {
  test('a printed document begins with its content security policy', () => {
    const html = withDocumentPolicy(
      '<!doctype html>\n<html lang="en"><head><script src="https://x"></script></head></html>',
    );
    expect(html.indexOf('<meta http-equiv="Content-Security-Policy"')).toBe('<!doctype html>'.length);
    expect(withDocumentPolicy('<p>')).toMatch(/^<meta http-equiv/);
    expect(DOCUMENT_POLICY).toMatch(/^default-src 'none'/);
    expect(DOCUMENT_POLICY).not.toMatch(/script-src|connect-src|https?:/);
  });
});

const sample = {
  type: 'frame',
  stream: 3,
  text: 'Å µ',
  maps: [
    { name: 'dose', values: new Float32Array([1, 0.5, -2]) },
    { name: 'counts', values: new Uint16Array([7, 65535]) },
  ],
  depth: new Float64Array([Math.PI]),
  big: new BigUint64Array([2n ** 63n]),
  nothing: null,
};

describe('the codec of frames', () => {
  it('decodes what it encoded, arrays as arrays of the same type', () => {
    expect(decodeFrame(encodeFrame(sample))).toEqual(sample);
  });

  it('writes the golden bytes', () => {
    const golden = readFileSync(new URL('../../../golden/frame-1.hex', import.meta.url), 'utf8').replace(/\s/g, '');
    expect(Buffer.from(encodeFrame(sample)).toString('hex')).toBe(golden);
    expect(decodeFrame(Buffer.from(golden, 'hex'))).toEqual(sample);
  });

  it('keeps non-finite values in arrays, and rejects them in JSON', () => {
    const values = new Float64Array([Number.NaN, Number.POSITIVE_INFINITY, -0]);
    expect(decodeFrame(encodeFrame({ values }))).toEqual({ values });
    expect(() => encodeFrame({ metrics: { r80_mm: Number.NaN } })).toThrow(/metrics\.r80_mm is NaN/);
  });

  it('aligns every section to 8 bytes and creates views instead of copies', () => {
    const frame = encodeFrame({ a: new Uint8Array(3), b: new Float64Array(2), c: new Float32Array(1) });
    const decoded = decodeFrame(frame) as { a: Uint8Array; b: Float64Array; c: Float32Array };
    for (const array of Object.values(decoded)) {
      expect(array.byteOffset % 8).toBe(0);
      expect(array.buffer).toBe(frame.buffer);
    }
  });

  it('reads a frame at an odd offset of a larger buffer', () => {
    const frame = encodeFrame(sample);
    const pool = new Uint8Array(frame.length + 64).fill(0xff);
    pool.set(frame, 13);
    expect(decodeFrame(pool.subarray(13, 13 + frame.length))).toEqual(sample);
  });

  it('sends a top-level array, views of part of a buffer, and empty arrays', () => {
    expect(decodeFrame(encodeFrame(new Uint8Array([1, 2])))).toEqual(new Uint8Array([1, 2]));
    const part = new Float64Array([1, 2, 3, 4]).subarray(1, 3);
    expect(decodeFrame(encodeFrame([part, new Float32Array(0)]))).toEqual([
      new Float64Array([2, 3]),
      new Float32Array(0),
    ]);
  });

  it('never mistakes a key of a document for a marker of an array', () => {
    const hostile = JSON.parse(
      '{"sections": [["f32", 1, []]], "value": null, "__proto__": {"polluted": true}, "0": {"$": 1}}',
    );
    const back = decodeFrame(encodeFrame({ hostile, values: new Uint8Array([1]) })) as { hostile: object };
    expect(JSON.stringify(back.hostile)).toBe(JSON.stringify(hostile));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('sends long texts of any content next to the header', () => {
    const long = `\ufeff${'Å\u{1f52c}"\\\n\u0000'.repeat(20_000)}`;
    const sent = { a: [{ text: long }, 'short'], b: long.slice(1), values: new Float32Array([1]) };
    expect(decodeFrame(encodeFrame(sent))).toEqual(sent);
    expect(decodeFrame(encodeFrame(long))).toBe(long);
    // The text ends with half of a surrogate pair, which UTF-8 cannot encode.
    const halved = `${long}\ud83d`;
    expect(decodeFrame(encodeFrame({ halved }))).toEqual({ halved });
    const larger = 'x'.repeat(MAX_HEADER_BYTES + 1);
    expect((decodeFrame(encodeFrame({ larger })) as { larger: string }).larger).toBe(larger);
  });

  it('reports what is too large, and the limit', () => {
    const many = Array.from({ length: 2000 }, (_, i) => `${i}${'x'.repeat(10_000)}`);
    expect(() => encodeFrame(many)).toThrow(FrameSizeError);
    expect(() => encodeFrame(many)).toThrow(
      /19\.1 MiB in addition to arrays and long texts; allowed: at most 16\.0 MiB/,
    );
  });

  it('encodes in pieces of a few megabytes', () => {
    let pauses = 0;
    const value = { image: new Float32Array(2 ** 24), small: new Uint8Array(9) };
    value.image[2 ** 24 - 1] = 7;
    const steps = frameInSteps(value);
    let step = steps.next();
    for (; !step.done; step = steps.next()) pauses += 1;
    expect(pauses).toBeGreaterThanOrEqual(8);
    const { image, small } = decodeFrame(step.value) as typeof value;
    expect([image.length, image.at(-1), small.length]).toEqual([2 ** 24, 7, 9]);
  });

  it('writes many values in pieces, with the same text as in one pass', () => {
    const samples = Array.from({ length: 60_000 }, (_, round) => ({
      round,
      time_s: round / 7,
      flag: null,
      none: undefined,
    }));
    const keyed = Object.fromEntries(samples.map((sample, i) => [i % 2 === 0 ? `k${i}` : `__proto__${i}`, sample]));
    const mixed = [[], {}, [undefined], { a: [samples, 'x', samples] }, ...samples.slice(0, 9000), samples];
    for (const value of [samples, { keyed, samples }, mixed, [samples.map(({ round }) => round)]]) {
      let pauses = 0;
      const steps = frameInSteps(value);
      let step = steps.next();
      for (; !step.done; step = steps.next()) pauses += 1;
      const header = JSON.stringify({ value, sections: [] });
      expect(pauses).toBeGreaterThanOrEqual(Math.floor(header.length / 2 ** 20));
      expect(
        Buffer.from(step.value)
          .subarray(8, 8 + Buffer.byteLength(header))
          .toString(),
      ).toBe(header);
    }
    const last = new Float32Array([1, 2]);
    expect(decodeFrame(encodeFrame({ samples: [...samples, { last }] }))).toMatchObject({
      samples: { 60000: { last } },
    });
    expect(() => encodeFrame({ a: [...samples, { b: Number.NaN }] })).toThrow('a.60000.b is NaN');
  });

  it('drops keys without a value, as JSON does', () => {
    expect(decodeFrame(encodeFrame({ a: undefined, b: 1 }))).toEqual({ b: 1 });
  });

  it('rejects values that it cannot carry', () => {
    expect(() => encodeFrame({ view: new DataView(new ArrayBuffer(8)) })).toThrow(FrameError);
    let deep: unknown = 1;
    for (let i = 0; i < 100; i += 1) deep = [deep];
    expect(() => encodeFrame(deep)).toThrow(/nested/);
  });
});

/** A frame with the given header text and payload, for headers that encodeFrame never writes. */
function craftFrame(header: string, payload = new Uint8Array(0), headerLength?: number): Uint8Array {
  const text = new TextEncoder().encode(header);
  const frame = new Uint8Array(8 + ((text.length + 7) & ~7) + payload.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, FRAME_MAGIC, true);
  view.setUint32(4, headerLength ?? text.length, true);
  frame.set(text, 8);
  frame.set(payload, 8 + ((text.length + 7) & ~7));
  return frame;
}

describe('frames from other programs', () => {
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ['empty', new Uint8Array(0)],
    ['seven bytes', new Uint8Array(7)],
    ['another magic', new Uint8Array(64)],
    ['a header longer than the frame', craftFrame('{"value":1,"sections":[]}', undefined, 1000)],
    ['a header length of 4 GiB', craftFrame('{"value":1,"sections":[]}', undefined, 0xffffffff)],
    ['a header above the limit', craftFrame('{}', undefined, MAX_HEADER_BYTES + 1)],
    ['no JSON', craftFrame('value')],
    ['no UTF-8', craftFrame('{"value":"', new Uint8Array([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), 20)],
    ['no sections', craftFrame('{"value":1}')],
    ['an array header', craftFrame('[1,2]')],
    ['a section of 2^50 elements', craftFrame('{"value":null,"sections":[["f64",1125899906842624,[]]]}')],
    ['a section of 2^53 elements', craftFrame('{"value":null,"sections":[["f64",9007199254740992,[]]]}')],
    ['a negative count', craftFrame('{"value":null,"sections":[["f64",-1,[]]]}')],
    ['a fractional count', craftFrame('{"value":null,"sections":[["u8",0.5,[]]]}')],
    ['an unknown type', craftFrame('{"value":null,"sections":[["constructor",0,[]]]}')],
    ['a path to nowhere', craftFrame('{"value":{},"sections":[["u8",0,["a"]]]}')],
    ['a path over a value', craftFrame('{"value":{"a":1},"sections":[["u8",0,["a"]]]}')],
    ['a path into a prototype', craftFrame('{"value":{},"sections":[["u8",0,["__proto__","x"]]]}')],
    ['a path that is no path', craftFrame('{"value":null,"sections":[["u8",0,"a"]]}')],
    ['two sections for one place', craftFrame('{"value":null,"sections":[["u8",0,[]],["u8",0,[]]]}')],
    ['bytes left over', craftFrame('{"value":1,"sections":[]}', new Uint8Array(8))],
    ['a section beyond the end', craftFrame('{"value":null,"sections":[["f64",2,[]]]}', new Uint8Array(8))],
    [
      'a second section beyond the end',
      craftFrame('{"value":[null,null],"sections":[["u8",1,[0]],["u8",0,[1]]]}', new Uint8Array(1)),
    ],
    ['a text that is no UTF-8', craftFrame('{"value":null,"sections":[["text",8,[]]]}', new Uint8Array(8).fill(0xff))],
    ['a text beyond the end', craftFrame('{"value":null,"sections":[["text",9,[]]]}', new Uint8Array(8))],
    ['JSON nested without end', craftFrame('['.repeat(200_000))],
  ];
  it.each(cases)('%s throws a FrameError', (_name, bytes) => {
    expect(() => decodeFrame(bytes)).toThrow(FrameError);
  });
});
