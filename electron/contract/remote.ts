/**
 * Remote GPU machine that the window works on: connected by the user's own `ssh`, probed, and supplied with this
 * program.
 */
import { z } from 'zod';

/**
 * Host argument for `ssh`, including entries of its configuration. Neither user nor host begins with a dash, and there
 * are no blanks. So it is never parsed as an option, neither by `ssh` nor by a ProxyCommand.
 */
export const sshHostSchema = z
  .string()
  .max(200)
  .regex(
    /^(?:[\p{L}\p{N}_][\p{L}\p{N}_.@-]*@)?[\p{L}\p{N}_[][\p{L}\p{N}_.:[\]%-]*$/u,
    'is not a valid ssh host: name, or user@name',
  );

/** Text from another machine: bounded, without control characters or characters that change the text direction. */
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

/** `unknown` is not `none`: if a driver fails or a machine cannot be queried, its GPUs are unknown. */
export const remoteGpusSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('found'), gpus: z.array(gpuSchema).min(1).max(64) }),
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('unknown'), reason: remoteText(300) }),
]);
export type RemoteGpus = Readonly<z.infer<typeof remoteGpusSchema>>;

export const remoteMachineSchema = z.strictObject({
  /** Name that the machine reports for itself. */
  node: remoteText(100),
  /** Platform such as `linux-x64`. */
  platform: remoteText(60),
  cores: z.number().int().positive().max(100_000).nullable(),
  gpus: remoteGpusSchema,
  /** Whether Slurm's `sbatch` is installed. */
  slurm: z.boolean(),
  /** Installed versions of this program that differ from this one. */
  otherVersions: z.array(remoteText(60)).max(20),
});
export type RemoteMachine = Readonly<z.infer<typeof remoteMachineSchema>>;

const remoteStateSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('connecting') }),
  /** ssh requests a password, a code or confirmation of a host key. `secret`: the input is not shown. */
  z.strictObject({ kind: z.literal('asks'), prompt: z.string().max(2000), secret: z.boolean() }),
  z.strictObject({ kind: z.literal('copying'), done_bytes: z.number(), total_bytes: z.number() }),
  z.strictObject({ kind: z.literal('starting') }),
  /** The host is a login node without a GPU: nothing is started on it unless the user confirms. */
  z.strictObject({ kind: z.literal('login-node') }),
  /** The workbench of the remote machine is available at this address. */
  z.strictObject({ kind: z.literal('open'), url: z.string().max(300) }),
  /** The connection was lost and is being re-established. */
  z.strictObject({ kind: z.literal('lost'), reason: z.string().max(1000) }),
  z.strictObject({ kind: z.literal('failed'), reason: z.string().max(1000) }),
]);
export type RemoteState = Readonly<z.infer<typeof remoteStateSchema>>;

const remoteSchema = z.strictObject({
  id: z.int().nonnegative(),
  host: sshHostSchema,
  state: remoteStateSchema,
  /** Null if not yet probed. */
  machine: remoteMachineSchema.nullable(),
});
export type Remote = Readonly<z.infer<typeof remoteSchema>>;

const emptyRequestSchema = z.strictObject({});
const remoteRequestSchema = z.strictObject({ id: z.int().nonnegative() });

export const remoteMethods = {
  /** Hosts named in the user's ssh configuration, without patterns. */
  'remote.hosts': { params: emptyRequestSchema, result: z.strictObject({ hosts: z.array(sshHostSchema).max(200) }) },
  /**
   * Returns at once; the stream `remotes` reports progress. For a host that is already connected, that connection is
   * used.
   */
  'remote.connect': {
    params: z.strictObject({
      host: sshHostSchema,
      /** Whether to connect even to a login node without a GPU. */
      anyway: z.boolean().default(false),
    }),
    result: remoteRequestSchema,
  },
  /** Input for ssh's prompt; null cancels. It is passed on and not saved. */
  'remote.answer': {
    params: z.strictObject({ ...remoteRequestSchema.shape, answer: z.string().max(1000).nullable() }),
    result: emptyRequestSchema,
  },
  /** Closes the tunnel. Computations on the remote machine continue. */
  'remote.close': { params: remoteRequestSchema, result: emptyRequestSchema },
  /** Returns at once: the page uses it to measure the latency of its host. */
  'host.ping': { params: emptyRequestSchema, result: emptyRequestSchema },
} as const;

export const remoteStreams = {
  remotes: {
    params: emptyRequestSchema,
    frame: z.strictObject({ remotes: z.array(remoteSchema) }),
    policy: 'latest',
  },
} as const;
