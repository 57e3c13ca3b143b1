/**
 * Probe of another machine: system, GPUs, free space. Any value may be missing, which does not mean that it is zero.
 */
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import {
  type RemoteGpus,
  type RemoteMachine,
  remoteGpusSchema,
  remoteMachineSchema,
} from '../../../contract/remote.ts';
import { plainText } from './ssh.ts';

/**
 * Script that prints lines of the form `name=value`, the last of which is `end=1`. It is one line of sh without `!`,
 * which csh would expand.
 */
export const PROBE_SCRIPT = [
  'say() { printf "%s=%s\\n" "$1" "$2"; }',
  'say system "$(uname -s)"',
  'say machine "$(uname -m)"',
  'say node "$(uname -n)"',
  'say libc "$(getconf GNU_LIBC_VERSION 2>/dev/null)"',
  'say cores "$(getconf _NPROCESSORS_ONLN 2>/dev/null)"',
  `base=\${XDG_CACHE_HOME:-$HOME/.cache}/braggbench`,
  'mkdir -p "$base" 2>/dev/null',
  'say base "$base"',
  'say free_KiB "$(df -Pk "$base" 2>/dev/null | awk \'NR==2{print $4}\')"',
  `for p in "$base"/programs/*/braggbench; do if [ -x "$p" ]; then p=\${p%/braggbench}; say program "\${p##*/}"; fi; done`,
  'if command -v sbatch >/dev/null 2>&1; then say sbatch 1; else say sbatch 0; fi',
  'if [ -e /dev/dxg ]; then say pci unreadable; elif [ -r /sys/bus/pci/devices ]; then n=0; for d in /sys/bus/pci/devices/*; do if [ "$(cat "$d/vendor" 2>/dev/null)" = 0x10de ]; then case "$(cat "$d/class" 2>/dev/null)" in 0x03*) n=$((n+1));; esac; fi; done; say pci $n; else say pci unreadable; fi',
  'if [ -e /dev/nvidiactl ]; then say device 1; else say device 0; fi',
  'if command -v nvidia-smi >/dev/null 2>&1; then o=$(nvidia-smi --query-gpu=name,memory.total,compute_cap --format=csv,noheader,nounits 2>&1); say smi $?; printf "%s\\n" "$o" | head -n 64 | sed "s/^/gpu=/"; else say smi absent; fi',
  'say end 1',
].join('; ');

const MAX_BYTES = 64 * 1024;
const name = z.string().regex(/^[\w.+-]{1,60}$/);
const integerSchema = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

const answersSchema = z.object({
  end: z.literal('1'),
  system: name,
  machine: name,
  node: z.string().max(255),
  libc: z.string().max(60),
  /** Absolute path without control characters, so that it can be quoted as a single shell word. */
  base: z.string().regex(/^\/[^\p{Cc}]{0,500}$/u),
  cores: integerSchema.or(z.literal('').transform(() => null)),
  free_KiB: integerSchema.or(z.literal('').transform(() => null)),
  sbatch: z.enum(['0', '1']),
  pci: z.literal('unreadable').or(integerSchema),
  device: z.enum(['0', '1']),
  smi: z.literal('absent').or(integerSchema),
});

export interface ProbeResult {
  readonly machine: RemoteMachine;
  /** Folder on the remote machine for the files of this program. */
  readonly base: string;
  /** Null if `df` does not report the free space. */
  readonly free_bytes: number | null;
  /** Version of glibc. Null for another C library. */
  readonly glibc: string | null;
}

const PROCESSORS: Readonly<Record<string, string>> = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64', arm64: 'arm64' };

/**
 * Reads the GPUs from the output. `found` requires complete lines of nvidia-smi. `none` requires that the list of PCI
 * devices was readable and contains no GPU.
 */
function gpusOf(answers: z.infer<typeof answersSchema>, lines: readonly string[]): RemoteGpus {
  const { smi, pci, device } = answers;
  if (smi === 0) {
    const gpus = lines.map((line) => {
      const [title = '', memory = '', capability = ''] = line.split(',').map((cell) => plainText(cell, 100));
      return {
        name: title,
        memory_MiB: /^\d{1,9}$/.test(memory) ? Number(memory) : null,
        computeCapability: /^\d{1,2}\.\d$/.test(capability) ? capability : null,
      };
    });
    const read = remoteGpusSchema.safeParse({ kind: 'found', gpus });
    const whole = gpus.every((gpu) => gpu.name !== '' && gpu.memory_MiB !== null);
    if (read.success && whole) return read.data;
    return { kind: 'unknown', reason: `nvidia-smi printed no list of GPUs: ${plainText(lines.join(' '), 200)}` };
  }
  if (smi !== 'absent') {
    return { kind: 'unknown', reason: `nvidia-smi failed: ${plainText(lines.join(' '), 200) || `exit code ${smi}`}` };
  }
  if (pci === 0 && device === '0') return { kind: 'none' };
  if (pci === 'unreadable') return { kind: 'unknown', reason: 'its list of devices cannot be read' };
  return { kind: 'unknown', reason: 'the machine has an NVIDIA GPU, but nvidia-smi is not installed' };
}

/**
 * Reads the output of the probe. Throws BraggError with one sentence if it is incomplete, because then nothing is known
 * about the machine.
 */
export function readProbe(host: string, output: string, own: string): ProbeResult {
  const refuse = (why: string): BraggError =>
    new BraggError('unsupported', `${host} could not be probed: ${plainText(why)}.`);
  if (output.length > MAX_BYTES) throw refuse(`the reply is longer than ${MAX_BYTES / 1024} KiB`);
  const values: Record<string, string> = Object.create(null);
  const [gpuLines, programs]: [string[], string[]] = [[], []];
  for (const line of output.split(/\r?\n/)) {
    const at = line.indexOf('=');
    if (at < 1) continue;
    const [key, value] = [line.slice(0, at), line.slice(at + 1).trim()];
    if (key === 'gpu') gpuLines.push(value);
    else if (key === 'program') programs.push(value);
    else if (key in values) throw refuse(`the reply contains ${plainText(key, 40)} twice`);
    else values[key] = value;
  }
  const read = answersSchema.safeParse(values);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw refuse(`the reply has no usable value for ${String(issue?.path[0] ?? 'anything')}`);
  }
  const answers = read.data;
  const processor = PROCESSORS[answers.machine.toLowerCase()] ?? answers.machine;
  const machine = remoteMachineSchema.parse({
    node: plainText(answers.node, 100),
    platform: `${answers.system.toLowerCase()}-${processor}`.slice(0, 60),
    cores: answers.cores === 0 || (answers.cores ?? 0) > 100_000 ? null : answers.cores,
    gpus: gpusOf(answers, gpuLines),
    slurm: answers.sbatch === '1',
    otherVersions: programs
      .map((text) => plainText(text, 60))
      .filter((text) => text !== '' && text !== own)
      .slice(0, 20),
  });
  const glibc = /^glibc (\d+\.\d+)/.exec(answers.libc)?.[1] ?? null;
  const free_bytes = answers.free_KiB === null ? null : 1024 * answers.free_KiB;
  return { machine, base: answers.base, free_bytes, glibc };
}
