/** `braggbench validate`: checks whether scenarios can run, and reports all errors with their lines. */
import type { Issue } from '../../contract/errors.ts';
import { formatBytes } from '../../domain/values/units.ts';
import { engineIssue, hostWorkloads, type ResourceNeeds, type ScenarioReading } from '../../host/api/scenarios.ts';
import type { Host } from '../../host/index.ts';
import { hasFlag, jsonFlag, setFlag } from '../arguments.ts';
import { issueLine, parseOverrides, scenarioPath } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import { exitCodes, type Verb } from '../verb.ts';

interface CheckedScenario {
  readonly file: string;
  readonly valid: boolean;
  readonly issues: readonly Issue[];
  readonly plan: Readonly<Record<string, unknown>> | null;
  /** Text on problem size, memory and expected time; null if the scenario cannot run. */
  readonly takes: string | null;
}

const units = [
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
  [1e-3, 'ms'],
] as const;

/** Formats an expected time with one significant digit, and the machine on which it was measured. */
function timeText({ seconds, elsewhere }: NonNullable<ResourceNeeds['expected']>): string {
  const [unit_s, name] = units.find(([each_s]) => seconds >= each_s) ?? units[3];
  const about = `about ${Number((seconds / unit_s).toPrecision(1))} ${name}`;
  return elsewhere === null ? about : `${about} on ${elsewhere}`;
}

/** Checks a scenario. The engine makes the final check, because it knows the requirements of each variant. */
async function checkScenario(host: Host, reading: ScenarioReading, file: string): Promise<CheckedScenario> {
  const { issues } = reading;
  const refused = { file, valid: false, plan: null, takes: null } as const;
  if (reading.kind === null || reading.problem === null) return { ...refused, issues };
  try {
    const { variant, precision, size, sizes, ...need } = await hostWorkloads[reading.kind].needs(host.addon, reading);
    const state_bytes = Math.ceil(need.state_bytes);
    const memory_bytes = Math.ceil(need.memory_bytes ?? state_bytes);
    const { expected, pictures_bytes = 0 } = need;
    const time = expected === undefined ? '' : `, ${timeText(expected)}`;
    const pictures = pictures_bytes === 0 ? '' : ` and ${formatBytes(pictures_bytes)} of keyframes`;
    const takes = `${size}, ${formatBytes(memory_bytes)} with ${variant}${pictures}${time}`;
    const expected_s = expected === undefined ? {} : { expected_s: expected.seconds };
    return {
      file,
      valid: true,
      issues,
      plan: { variant, precision, ...sizes, state_bytes, memory_bytes, pictures_bytes, ...expected_s },
      takes,
    };
  } catch (error) {
    return { ...refused, issues: [...issues, engineIssue(reading, error)] };
  }
}

function formatVerdict({ file, takes }: CheckedScenario, bold: (text: string) => string): string {
  return takes === null ? `${bold(file)}: cannot be run` : `${bold(file)}: valid; needs ${takes}`;
}

export const validate: Verb = {
  name: 'validate',
  usage: 'validate SCENARIO… [--set path=value …] [--json]',
  summary: 'check scenarios, and print every issue with its line',
  details: [
    'Reads scenarios, prints every issue with file, line, path, value and what is allowed, and shows memory and time of the valid ones. Exit code 2 if one of them cannot be run.',
  ],
  flags: [setFlag('Change a value in all scenarios before they are checked.'), jsonFlag],
  examples: ['braggbench validate mine.yaml', 'braggbench validate scenarios/*.json --json'],
  operands: { min: 1, max: 10_000, name: 'at least one scenario' },
  run: ({ parsed, terminal }) =>
    withHost(async (host) => {
      const overrides = parseOverrides(parsed);
      const all: CheckedScenario[] = [];
      for (const operand of parsed.operands) {
        const path = scenarioPath(operand);
        all.push(await checkScenario(host, await host.scenarios.read(path, { overrides }), path));
      }
      if (hasFlag(parsed, 'json'))
        terminal.printJson({ scenarios: all.map(({ takes: _takes, ...document }) => document) });
      else {
        for (const one of all) {
          for (const issue of one.issues)
            terminal.print(issueLine(issue, (style, text) => terminal.style(style, text)));
          terminal.print(formatVerdict(one, (text) => terminal.style('bold', text)));
        }
      }
      return all.every(({ valid }) => valid) ? exitCodes.done : exitCodes.badInput;
    }),
};
