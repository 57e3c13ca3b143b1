/** Answers of other machines: complete, truncated and hostile. Also host names that ssh could mistake for options. */
import fc from 'fast-check';
import '../../../../fuzz/seed.ts';
import { describe, expect, test } from 'vitest';
import { BraggError } from '../../../../../electron/contract/errors.ts';
import { remoteMachineSchema } from '../../../../../electron/contract/remote.ts';
import { PROBE_SCRIPT, readProbe } from '../../../../../electron/host/app/remote/probe.ts';
import { hostNamesIn } from '../../../../../electron/host/app/remote/remotes.ts';
import { checkedHost, plainLine, plainText } from '../../../../../electron/host/app/remote/ssh.ts';

const completeProbe: Readonly<Record<string, string>> = {
  ...{ system: 'Linux', machine: 'x86_64', node: 'gpubox', libc: 'glibc 2.36', cores: '32' },
  ...{
    base: '/home/me/.cache/braggbench',
    free_KiB: '1000',
    sbatch: '0',
    pci: '0',
    device: '0',
    smi: 'absent',
    end: '1',
  },
};
const probeOutput = (changed: Readonly<Record<string, string | null>> = {}, gpus: readonly string[] = []): string =>
  [
    ...Object.entries({ ...completeProbe, ...changed }).filter(([, value]) => value !== null),
    ...gpus.map((gpu) => ['gpu', gpu] as const),
  ]
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
const read = (text: string) => readProbe('box', text, '0.1.0-0123456789ab');
const gpusOf = (changed: Readonly<Record<string, string | null>>, gpus: readonly string[] = []) =>
  read(probeOutput(changed, gpus)).machine.gpus;

test('a complete probe answer is parsed', () => {
  expect(read(probeOutput({}, []))).toEqual({
    machine: {
      ...{ node: 'gpubox', platform: 'linux-x64', cores: 32, slurm: false, otherVersions: [] },
      gpus: { kind: 'none' },
    },
    ...{ base: '/home/me/.cache/braggbench', free_bytes: 1_024_000, glibc: '2.36' },
  });
});

describe('a GPU that could not be probed is reported as unknown, not as missing', () => {
  test('the listed GPUs are those that nvidia-smi prints', () => {
    expect(gpusOf({ smi: '0', pci: '2' }, ['NVIDIA H200, 143771, 9.0', 'NVIDIA H200, 143771, [N/A]'])).toEqual({
      kind: 'found',
      gpus: [
        { name: 'NVIDIA H200', memory_MiB: 143_771, computeCapability: '9.0' },
        { name: 'NVIDIA H200', memory_MiB: 143_771, computeCapability: null },
      ],
    });
  });
  test('“no GPU” is reported only if the bus was read, lists none, and no driver is loaded', () => {
    expect(gpusOf({ pci: '0', device: '0', smi: 'absent' }).kind).toBe('none');
    expect(gpusOf({ pci: 'unreadable' })).toEqual({ kind: 'unknown', reason: 'its list of devices cannot be read' });
    for (const changed of [{ pci: '1' }, { device: '1' }]) {
      expect(gpusOf(changed)).toEqual({
        kind: 'unknown',
        reason: 'the machine has an NVIDIA GPU, but nvidia-smi is not installed',
      });
    }
  });
  test('the message of a failing driver is quoted', () => {
    const says = 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.';
    expect(gpusOf({ smi: '9', pci: '1' }, [says])).toEqual({ kind: 'unknown', reason: `nvidia-smi failed: ${says}` });
    expect(gpusOf({ smi: '0' }, ['No devices were found']).kind).toBe('unknown');
    expect(gpusOf({ smi: '0' }, []).kind).toBe('unknown');
  });
});

test('a truncated, repeated or too long answer yields no facts about the machine', () => {
  const text = probeOutput();
  for (let length = 0; length < text.length - 2; length += 1) {
    expect(() => read(text.slice(0, length))).toThrow(/^box could not be probed: /);
  }
  expect(() => read(`${text}pci=0\n`)).toThrow('box could not be probed: the reply contains pci twice.');
  expect(() => read(text + ' '.repeat(65_536))).toThrow('box could not be probed: the reply is longer than 64 KiB.');
});

test('hostile values are rejected, or shown without terminal control characters', () => {
  expect(() => read(probeOutput({ base: 'relative' }))).toThrow('no usable value for base');
  expect(() => read(probeOutput({ base: '/a\u001B[2J' }))).toThrow('no usable value for base');
  expect(() => read(probeOutput({ pci: '-1' }))).toThrow('no usable value for pci');
  const { machine } = read(probeOutput({ smi: '0', node: 'a\u001B[31mb\u202Ec' }, ['\u001B]0;x\u0007 H200, 10, 9.0']));
  expect(machine.node).toBe('ab c');
  expect(machine.gpus).toEqual({
    kind: 'found',
    gpus: [{ name: ']0;x  H200', memory_MiB: 10, computeCapability: '9.0' }],
  });
  expect(plainText('\u001B[1mbold\u001B[0m\nnext')).toBe('bold next');
  expect(plainLine('one\r\ntwo.\n\n')).toBe('two');
});

test('any probe output is parsed into the schema or rejected in one sentence', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .tuple(
        fc.constantFrom(...Object.keys(completeProbe), 'gpu', 'program', '__proto__'),
        fc.string({ unit: 'binary' }),
      )
      .map(([key, value]) => `${key}=${value}`),
  );
  fc.assert(
    fc.property(fc.array(line), fc.boolean(), (lines, withWhole) => {
      try {
        const { machine } = read([...lines, withWhole ? probeOutput() : ''].join('\n'));
        expect(remoteMachineSchema.parse(machine)).toEqual(machine);
        expect(JSON.stringify(machine)).not.toMatch(/\\u00[01]|[\u202A-\u202E]/);
      } catch (error) {
        expect(error).toBeInstanceOf(BraggError);
        expect((error as BraggError).message).toMatch(/^box could not be probed: \P{Cc}*\.$/u);
      }
    }),
    { numRuns: 100 },
  );
});

test('the probe is one line that no login shell expands', () => {
  expect(PROBE_SCRIPT).not.toMatch(/[\n!]/);
});

test.each([
  '-oProxyCommand=touch /tmp/x',
  'me@-oProxyCommand=x',
  'box -v',
  'box\n-v',
  ' box',
  '',
  'box;id',
  'box$(id)',
  "box'",
  'a/b',
  'x'.repeat(201),
])('%j is rejected as a host', (host) => {
  expect(() => checkedHost(host)).toThrow(/^Host ".*" is not a valid ssh host|^Host ".*Too big/s);
});

test.each(['box', 'me@box.example', 'me@dom.example@box', '10.0.0.1', '[::1]', 'fe80::1%eth0', 'gpu_box-2'])(
  '%s is accepted as a host',
  (host) => {
    expect(checkedHost(host)).toBe(host);
  },
);

test('hosts are read from an ssh configuration, without patterns', () => {
  const text = 'Host box "gpu" *.example !no\n  HostName 10.0.0.1\nhost=login\nMatch host x\nHost -bad box\n';
  expect(hostNamesIn(text)).toEqual(['box', 'gpu', 'login']);
});
