/** Help as it is printed. */
import { withHelp } from './arguments.ts';
import { pairs, wrap } from './table.ts';
import type { Verb } from './verb.ts';

const width = 88;

export function programHelp(verbs: readonly Verb[], version: string): readonly string[] {
  return [
    `braggbench ${version}: deterministic proton transport, and which kernel does it fastest.`,
    '',
    'Usage: braggbench VERB [arguments]',
    '',
    ...pairs(verbs.map(({ name, summary }) => [name, summary] as const)),
    '',
    'braggbench VERB --help tells more. SCENARIO is a JSON or YAML file, or the name of one',
    'that comes with the program, such as water-70MeV.',
    'Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted.',
  ];
}

export function verbHelp(verb: Verb): readonly string[] {
  const flags = withHelp(verb.flags).map(({ name, short, value, help }) => {
    const words = `${short === undefined || short === 'h' ? '' : `-${short}, `}--${name}`;
    return [value === undefined ? words : `${words} ${value}`, help] as const;
  });
  return [
    `Usage: braggbench ${verb.usage}`,
    '',
    ...verb.details.flatMap((paragraph) => [...wrap(paragraph, width), '']),
    ...pairs(flags),
    ...(verb.examples.length === 0 ? [] : ['', 'Examples:', ...verb.examples.map((example) => `  ${example}`)]),
  ];
}
