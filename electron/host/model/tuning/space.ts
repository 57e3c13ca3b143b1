/** All configurations of a variant: its tunables crossed, where the conditions hold. */
import { BraggError } from '../../../contract/errors.ts';
import {
  type Expression,
  ExpressionError,
  holds,
  MOST_POINTS,
  parseExpression,
} from '../../../contract/study/index.ts';
import type { Configuration, Tunable } from '../../../contract/tuning/configured.ts';

export interface Space {
  readonly variant: string;
  /** The source with the constants, or the user's file. */
  readonly file: string;
  readonly tunables: readonly Tunable[];
  readonly conditions: readonly string[];
  /** As the source has them. */
  readonly usual: Configuration;
}

function parsed({ conditions, variant }: Space): readonly Expression[] {
  return conditions.map((text) => {
    try {
      return parseExpression(text);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new BraggError('invalid', `${variant}: the condition ${JSON.stringify(text)}: ${error.message}`);
    }
  });
}

/** The first condition that a configuration breaks; null where all hold. Throws BraggError `invalid` for one that cannot be decided. */
function broken(conditions: readonly Expression[], configuration: Configuration, variant: string): string | null {
  for (const condition of conditions) {
    try {
      if (!holds(condition, configuration)) return condition.text;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new BraggError('invalid', `${variant}: the condition ${JSON.stringify(condition.text)}: ${error.message}`);
    }
  }
  return null;
}

/** In the order of the values, the last tunable fastest. Throws BraggError `invalid` for conditions that are none. */
export function configurationsOf(space: Space): readonly Configuration[] {
  const { tunables, variant } = space;
  const count = tunables.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_POINTS)
    throw new BraggError('invalid', `${variant}: ${count} configurations are too many; allowed: ${MOST_POINTS}`);
  const conditions = parsed(space);
  const all: Configuration[] = [];
  for (let i = 0; i < count; i += 1) {
    let rest = i;
    const entries = tunables.toReversed().map(({ name, values }) => {
      const value = values[rest % values.length] ?? 0;
      rest = Math.floor(rest / values.length);
      return [name, value] as const;
    });
    const configuration = Object.fromEntries(entries.reverse());
    if (broken(conditions, configuration, variant) === null) all.push(configuration);
  }
  return all;
}

/** Every tunable with its value: those that are not named as the source has them. Throws BraggError `invalid` with what is allowed. */
export function completed(space: Space, given: Configuration): Configuration {
  const { tunables, usual, variant } = space;
  for (const [name, value] of Object.entries(given)) {
    const tunable = tunables.find((one) => one.name === name);
    if (tunable === undefined) {
      const names = tunables.map((one) => one.name).join(', ');
      throw new BraggError('invalid', `${variant} has no tunable ${name}; allowed: ${names === '' ? 'none' : names}`);
    }
    if (!tunable.values.includes(value))
      throw new BraggError('invalid', `${variant}: ${name} = ${value}; allowed: ${tunable.values.join(', ')}`);
  }
  const configuration = Object.fromEntries(tunables.map(({ name }) => [name, given[name] ?? usual[name] ?? 0]));
  const condition = broken(parsed(space), configuration, variant);
  if (condition !== null) throw new BraggError('invalid', `${variant}: ${condition} does not hold`);
  return configuration;
}
