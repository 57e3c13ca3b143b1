/** A verb of the command line. Each has one file in verbs/. */
import type { FlagSpec, ParsedArguments } from './arguments.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

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
  /** After the program's name: `run SCENARIO [flags]`. */
  readonly usage: string;
  /** One line for the list of verbs. */
  readonly summary: string;
  /** Paragraphs for the verb's own help. */
  readonly details: readonly string[];
  readonly flags: readonly FlagSpec[];
  readonly examples: readonly string[];
  /** Allowed number of operands. */
  readonly operands: { readonly min: number; readonly max: number; readonly name: string };
  run(context: VerbContext): Promise<ExitCode>;
}
