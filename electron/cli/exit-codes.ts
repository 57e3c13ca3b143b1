/** What the command line ends with; scripts rely on it. */
export const exitCodes = {
  done: 0,
  /** Something failed that was not the input's fault. */
  failed: 1,
  /** The command line or a scenario file is at fault. */
  badInput: 2,
  /** A task on a cluster has points left, and has ended some: it is worth another go. */
  left: 75,
  /** Stopped from outside; what was computed is kept and marked. 128 + SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
