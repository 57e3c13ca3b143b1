/**
 * Remote GPU machines that the window can work on. The user's own `ssh` connects to them; the host then probes the
 * machine and installs this program.
 */
import { z } from 'zod';

/**
 * Host argument for `ssh`, which may be an entry of its configuration. User and host cannot begin with a dash or
 * contain blanks. So neither `ssh` nor a ProxyCommand can parse them as an option.
 */
export const sshHostSchema = z
  .string()
  .max(200)
  .regex(
    /^(?:[\p{L}\p{N}_][\p{L}\p{N}_.@-]*@)?[\p{L}\p{N}_[][\p{L}\p{N}_.:[\]%-]*$/u,
    'is not a valid ssh host: name, or user@name',
  );

/**
 * Text sent by another machine, of limited length. Control characters and characters that change the text direction are
 * not allowed.
 */
const remoteText = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\p{Cc}\u202A-\u202E\u2066-\u2069]*$/u, 'contains a control character');

const gpuSchema = z.strictObject({
  name: remoteText(100),
  memory_MiB: z.number().int().nonnegative().nullable(),
  computeCapability: z
    .string()
    .regex(/^\d{1,2}\.\d$/)
    .nullable(),
});

/** GPUs of the machine. They are `unknown`, not `none`, if the driver fails or the machine cannot be queried. */
export const remoteGpusSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('found'), gpus: z.array(gpuSchema).min(1).max(64) }),
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('unknown'), reason: remoteText(300) }),
]);
export type RemoteGpus = Readonly<z.infer<typeof remoteGpusSchema>>;

export const remoteMachineSchema = z.strictObject({
  /** Host name that the machine reports. */
  node: remoteText(100),
  /** Platform such as `linux-x64`. */
  platform: remoteText(60),
  cores: z.number().int().positive().max(100_000).nullable(),
  gpus: remoteGpusSchema,
  /** Whether Slurm's `sbatch` is installed. */
  slurm: z.boolean(),
  /** Installed versions of this program other than the local one. */
  otherVersions: z.array(remoteText(60)).max(20),
});
export type RemoteMachine = Readonly<z.infer<typeof remoteMachineSchema>>;

const remoteStateSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('connecting') }),
  /** ssh asks for a password, a code, or confirmation of a host key. `secret`: the input must not be shown. */
  z.strictObject({ kind: z.literal('asks'), prompt: z.string().max(2000), secret: z.boolean() }),
  z.strictObject({ kind: z.literal('copying'), done_bytes: z.number(), total_bytes: z.number() }),
  z.strictObject({ kind: z.literal('starting') }),
  /** The host is a login node without a GPU. Nothing is started on it without the user's confirmation. */
  z.strictObject({ kind: z.literal('login-node') }),
  /** The program on the remote machine serves its page at this URL. */
  z.strictObject({ kind: z.literal('open'), url: z.string().max(300) }),
  /** The connection was lost; the host is trying to restore it. */
  z.strictObject({ kind: z.literal('lost'), reason: z.string().max(1000) }),
  z.strictObject({ kind: z.literal('failed'), reason: z.string().max(1000) }),
]);
export type RemoteState = Readonly<z.infer<typeof remoteStateSchema>>;

const remoteSchema = z.strictObject({
  id: z.int().nonnegative(),
  host: sshHostSchema,
  state: remoteStateSchema,
  /** Properties of the machine; null until it is probed. */
  machine: remoteMachineSchema.nullable(),
});
export type Remote = Readonly<z.infer<typeof remoteSchema>>;

const emptyRequestSchema = z.strictObject({});
const remoteRequestSchema = z.strictObject({ id: z.int().nonnegative() });

export const remoteMethods = {
  /** Lists the hosts in the user's ssh configuration, except for patterns. */
  'remote.hosts': { params: emptyRequestSchema, result: z.strictObject({ hosts: z.array(sshHostSchema).max(200) }) },
  /**
   * Starts a connection and returns at once; the stream `remotes` reports the progress. An existing connection to the
   * host is reused.
   */
  'remote.connect': {
    params: z.strictObject({
      host: sshHostSchema,
      /** Whether to start the program even on a login node without a GPU. */
      anyway: z.boolean().default(false),
    }),
    result: remoteRequestSchema,
  },
  /** Answers a prompt of ssh; null cancels it. The answer is passed to ssh and never stored. */
  'remote.answer': {
    params: z.strictObject({ ...remoteRequestSchema.shape, answer: z.string().max(1000).nullable() }),
    result: emptyRequestSchema,
  },
  /** Closes the tunnel. Computations on the remote machine continue. */
  'remote.close': { params: remoteRequestSchema, result: emptyRequestSchema },
  /** Does nothing; the page measures the latency of its host with it. */
  'host.ping': { params: emptyRequestSchema, result: emptyRequestSchema },
} as const;

export const remoteStreams = {
  remotes: {
    params: emptyRequestSchema,
    frame: z.strictObject({ remotes: z.array(remoteSchema) }),
    policy: 'latest',
  },
} as const;
