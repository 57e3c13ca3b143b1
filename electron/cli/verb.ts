/** What a verb of the command line is. One file per verb stands in verbs/. */
import type { FlagSpec, ParsedArguments } from './arguments.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

export interface VerbContext {
  readonly parsed: ParsedArguments;
  /** What followed the verb, as typed. */
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
  /** How many operands it takes. */
  readonly operands: { readonly min: number; readonly max: number; readonly name: string };
  run(context: VerbContext): Promise<ExitCode>;
}
