/** Exit codes of the command line; scripts rely on them. */
export const exitCodes = {
  done: 0,
  /** An error not caused by the input. */
  failed: 1,
  /** An error in the command line or a scenario file. */
  badInput: 2,
  /** A task on a cluster has points left, and has ended some: it is worth another go. */
  left: 75,
  /** Interrupted; results so far are retained and marked. 128 + SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
