/** `braggbench validate`: whether scenarios can be run, with every fault at its line. */
import type { Issue } from '../../contract/errors.ts';
import { formatBytes } from '../../contract/units.ts';
import type { Host } from '../../host/index.ts';
import { engineIssue, type Reading } from '../../host/scenarios/index.ts';
import { hasFlag } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { issueLine } from '../issues.ts';
import { withHost } from '../open-host.ts';
import { overridesOf, scenarioPath } from '../scenario-file.ts';
import type { Verb } from '../verb.ts';

interface Checked {
  readonly file: string;
  readonly valid: boolean;
  readonly issues: readonly Issue[];
  readonly plan: {
    readonly variant: string;
    readonly grid: { readonly ne: number; readonly ntheta: number; readonly nz: number; readonly nx: number };
    readonly state_bytes: number;
  } | null;
}

/** The engine has the last word: it knows what each variant needs. */
function planOf(host: Host, reading: Reading): Pick<Checked, 'plan' | 'issues'> {
  try {
    const { plan } = host.addon.createTransport(host.scenarios.resolve(reading));
    const { variant, ne, ntheta, nz, nx, estimate_bytes } = plan;
    return {
      plan: { variant, grid: { ne, ntheta, nz, nx }, state_bytes: Math.ceil(estimate_bytes) },
      issues: reading.issues,
    };
  } catch (error) {
    return { plan: null, issues: [...reading.issues, engineIssue(reading, error)] };
  }
}

function check(host: Host, reading: Reading, file: string): Checked {
  if (reading.problem === null) return { file, valid: false, issues: reading.issues, plan: null };
  const found = planOf(host, reading);
  return { file, valid: found.plan !== null, ...found };
}

function verdict({ file, plan }: Checked, bold: (text: string) => string): string {
  if (plan === null) return `${bold(file)}: cannot be run`;
  const { ne, ntheta, nz, nx } = plan.grid;
  return `${bold(file)}: valid; ${ne} × ${ntheta} × ${nz} × ${nx} cells, ${formatBytes(plan.state_bytes)} with ${plan.variant}`;
}

export const validate: Verb = {
  name: 'validate',
  usage: 'validate SCENARIO… [--set path=value …] [--json]',
  summary: 'check scenarios, every fault with its line',
  details: [
    'Reads scenarios, names every fault with file, line, path, value and what is allowed, and says what the valid ones take. Exit code 2 if one of them cannot be run.',
  ],
  flags: [
    { name: 'set', value: 'path=value', repeats: true, help: 'Change a value of the scenarios first. Repeats.' },
    { name: 'json', help: 'Print one JSON document instead of text.' },
  ],
  examples: ['braggbench validate mine.yaml', 'braggbench validate scenarios/*.json --json'],
  operands: { min: 1, max: 10_000, name: 'at least one scenario' },
  run: ({ parsed, terminal }) =>
    withHost(async (host) => {
      const overrides = overridesOf(parsed);
      const all: Checked[] = [];
      for (const operand of parsed.operands) {
        const path = scenarioPath(operand);
        all.push(check(host, await host.scenarios.read(path, { overrides }), path));
      }
      if (hasFlag(parsed, 'json')) terminal.printJson({ scenarios: all });
      else {
        for (const one of all) {
          for (const issue of one.issues)
            terminal.print(issueLine(issue, (style, text) => terminal.style(style, text)));
          terminal.print(verdict(one, (text) => terminal.style('bold', text)));
        }
      }
      return all.every(({ valid }) => valid) ? exitCodes.done : exitCodes.badInput;
    }),
};
