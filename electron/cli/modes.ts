/** `--modes warm,cold,graph` of every workload's benchmark. */
import { type Mode, modes } from '../contract/bench/bench-session.ts';
import { flagValue, type ParsedArguments, UsageError } from './arguments.ts';

/** Warm alone where the flag is not given. Throws a UsageError that says what is allowed. */
export function modesOf(parsed: ParsedArguments): readonly Mode[] {
  return (flagValue(parsed, 'modes') ?? 'warm').split(',').map((given) => {
    const mode = modes.find((one) => one === given.trim());
    if (mode === undefined) throw new UsageError(`--modes: ${given.trim()} is not known; allowed: ${modes.join(', ')}`);
    return mode;
  });
}
