/** `braggbench gate`: compares a kernel with its own earlier version, as scripts of continuous integration use it. */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { cacheWithUserKernels, fixedScratchFolder } from '../../scratch-folder.ts';
import { braggbenchInProcess, type CommandResult, environmentWith } from './command.ts';

const folder = fixedScratchFolder('gate');
const cache = cacheWithUserKernels(folder);
const problem = ['--set', 'problem.n=4099'];

function runGit(...words: readonly string[]): void {
  const names = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...names, ...words], { cwd: folder, stdio: 'pipe' });
}

function runGate(...words: readonly string[]): Promise<CommandResult> {
  // The kernels are tiny: their compilation takes most of the test's time.
  const more = { BRAGGBENCH_CACHE: cache, CXXFLAGS: '-O0' };
  return braggbenchInProcess(words, { cwd: folder, environment: environmentWith(path.join(folder, 'home'), more) });
}

interface PrintedGate {
  readonly failed: boolean;
  readonly facts: readonly string[];
  readonly variants: readonly {
    readonly variant: string;
    readonly verdict: string;
    readonly reason: string | null;
    readonly sessions: readonly { readonly ratio: { readonly value: number } }[];
  }[];
}
const printedGate = ({ stdout }: CommandResult): PrintedGate => JSON.parse(stdout) as PrintedGate;
const kernel = path.join(folder, 'sum', 'sum.cpp');

beforeAll(async () => {
  expect((await runGate('new-kernel', 'reduction', 'sum.cpp', '--answer', 'typescript')).code).toBe(0);
  runGit('init', '--quiet');
  runGit('add', 'sum');
  runGit('commit', '--quiet', '--message', 'Add a sum');
});

test('the gate passes unchanged code, compared with a commit or with a session from the same runner', async () => {
  // Options with a limit that unchanged code never exceeds, even on a busy machine: it would have to take eleven times
  // as long.
  const generous = ['--allow', '1000%', '--time', '1', '--trust', '--json', ...problem];
  const commit = await runGate('gate', 'sum', '--baseline', 'HEAD', ...generous);
  expect(commit.code).toBe(0);
  const { failed, facts, variants } = printedGate(commit);
  expect(failed).toBe(false);
  expect(variants.map(({ variant }) => variant)).toEqual(['sum/sum.cpp']);
  expect(['not slower', 'undecided']).toContain(variants[0]?.verdict);
  expect(facts[0]).toMatch(
    /^Baseline: commit [0-9a-f]{12} \(HEAD\); scenario sum\/problem\.json in its current version\.$/,
  );
  const bench = ['bench', 'sum', '--variants', 'sum/sum.cpp', '--trust', '--time', '1', ...problem];
  expect((await runGate(...bench, '--out', 'main.json', '--force')).code).toBe(0);
  const file = await runGate('gate', 'sum', '--variants', 'sum/sum.cpp', '--baseline', 'main.json', ...generous);
  expect([file.code, printedGate(file).variants[0]?.variant]).toEqual([0, 'sum.cpp']);
  expect(printedGate(file).facts).toContain('The ratio includes drift of the machine between the sessions.');
});

test('the gate fails a wrong kernel, with a summary and JUnit XML', async () => {
  const text = await readFile(kernel, 'utf8');
  await writeFile(kernel, text.replace('= static_cast<float>(sum)', '= static_cast<float>(1.01 * sum)'));
  try {
    const files = ['--markdown', 'gate.md', '--junit', 'gate.xml', '--force'];
    const words = ['gate', 'sum', '--baseline', 'HEAD', '--time', '1', ...files, '--json', ...problem];
    const refused = await runGate(...words);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--trust')]);
    const wrong = await runGate(...words, '--trust');
    expect(wrong.code).toBe(1);
    expect(printedGate(wrong).variants[0]).toMatchObject({ variant: 'sum/sum.cpp', verdict: 'wrong' });
    expect(await readFile(path.join(folder, 'gate.xml'), 'utf8')).toContain('<failure type="wrong"');
    expect(await readFile(path.join(folder, 'gate.md'), 'utf8')).toMatch(/\| wrong: /);
    const file = await runGate(
      'gate',
      'sum',
      '--variants',
      'sum/sum.cpp',
      '--baseline',
      'main.json',
      '--time',
      '1',
      '--json',
      ...problem,
    );
    expect([file.code, printedGate(file).variants[0]?.verdict]).toEqual([1, 'wrong']);
  } finally {
    await writeFile(kernel, text);
  }
});

test('the gate explains missing arguments', async () => {
  const refusal = async (...words: readonly string[]): Promise<string> => {
    const { code, stderr } = await runGate('gate', 'sum', ...words);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await refusal()).toContain('gate needs --baseline');
  expect(await refusal('--baseline', 'nowhere')).toContain(
    'has no commit with this name; allowed: a session file of bench',
  );
  expect(await refusal('--baseline', '--output=x')).toContain('has no commit with this name');
  expect(await refusal('--baseline', 'HEAD', '--baseline', 'HEAD')).toContain(
    'one commit, or one or more session files',
  );
  expect(await refusal('--baseline', 'HEAD', '--allow', '2x')).toContain('such as 2%');
  await writeFile(path.join(folder, 'sum', 'new.cpp'), await readFile(kernel, 'utf8'));
  expect(await refusal('--baseline', 'HEAD', '--variants', 'sum/new.cpp', '--trust')).toMatch(
    /commit [0-9a-f]{9} does not contain new\.cpp/,
  );
  expect(await refusal('--baseline', 'main.json', '--variants', 'sum/new.cpp', '--trust')).toContain(
    'did not measure sum/new.cpp; allowed: sum.cpp',
  );
});
