/** The host answers any message of a page with a result or an error of its contract, never with an internal error. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BraggError } from '../../electron/contract/errors.ts';
import { decodeFrame, encodeFrame } from '../../electron/contract/wire/frame.ts';
import { type MethodName, methods } from '../../electron/contract/wire/methods.ts';
import { hostMessageSchema, PROTOCOL_VERSION } from '../../electron/contract/wire/protocol.ts';
import { type StreamName, streams } from '../../electron/contract/wire/streams.ts';
import { inProcessPorts } from '../../electron/transports/websocket-host.ts';
import { smallScenario } from '../electron/host/small-run.ts';
import { openTestHost, type TestHost } from '../electron/host/test-host.ts';
import { runs } from './seed.ts';

let test: TestHost;
let run: string;
beforeAll(async () => {
  test = await openTestHost({ memoryLimit_bytes: 2 ** 26 });
  run = (await test.host.call('run.start', { scenario: { ...smallScenario }, name: '' })).id;
  await test.host.runs.waitForEnd(run);
});
afterAll(() => test.close());

const viewport = { horizontal: null, vertical: [0, 1], pixels: [10, 10] };
const map = { quantity: 'protons', horizontal: 'z', vertical: 'x', viewport };

/** Values that are valid for most methods, as starting points of mutations. */
const seeds = (): readonly unknown[] => [
  {},
  { run },
  { run, maps: [map] },
  { run, index: 1, maps: [map, { ...map, horizontal: 'e' }] },
  { run, depths_mm: [1, 2] },
  { run, rows: 5 },
  { run, what: 'summary' },
  { run, maps: [map], depthDose: true },
  { text: '{"kind":"transport"}', name: 'a.json' },
  { file: { kind: 'library', key: 'water-70MeV.json' } },
  { scenario: smallScenario, file: null },
  { scenario: smallScenario, file: { kind: 'library', key: 'fuzz.json' }, ifExists: 'replace' },
  { source: { kind: 'bytes', name: 'a.h5', bytes: new Uint8Array(10) } },
  { source: { kind: 'file', file: { kind: 'library', key: 'none.h5' } } },
];

const junk = fc.oneof(
  fc.constantFrom(null, '', '../../etc/passwd', -1, 1e308, 2 ** 53, [], {}, true, 'dose', 'x', '__proto__'),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A copy of `value` with the part at one path replaced or removed. */
function mutateValue(value: unknown, path: readonly number[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return by;
  const keys = Object.keys(value);
  const key = keys[first % (keys.length + 1)];
  if (Array.isArray(value)) {
    const copy = [...value];
    if (key !== undefined) copy[Number(key)] = mutateValue(copy[Number(key)], rest, by);
    return copy;
  }
  return { ...value, [key ?? 'extra']: key === undefined ? by : mutateValue(Reflect.get(value, key), rest, by) };
}

/** Messages derived from seeds: sometimes unchanged, mostly changed in one place. */
function messageFrom(starts: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.nat(100), fc.array(fc.nat(10), { maxLength: 4 }), junk, fc.nat(3))
    .map(([seed, path, by, kind]) => {
      const start = starts[seed % starts.length];
      return kind === 0 ? start : mutateValue(start, path, by);
    });
}

// Leave out methods that start runs, because hundreds of runs would need time without testing more.
const methodNames = Object.keys(methods).filter(
  (name) => name !== 'run.start' && name !== 'run.forget',
) as MethodName[];

/** Names of requests, each with params derived from values that the request accepts. */
function requests<N extends string>(
  names: readonly N[],
  accepts: (name: N, params: unknown) => boolean,
): fc.Arbitrary<readonly [N, unknown]> {
  const fitting = names.map((name) => {
    const accepted = seeds().filter((seed) => accepts(name, seed));
    return [name, messageFrom(accepted.length > 0 ? accepted : seeds())] as const;
  });
  return fc.constantFrom(...fitting).chain(([name, messages]) => messages.map((params) => [name, params] as const));
}

const calls = requests(methodNames, (name, params) => methods[name].params.safeParse(params).success);
const opens = requests(
  Object.keys(streams) as StreamName[],
  (name, params) => streams[name].params.safeParse(params).success,
);

it('the host answers damaged calls with a result or a contract error', async () => {
  const codes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(calls, async ([method, params]) => {
      let outcome = 'result';
      try {
        await test.host.call(method, params as never);
      } catch (error) {
        expect(error).toBeInstanceOf(BraggError);
        outcome = error instanceof BraggError ? error.code : 'foreign';
        expect(outcome, `${method} ${JSON.stringify(params)}`).not.toBe('internal');
      }
      codes.set(outcome, (codes.get(outcome) ?? 0) + 1);
    }),
    { numRuns: runs(1200) },
  );
  // Enough requests are valid to reach the handlers, instead of failing in the schema.
  expect(codes.get('result') ?? 0).toBeGreaterThan(runs(1200) / 60);
  expect(codes.get('bad-request') ?? 0).toBeGreaterThan(runs(1200) / 60);
});

it('the host ends damaged streams with a contract error', async () => {
  const door = test.host.pageAcceptor();
  const outcomes = new Map<string, number>();
  const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(opens, fc.nat(4), async ([name, params], credits) => {
      const [page, host] = inProcessPorts();
      const closed = new Promise<void>((resolve) => {
        page.listen({
          frame: (bytes) => {
            const message = hostMessageSchema.parse(decodeFrame(bytes));
            if (message.type === 'frame') count('frame');
            if (message.type === 'end') count(message.error?.code ?? 'over');
            if (message.type === 'result') page.send(encodeFrame({ type: 'leave' }));
          },
          closed: () => resolve(),
        });
      });
      door.accept(host, { singleUse: true });
      page.send(encodeFrame({ type: 'greet', protocol: PROTOCOL_VERSION, resume: null }));
      page.send(encodeFrame({ type: 'open', stream: 1, name, params, credits }));
      // The answer to this call arrives after the host has opened or rejected the stream.
      page.send(encodeFrame({ type: 'call', id: 1, method: 'run.list', params: {} }));
      await closed;
    }),
    { numRuns: runs(300) },
  );
  door.close();
  expect((await test.host.call('run.list', {})).runs.map(({ id }) => id)).toContain(run);
  expect(outcomes.get('internal')).toBeUndefined();
  // Both valid and damaged requests reach the streams.
  expect(outcomes.get('frame') ?? 0).toBeGreaterThan(5);
  expect(outcomes.get('bad-request') ?? 0).toBeGreaterThan(20);
});
