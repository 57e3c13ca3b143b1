/** A GPU box that the window works on: reached by the user's own `ssh`, found out about, and given this program. */
import { z } from 'zod';

/**
 * A host as `ssh` takes it, entries of its configuration included. Neither user nor host begins with a dash, and there is
 * no blank: it is never read as an option, here or by a ProxyCommand.
 */
export const sshHostSchema = z
  .string()
  .max(200)
  .regex(
    /^(?:[\p{L}\p{N}_][\p{L}\p{N}_.@-]*@)?[\p{L}\p{N}_[][\p{L}\p{N}_.:[\]%-]*$/u,
    'is not what ssh takes for a host: name, or user@name',
  );

/** Text of another machine: bounded, without control characters and without what turns the direction of text. */
const theirText = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\p{Cc}\u202A-\u202E\u2066-\u2069]*$/u, 'holds a control character');

const gpuSchema = z.strictObject({
  name: theirText(100),
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
  z.strictObject({ kind: z.literal('unknown'), reason: theirText(300) }),
]);
export type RemoteGpus = Readonly<z.infer<typeof remoteGpusSchema>>;

export const remoteMachineSchema = z.strictObject({
  /** Its own name. */
  node: theirText(100),
  /** Such as `linux-x64`. */
  platform: theirText(60),
  cores: z.number().int().positive().max(100_000).nullable(),
  gpus: remoteGpusSchema,
  /** Slurm's `sbatch` is there. */
  slurm: z.boolean(),
  /** Versions of this program that are there and differ from this one. */
  otherVersions: z.array(theirText(60)).max(20),
});
export type RemoteMachine = Readonly<z.infer<typeof remoteMachineSchema>>;

const remoteStateSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('connecting') }),
  /** ssh asks for a password, a code or whether to trust a host key. `secret`: the answer is not shown. */
  z.strictObject({ kind: z.literal('asks'), prompt: z.string().max(2000), secret: z.boolean() }),
  z.strictObject({ kind: z.literal('copying'), done_bytes: z.number(), total_bytes: z.number() }),
  z.strictObject({ kind: z.literal('starting') }),
  /** A login node without a GPU: nothing is started there unless the user wants it. */
  z.strictObject({ kind: z.literal('login-node') }),
  /** The workbench of that machine is at this address. */
  z.strictObject({ kind: z.literal('open'), url: z.string().max(300) }),
  /** The line is lost; it is dialled again. */
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

const nothing = z.strictObject({});
const one = z.strictObject({ id: z.int().nonnegative() });

export const remoteMethods = {
  /** Hosts that the user's ssh configuration names, without patterns. */
  'remote.hosts': { params: nothing, result: z.strictObject({ hosts: z.array(sshHostSchema).max(200) }) },
  /** Returns at once; the stream `remotes` reports the rest. A host that is connected already is the same connection. */
  'remote.connect': {
    params: z.strictObject({
      host: sshHostSchema,
      /** On a login node without a GPU too. */
      anyway: z.boolean().default(false),
    }),
    result: one,
  },
  /** The answer to what ssh asks; null gives up. It is passed on and not saved. */
  'remote.answer': {
    params: z.strictObject({ ...one.shape, answer: z.string().max(1000).nullable() }),
    result: nothing,
  },
  /** Ends the tunnel. What computes there goes on. */
  'remote.close': { params: one, result: nothing },
  /** Answers at once: the page measures the delay to its host by it. */
  'host.ping': { params: nothing, result: nothing },
} as const;

export const remoteStreams = {
  remotes: {
    params: nothing,
    frame: z.strictObject({ remotes: z.array(remoteSchema) }),
    policy: 'latest',
  },
} as const;
