/** Verb of the command line, such as `run`. Each verb has a file in verbs/. */
import type { FlagSpec, ParsedArguments } from './arguments.ts';
import type { Terminal } from './terminal.ts';

/** Exit codes of the command line; scripts rely on them. */
export const exitCodes = {
  done: 0,
  /** Error that the input did not cause. */
  failed: 1,
  /** Error in the command line or in a scenario file. */
  badInput: 2,
  /** A cluster task completed some points but not all, so it is useful to run it again. */
  incomplete: 75,
  /** Interrupted by the user; results so far are saved and marked. The value is 128 + SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface VerbContext {
  readonly parsed: ParsedArguments;
  /** Words of the command line after the verb, as typed. */
  readonly words: readonly string[];
  readonly terminal: Terminal;
  /** Signal that the first Ctrl+C aborts. */
  readonly signal: AbortSignal;
}

export interface Verb {
  readonly name: string;
  /** Earlier names of the verb, which are still accepted. */
  readonly aliases?: readonly string[];
  /** Usage after the program's name, such as `run SCENARIO [flags]`. */
  readonly usage: string;
  /** Line for the list of verbs. */
  readonly summary: string;
  /** Paragraphs for the help of the verb. */
  readonly details: readonly string[];
  readonly flags: readonly FlagSpec[];
  readonly examples: readonly string[];
  /** Allowed number of operands, and their name in messages. */
  readonly operands: { readonly min: number; readonly max: number; readonly name: string };
  run(context: VerbContext): Promise<ExitCode>;
}
