/** A verb of the command line. Each has one file in verbs/. */
import type { FlagSpec, ParsedArguments } from './arguments.ts';
import type { Terminal } from './terminal.ts';

/** Exit codes of the command line; scripts rely on them. */
export const exitCodes = {
  done: 0,
  /** An error not caused by the input. */
  failed: 1,
  /** An error in the command line or a scenario file. */
  badInput: 2,
  /** A cluster task has points left but completed some: it is worth running again. */
  left: 75,
  /** Interrupted; results so far are retained and marked. 128 + SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface VerbContext {
  readonly parsed: ParsedArguments;
  /** Arguments after the verb, as typed. */
  readonly words: readonly string[];
  readonly terminal: Terminal;
  /** Aborted by the first Ctrl+C. */
  readonly signal: AbortSignal;
}

export interface Verb {
  readonly name: string;
  /** Earlier names, which still work. */
  readonly aliases?: readonly string[];
  /** Text after the program's name: `run SCENARIO [flags]`. */
  readonly usage: string;
  /** One line for the list of verbs. */
  readonly summary: string;
  /** Paragraphs of the verb's own help. */
  readonly details: readonly string[];
  readonly flags: readonly FlagSpec[];
  readonly examples: readonly string[];
  /** Allowed number of operands. */
  readonly operands: { readonly min: number; readonly max: number; readonly name: string };
  run(context: VerbContext): Promise<ExitCode>;
}
