/** The command line on another machine, through a real sshd on this one. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../scratch-folder.ts';
import { noSshd, startSshd, type TestSshd } from '../../../sshd.ts';
import { unless } from '../../../unless.ts';
import { tinyScenario } from '../../host/small-run.ts';
import { braggbench, type CommandResult, entry, environmentWith } from '../command.ts';

const folder = scratchFolder('on-host');
let sshd: TestSshd;
const cwd = path.join(folder, 'here');

beforeAll(async () => {
  if (noSshd !== null) return;
  sshd = await startSshd(path.join(folder, 'ssh'));
  mkdirSync(cwd);
});
afterAll(() => (noSshd === null ? sshd.stop() : undefined));

const call = (...words: readonly string[]): Promise<CommandResult> =>
  braggbench(words, {
    cwd,
    environment: environmentWith(path.join(folder, 'home'), {
      PATH: `${sshd.bin}${path.delimiter}${process.env['PATH']}`,
    }),
  });
const inCache = (...names: readonly string[]): string => path.join(sshd.cache, 'braggbench', ...names);

describe('the option --on', { timeout: 300_000, ...unless(noSshd) }, () => {
  test('runs and benchmarks on the remote host, saves the results locally, and leaves no files there', async () => {
    writeFileSync(path.join(cwd, 'mine.json'), JSON.stringify({ ...tinyScenario, name: 'mine' }));
    const run = await call(
      'run',
      'mine.json',
      '--on',
      'box',
      '--set',
      'beam.energy_MeV=25',
      '--out',
      'far.h5',
      '--json',
    );
    expect(run.stderr).toContain('to box, once');
    expect(run.code).toBe(0);
    expect(run.stdout + run.stderr).not.toContain(sshd.cache);
    const here = await call('run', 'mine.json', '--set', 'beam.energy_MeV=25', '--out', 'near.h5', '--json');
    // The remote copy is the same program, so it computes exactly the same number.
    expect(JSON.parse(run.stdout).metrics.r80_mm).toBe(JSON.parse(here.stdout).metrics.r80_mm);
    expect(readFileSync(path.join(cwd, 'far.h5')).subarray(1, 4).toString()).toBe('HDF');
    expect(readdirSync(inCache('work'))).toEqual([]);

    const refused = await call('run', 'mine.json', '--on', 'box', '--out', 'far.h5');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('overwrite it with --force');

    const bench = await call(
      'bench',
      'mine.json',
      '--on',
      'box',
      '--variants',
      'reference',
      '--processes',
      '0',
      '--rounds',
      '2',
      '--out',
      's.json',
    );
    expect(bench.code).toBe(0);
    expect(bench.stderr).not.toContain('to box, once');
    // The fetched file is a session that the local program can read.
    expect((await call('bench', '--open', 's.json')).stdout).toContain('reference');
  });

  test('reports input rejected by the remote host as bad input, with the reason', async () => {
    const wrong = await call('run', 'water-70MeV', '--on', 'box', '--set', 'beam.energy_MeV=1e9');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('beam.energy_MeV');
  });

  test('solves a study on the remote host and stores the results locally', async () => {
    const study = {
      ...{ kind: 'study', version: 1, name: 'energies', base: [{ scenario: tinyScenario }] },
      axes: [{ kind: 'list', path: 'beam.energy_MeV', values: [20, 25] }],
    };
    writeFileSync(path.join(cwd, 'energies.json'), JSON.stringify(study));
    const run = await call('study', 'run', 'energies.json', '--on', 'box');
    expect(run.stdout).toMatch(/^2 points solved in /);
    const collected = await call('study', 'collect', 'energies.json', '--json');
    expect(collected.stdout).toContain('r80_mm');
    expect(readdirSync(inCache('studies'))).toEqual(['energies.study']);
  });

  test('gives a local coding agent the tools of a remote server', async () => {
    const problems = path.join(folder, 'problems');
    mkdirSync(problems);
    const environment = environmentWith(path.join(folder, 'home'), {
      PATH: `${sshd.bin}${path.delimiter}${process.env['PATH']}`,
    });
    const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? '']));
    const client = new Client({ name: 'test', version: '1' });
    const args = [entry, 'mcp', problems, '--on', 'box'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('submit_kernel');
    await client.close();
  });

  test('reports an invalid or unreachable host before it copies anything', async () => {
    const option = await call('run', 'water-70MeV', '--on', '-oProxyCommand=touch x');
    expect(option.code).toBe(2);
    expect(option.stderr).toContain('Host "-oProxyCommand=touch x" is not a valid ssh host');
    const stranger = await call('connect', 'stranger');
    expect(stranger.code).toBe(1);
    expect(stranger.stderr).toMatch(/ssh stranger failed: .*Permission denied/);
    expect(execFileSync('ls', ['-a', cwd], { encoding: 'utf8' })).not.toMatch(/^x$/m);
  });

  test("rejects files outside the scenario's folder without copying them", async () => {
    writeFileSync(path.join(folder, 'secret.csv'), 'x');
    writeFileSync(
      path.join(cwd, 'outside.json'),
      JSON.stringify({ ...tinyScenario, geometry: { ct: { file: '../secret.csv' } } }),
    );
    const outside = await call('run', 'outside.json', '--on', 'box');
    expect(outside.code).toBe(2);
    expect(outside.stderr).toContain('outside.json refers to ../secret.csv, which is outside of its folder');
  });
});
