/** Help as it is printed. */
import { withHelp } from './arguments.ts';
import { pairs, wrap } from './table.ts';
import type { Verb } from './verb.ts';

const width = 88;

/** Verbs with one purpose, under a heading. */
export interface VerbGroup {
  readonly title: string;
  readonly verbs: readonly Verb[];
}

export function programHelp(groups: readonly VerbGroup[], version: string): readonly string[] {
  const widest = Math.max(...groups.flatMap(({ verbs }) => verbs.map(({ name }) => name.length)));
  const list = groups.flatMap(({ title, verbs }) => [
    `${title}:`,
    ...pairs(verbs.map(({ name, summary }) => [name.padEnd(widest), summary] as const)),
    '',
  ]);
  return [
    `braggbench ${version}: deterministic proton transport, and which kernel does it fastest.`,
    '',
    'Usage: braggbench VERB [arguments]',
    '',
    ...list,
    'braggbench VERB --help shows its flags. SCENARIO is a JSON or YAML file, or the name of an',
    'example, such as water-70MeV; braggbench examples lists them.',
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
