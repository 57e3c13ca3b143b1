/** Refusals by the engine as scenario issues: with file, line, path, value and what is allowed. */
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { type Fault, formatIssue, parsePath, showValue } from '../../../contract/scenario/index.ts';
import { fromNative } from '../../io/addon/addon.ts';
import type { AnyReading } from './reading.ts';

/** The engine's messages about a value: `solver.variant = fused: needs about 10 GB`. */
const ENGINE_MESSAGE = /^([a-z][\w.]*) = (\S+): (.*)$/s;

function engineFault(message: string): Fault {
  const [, path = '', value = '', said = ''] = ENGINE_MESSAGE.exec(message) ?? [];
  const steps = parsePath(path);
  if (steps === null) return { severity: 'error', path: [], atKey: false, message, value: null, allowed: null };
  const shown = showValue(value);
  const sentence = /^[a-z]/.test(said) ? `${shown} ${said}` : `${shown}: ${said}`;
  const allowed = said.startsWith('does not offer') ? 'auto, which chooses a variant that does' : null;
  const whole = allowed === null ? sentence : `${sentence}; allowed: ${allowed}`;
  return { severity: 'error', path: steps, atKey: false, message: whole, value: shown, allowed };
}

/** The refusal at the place in the text that it is about. `error` is what the addon threw. */
export function engineIssue(reading: Pick<AnyReading, 'locate'>, error: unknown): Issue {
  return reading.locate(engineFault(fromNative(error).message));
}

/** The refusal as an error that carries its issue; other errors as they are. */
export function engineRefusal(reading: Pick<AnyReading, 'locate'>, error: unknown): BraggError {
  const thrown = fromNative(error);
  if (thrown.code === 'internal') return thrown;
  const issue = engineIssue(reading, thrown);
  return new BraggError(thrown.code, formatIssue(issue), [issue], { cause: thrown });
}
