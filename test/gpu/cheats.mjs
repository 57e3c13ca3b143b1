/**
 * Cheats on a GPU and their honest twins, through the command line: every cheat ends as wrong, impossible or refused, with
 * the reason, and every twin as correct. The kernels are those of test/cheats/kernels. Needs NVRTC.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const kernels = path.join(root, 'test/cheats/kernels');
const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-cheats-'));
const N = 65_536;

/** x = x / 2 + b, 4,096 times, from a. */
const HALVED =
  'export const expected = (a, b) => a.map((x, i) => { for (let k = 0; k < 4096; k += 1) x = x * 0.5 + b[i]; return x; });\n';

/** @param {string} file */
const answerOf = (file) => (file === 'gpu-remembers-by-content.cu' ? HALVED : null);

/**
 * @param {string} file
 * @param {'cheat' | 'twin'} which
 */
function make(file, which) {
  const name = `${which}-${file}`;
  const text = readFileSync(path.join(kernels, file), 'utf8');
  writeFileSync(path.join(folder, name), which === 'cheat' ? `#define CHEAT 1\n${text}` : text);
  const answer = answerOf(file);
  if (answer !== null) writeFileSync(path.join(folder, 'answer.ts'), answer);
  const description = {
    ...{ kind: 'variant', version: 1, workload: 'micro', bench: 'own', base: 'own-cuda', title: name },
    replaces: 'kernels/micro/own/own.cu',
    ...(answer === null ? {} : { answer: 'answer.ts' }),
  };
  writeFileSync(path.join(folder, name.replace('.cu', '.json')), JSON.stringify(description));
  return `./${name}`;
}

/** @param {string} file */
function judge(file) {
  const problem = { kind: 'own', n: N, results: N, tolerance: 1e-6 };
  writeFileSync(
    path.join(folder, 'problem-of.json'),
    JSON.stringify({ kind: 'micro', version: 1, name: file, problem }),
  );
  const variants = [make(file, 'twin'), make(file, 'cheat')].join(',');
  const words = [
    'bench',
    'problem-of.json',
    '--variants',
    variants,
    '--trust',
    '--rounds',
    '12',
    '--processes',
    '0',
    '--json',
  ];
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'dist/host/cli.js'), ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, BRAGGBENCH_HOME: path.join(folder, 'home') },
  });
  /** @type {{ readonly entries: readonly { readonly label: string, readonly status: string, readonly reason?: string, readonly accuracy?: readonly { readonly holds: boolean, readonly tip: string }[] }[] }} */
  const { entries } = JSON.parse(stdout || '{"entries":[]}');
  /** @param {string} which */
  const of = (which) => {
    const entry = entries.find(({ label }) => label.includes(`${which}-${file}`));
    if (entry === undefined) return { correct: false, reason: stderr.trim() };
    if (entry.status === 'refused') return { correct: false, reason: entry.reason ?? '' };
    const failed = (entry.accuracy ?? []).filter(({ holds }) => !holds);
    return { correct: failed.length === 0, reason: failed.map(({ tip }) => tip).join('; ') };
  };
  return { cheat: of('cheat'), twin: of('twin') };
}

let [passed, failed] = [0, 0];
for (const file of readdirSync(kernels)
  .filter((name) => name.endsWith('.cu'))
  .sort()) {
  const { cheat, twin } = judge(file);
  const holds = !cheat.correct && cheat.reason !== '' && twin.correct;
  if (holds) passed += 1;
  else failed += 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'} cheat ${file}: ${cheat.correct ? 'passes' : cheat.reason}`);
  if (!twin.correct) console.log(`     its honest twin is accused: ${twin.reason}`);
}
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
