/**
 * `braggbench gate`: exits with code 1 if a change made a kernel slower, wrong or impossibly fast. Intended for
 * continuous integration.
 */
import path from 'node:path';
import { flagSeconds, flagValue, gpuFlag, hasFlag, jsonFlag, listFlag, setFlag, UsageError } from '../arguments.ts';
import { gateAgainstCommit } from '../gate/commit.ts';
import { gateAgainstFiles } from '../gate/files.ts';
import { gateJunit, gateMarkdown, gateTable } from '../gate/report.ts';
import { allowedSlowdown, GateCancelledError, hasFailed } from '../gate/verdict.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { isSessionFile } from '../subjects.ts';
import { userKernelFlags } from '../user-kernels.ts';
import { exitCodes, type Verb } from '../verb.ts';

const DEFAULT_SECONDS = 120;
const DEFAULT_ALLOWED = '2%';

export const gateVerb: Verb = {
  name: 'gate',
  usage: 'gate SCENARIO --baseline COMMIT|SESSION.json [--variants a,b,…] [--allow PERCENT] [--trust] [--json]',
  summary: 'fail in continuous integration if a kernel became slower or wrong',
  details: [
    'Compares variants with a baseline. A commit is best: its kernel and the current one run in the same rounds, so that drifts of the machine cancel. For user kernels, the whole folder is taken from the commit. For shipped variants, only the file that a user kernel may replace is taken, in a checkout of Braggbench.',
    'First an A/A session measures how much identical code differs on this runner. Then the variant is measured. If it looks slower, a second session with new processes must confirm it.',
    'Exits with code 1 for slower, wrong, impossible or not measured, otherwise with code 0. An undecided verdict passes, and its reason is printed. Slower means: in both sessions the whole 95 % interval is above the allowed time, and above the difference of identical code.',
    'A session file used as the baseline must come from this runner, by bench --out. Drifts of the machine since then do not cancel. With three or more files the interval includes the variation between sessions.',
  ],
  flags: [
    {
      name: 'baseline',
      value: 'COMMIT|SESSION.json',
      repeats: true,
      help: 'A commit, or sessions of this runner in order of time. Repeat the flag for several session files.',
    },
    {
      name: 'variants',
      value: 'a,b,…',
      help: "Variants to check; by default the scenario's own, or all in the baseline session.",
    },
    { name: 'allow', value: 'PERCENT', help: `Additional time that is allowed; ${DEFAULT_ALLOWED} by default.` },
    { name: 'time', value: '2m', help: `Total time of all sessions; ${DEFAULT_SECONDS} s by default.` },
    { name: 'seed', value: 'N', help: 'Seed of the random order, 1 by default.' },
    setFlag('Change a value of the scenario.'),
    { name: 'markdown', value: 'FILE', help: 'Write a Markdown summary for the build server.' },
    { name: 'junit', value: 'FILE', help: 'Write the verdicts as JUnit XML.' },
    forceFlag,
    gpuFlag,
    ...userKernelFlags,
    jsonFlag,
  ],
  examples: [
    'braggbench gate sum --baseline origin/main --trust --junit gate.xml',
    'braggbench gate uniform-grid-70MeV --variants gather --baseline HEAD~1 --trust',
    'braggbench gate water-70MeV --baseline main.session.json --allow 5%',
  ],
  operands: { min: 1, max: 1, name: 'a scenario' },
  run: async (context) => {
    const { parsed, terminal } = context;
    const baselines = parsed.flags.get('baseline') ?? [];
    const [first] = baselines;
    if (first === undefined) throw new UsageError('gate needs --baseline: a commit, or a session of bench');
    const files = baselines.every(isSessionFile);
    if (!files && baselines.length > 1)
      throw new UsageError(
        '--baseline: a commit was given with other values; allowed: one commit, or one or more session files',
      );
    const outputs = ['markdown', 'junit'].flatMap((name) => flagValue(parsed, name) ?? []);
    for (const file of outputs) await checkOutput(parsed, file);
    const request = {
      allowed: allowedSlowdown(flagValue(parsed, 'allow') ?? DEFAULT_ALLOWED),
      seconds: flagSeconds(parsed, 'time', 86_400) ?? DEFAULT_SECONDS,
      variants: listFlag(parsed, 'variants'),
    };
    const began = performance.now();
    try {
      const { variants, facts } = files
        ? await gateAgainstFiles(context, baselines, request)
        : await gateAgainstCommit(context, first, request);
      const report = {
        scenario: path.basename(parsed.operands[0] ?? ''),
        baseline: baselines.map((one) => (files ? path.basename(one) : one)).join(', '),
        allowed: request.allowed,
        ...{ variants, facts, elapsed_s: (performance.now() - began) / 1000 },
      };
      const [markdown, junit] = [flagValue(parsed, 'markdown'), flagValue(parsed, 'junit')];
      if (markdown !== undefined) await writeOutput(parsed, markdown, gateMarkdown(report));
      if (junit !== undefined) await writeOutput(parsed, junit, gateJunit(report));
      const failed = hasFailed(variants);
      if (hasFlag(parsed, 'json')) terminal.printJson({ failed, ...report });
      else for (const line of gateTable(report, (style, text) => terminal.style(style, text))) terminal.print(line);
      return failed ? exitCodes.failed : exitCodes.done;
    } catch (error) {
      if (error instanceof GateCancelledError) return exitCodes.interrupted;
      throw error;
    }
  },
};
