/**
 * Cheats on a GPU and their honest twins, through the command line. Every cheat must end as wrong, impossible or
 * refused, with the reason, and every twin as correct. The kernels are those of test/cheats/kernels; one file may have
 * several attacks, by the value of CHEAT. `--repeats N` tries each N times. Needs NVRTC.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parsePositiveInteger } from '../../electron/build/bench/command-line.mjs';

const { values } = parseArgs({ options: { repeats: { type: 'string', default: '1' } } });
const repeats = parsePositiveInteger('repeats', values.repeats);

const root = path.resolve(import.meta.dirname, '../..');
const kernels = path.join(root, 'test/cheats/kernels');
const scratch = mkdtempSync(path.join(tmpdir(), 'braggbench-cheats-'));
const N = 65_536;

/** Expected answers in JavaScript: a sum, or x = x / 2 + b, 4,096 times, starting from a. */
const ADDED = 'a.map((x, i) => x + b[i])';
const HALVED = 'a.map((x, i) => { for (let k = 0; k < 4096; k += 1) x = x * 0.5 + b[i]; return x; })';

/** @param {string} name */
const input = (name) => ({
  ...{ name, role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'uniform', min: -1, max: 1 } },
});

/** Attacks that only one check finds by values, with the words of that check. */
/** @type {Readonly<Record<string, RegExp>>} */
const reasons = { 'gpu-remembers-by-content-2.cu': /after some of the inputs changed/ };

/**
 * The values of CHEAT in a file, each one attack.
 * @param {string} text
 */
const attacksIn = (text) => {
  const found = [...text.matchAll(/CHEAT == (\d)/g)].map(([, value]) => Number(value));
  return found.length === 0 ? [1] : [...new Set(found)].sort();
};

const launches = [{ kernel: 'compute', grid: ['ceil(n / 256)'], block: [256] }];

/**
 * A problem folder with a cheat and its twin as candidates.
 * @param {string} name of both candidates
 * @param {string} text
 * @param {number} attack
 */
function writeProblem(name, text, attack) {
  const folder = path.join(scratch, path.parse(name).name);
  mkdirSync(folder, { recursive: true });
  const candidates = ['twin', 'cheat'].map((which) => {
    const file = `${which}-${name}`;
    writeFileSync(path.join(folder, file), which === 'cheat' ? `#define CHEAT ${attack}\n${text}` : text);
    return { file, launches };
  });
  const reference = name.startsWith('gpu-remembers-by-content') ? HALVED : ADDED;
  writeFileSync(path.join(folder, 'reference.mjs'), `export const reference = (a, b) => ${reference};\n`);
  const document = {
    ...{ kind: 'user-problem', version: 1, name: path.parse(name).name, problem: { n: N } },
    axes: [{ name: 'n', min: 0, try: [0, 1, 1021, 4097] }],
    arrays: [
      ...[input('a'), input('b')],
      { name: 'results', role: 'output', type: 'fp32', shape: ['n'], tolerance: { roundings: 16 } },
    ],
    reference: 'reference.mjs',
    candidates,
  };
  writeFileSync(path.join(folder, 'problem.json'), JSON.stringify(document));
  return folder;
}

/** @param {string} name @param {string} text @param {number} attack */
function judgeAttack(name, text, attack) {
  const at = writeProblem(name, text, attack);
  const variants = ['twin', 'cheat'].map((which) => path.join(at, `${which}-${name}`)).join(',');
  const words = ['bench', at, '--variants', variants, '--trust', '--rounds', '12', '--processes', '0', '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'dist/host/cli.js'), ...words], {
    cwd: scratch,
    encoding: 'utf8',
    env: { ...process.env, BRAGGBENCH_HOME: path.join(scratch, 'home') },
  });
  /** @type {{ readonly error?: { readonly message: string }, readonly entries?: readonly { readonly label: string, readonly status: string, readonly reason?: string, readonly accuracy?: readonly { readonly holds: boolean, readonly tip: string }[] }[] }} */
  const { entries = [], error } = JSON.parse(stdout || '{}');
  /** @param {string} which */
  const of = (which) => {
    const entry = entries.find(({ label }) => label.includes(`${which}-${name}`));
    if (entry === undefined) return { correct: false, reason: error?.message ?? stderr.trim() };
    if (entry.status === 'refused') return { correct: false, reason: entry.reason ?? '' };
    const failed = (entry.accuracy ?? []).filter(({ holds }) => !holds);
    return { correct: failed.length === 0, reason: failed.map(({ tip }) => tip).join('; ') };
  };
  return { cheat: of('cheat'), twin: of('twin') };
}

let [passed, failed] = [0, 0];
const all = readdirSync(kernels)
  .filter((file) => file.endsWith('.cu'))
  .sort()
  .flatMap((file) => {
    const text = readFileSync(path.join(kernels, file), 'utf8');
    return attacksIn(text).map((attack) => ({
      ...{ text, attack },
      name: attack === 1 ? file : file.replace('.cu', `-${attack}.cu`),
    }));
  });
for (let repeat = 1; repeat <= repeats; repeat += 1) {
  for (const { name, text, attack } of all) {
    const { cheat, twin } = judgeAttack(name, text, attack);
    const isFound = !cheat.correct && cheat.reason !== '' && (reasons[name]?.test(cheat.reason) ?? true);
    const holds = isFound && twin.correct;
    if (holds) passed += 1;
    else failed += 1;
    console.log(`${holds ? 'ok  ' : 'FAIL'} cheat ${name}: ${cheat.correct ? 'passes' : cheat.reason}`);
    if (!cheat.correct && !isFound) console.log(`     its reason lacks ${reasons[name] ?? 'words'}`);
    if (!twin.correct) console.log(`     its honest twin is accused: ${twin.reason}`);
  }
}
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
