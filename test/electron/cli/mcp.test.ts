/** `braggbench mcp` as a coding agent meets it: by the client of the official SDK, over the pipes of a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  attemptSchema,
  claimsSchema,
  explainSchema,
  ladderSchema,
  problemsSchema,
  readProblemSchema,
} from '../../../electron/cli/mcp/results.ts';
import { cacheWithUserKernels, sameScratchFolder } from '../../scratch-folder.ts';
import { braggbenchHere, entry, environmentWith } from './command.ts';

const folder = sameScratchFolder('mcp');
const cache = cacheWithUserKernels(folder);
const problems = path.join(folder, 'problems');
const home = path.join(folder, 'home');
const environment = environmentWith(home, { BRAGGBENCH_CACHE: cache, CXXFLAGS: '-O1' });
const plain = Object.fromEntries(
  Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);
const clients: Client[] = [];
/** For a server that may compile and run what is in the folder. */
let trusting: Client;

async function connected(...words: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [entry, 'mcp', ...words];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, env: plain, stderr: 'ignore' }),
  );
  clients.push(client);
  return client;
}

interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
}

async function call(client: Client, name: string, input: Record<string, unknown>, options = {}): Promise<Called> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: input }, undefined, {
    timeout: 300_000,
    ...options,
  });
  const [first] = content as readonly { readonly text: string }[];
  return { isError: isError === true, text: first?.text ?? '', structured: structuredContent };
}

beforeAll(async () => {
  mkdirSync(problems);
  const made = await braggbenchHere(['new-kernel', 'reduction', 'sum.cpp', '--answer', 'typescript'], {
    cwd: problems,
    environment,
  });
  expect(made.code).toBe(0);
  const scenario = path.join(problems, 'sum-problem.json');
  await writeFile(scenario, (await readFile(scenario, 'utf8')).replace('1000000', '4099'));
  trusting = await connected('--trust', problems, '--time', '2s');
});
afterAll(() => Promise.all(clients.map((one) => one.close())));

const source = () => readFile(path.join(problems, 'sum.cpp'), 'utf8');

/** Eight sums that a compiler puts into one vector register. */
const vectorised = (text: string): string =>
  text.replace(
    /double sum = 0;\n.*\n/,
    `double part[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= n; k += 8)
      for (std::size_t j = 0; j < 8; ++j) part[j] += static_cast<double>(a[k + j]) * static_cast<double>(a[k + j]);
    for (; k < n; ++k) part[0] += static_cast<double>(a[k]) * static_cast<double>(a[k]);
    double sum = 0;
    for (const double one : part) sum += one;
`,
  );

test('climbs from a naive to a vectorised reduction, past a wrong and a broken attempt', async () => {
  const client = trusting;
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...['list_problems', 'read_problem', 'submit_kernel', 'explain_slow', 'ladder', 'claims', 'sanitize'],
  ]);
  expect(tools.every(({ outputSchema }) => outputSchema?.type === 'object')).toBe(true);
  const listed = problemsSchema.parse((await call(client, 'list_problems', {})).structured);
  expect(listed.problems).toMatchObject([{ id: 'sum-problem', kernel: 'sum.cpp', language: 'cpp', trusted: true }]);
  const problem = { problem: 'sum-problem' };
  const read = readProblemSchema.parse((await call(client, 'read_problem', problem)).structured);
  expect([read.source, read.answer?.file]).toEqual([await source(), 'sum.ts']);

  const messages: string[] = [];
  const onprogress = ({ message = '' }: { readonly message?: string }) => void messages.push(message);
  const submit = async (text: string) =>
    attemptSchema.parse(
      (await call(client, 'submit_kernel', { ...problem, source: text, seconds: 1 }, { onprogress })).structured,
    );
  const naive = await submit(read.source);
  expect(naive).toMatchObject({ attempt: 1, verdict: 'correct', first_wrong: null, diff: { added: 0, removed: 0 } });
  expect(naive.time_s).toBeGreaterThan(0);
  expect(messages).toContain('compiles');

  const wrong = await submit(read.source.replace('k < n', 'k + 1 < n'));
  expect(wrong).toMatchObject({ attempt: 2, verdict: 'wrong', vs_reference: null, diff: { added: 1, removed: 1 } });
  expect(wrong.first_wrong?.index).toBe(0);
  expect(Number(wrong.first_wrong?.got)).toBeLessThan(Number(wrong.first_wrong?.expected));
  expect(wrong.errors.some(({ holds }) => !holds)).toBe(true);

  const broken = await submit(read.source.replace('double sum = 0;', 'double sum = nothing;'));
  expect(broken).toMatchObject({ attempt: 3, verdict: 'not compiled', time_s: null, session: null });
  const line = read.source.split('\n').findIndex((one) => one.includes('double sum = 0;')) + 1;
  expect(broken.compiler).toContainEqual(
    expect.objectContaining({ severity: 'error', line, message: expect.stringContaining('nothing') }),
  );

  const fast = await submit(vectorised(read.source));
  expect(fast).toMatchObject({ attempt: 4, verdict: 'correct', resources: null });
  expect(fast.vs_reference?.value).toBeGreaterThan(0);

  const ladder = ladderSchema.parse((await call(client, 'ladder', problem)).structured);
  expect(ladder.attempts.map(({ attempt, verdict }) => [attempt, verdict])).toEqual([
    [1, 'correct'],
    [2, 'wrong'],
    [3, 'not compiled'],
    [4, 'correct'],
  ]);
  const explained = explainSchema.parse((await call(client, 'explain_slow', { ...problem, attempt: 4 })).structured);
  expect(explained.parts.at(-1)).toEqual({ name: 'one repetition', seconds: fast.time_s });
  // A person replays an attempt: its source, its description and its session are in the library.
  const names = await readdir(path.join(home, 'library'));
  expect(names).toEqual(expect.arrayContaining([fast.file, 'sum-problem-attempt-0004.json', fast.session]));
  const shown = await braggbenchHere(['bench', '--open', path.join(home, 'library', fast.session ?? '')], {
    cwd: folder,
    environment,
  });
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(fast.file)]);
}, 300_000);

test('a problem folder takes attempts in C++ and in Python, with the place of the first wrong value', async () => {
  const made = await braggbenchHere(['new-problem', 'softmax-rows', 'softmax'], { cwd: problems, environment });
  expect(made.code).toBe(0);
  const at = path.join(problems, 'softmax');
  const document = path.join(at, 'problem.json');
  await writeFile(document, (await readFile(document, 'utf8')).replace('"rows": 1024', '"rows": 16'));
  const client = await connected('--trust', problems, '--time', '2s');
  const listed = problemsSchema.parse((await call(client, 'list_problems', {})).structured);
  expect(listed.problems.find(({ id }) => id === 'softmax')).toMatchObject({
    ...{ workload: 'user-problem', kernel: 'three-passes.cpp', language: 'cpp', trusted: true },
  });
  const problem = { problem: 'softmax' };
  const read = readProblemSchema.parse((await call(client, 'read_problem', problem)).structured);
  expect(read.rules[0]).toContain('void run(const float* x, float* y, int rows, int columns)');
  expect(read.answer?.file).toBe('reference.py');
  const submit = async (file: string, language: string) => {
    const text = await readFile(path.join(at, file), 'utf8');
    const answer = await call(client, 'submit_kernel', { ...problem, source: text, language, seconds: 1 });
    expect(answer.isError, answer.text).toBe(false);
    return attemptSchema.parse(answer.structured);
  };
  expect(await submit('numpy.py', 'py')).toMatchObject({ attempt: 1, verdict: 'correct', first_wrong: null });
  const wrong = await submit('overflow.cpp', 'cpp');
  expect(wrong).toMatchObject({ attempt: 2, verdict: 'wrong', first_wrong: { index: null } });
  expect(wrong.first_wrong?.place).toMatch(/^y\[\d+, \d+\]$/);
  const ladder = ladderSchema.parse((await call(client, 'ladder', problem)).structured);
  expect(ladder.attempts.map(({ file, verdict }) => [file, verdict])).toEqual([
    ['softmax-attempt-0001.py', 'correct'],
    ['softmax-attempt-0002.cpp', 'wrong'],
  ]);
  // The problem's own folder has no more files than before.
  expect(await readdir(at)).not.toContain('softmax-attempt-0001.py');
}, 300_000);

describe('what a server refuses', () => {
  test('a submission to a folder that nobody trusts, with the flag that a person needs', async () => {
    const client = await connected(problems);
    const refused = await call(client, 'submit_kernel', { problem: 'sum-problem', source: await source() });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(`untrusted: ${problems} is not trusted`);
    expect(refused.text).toContain('--trust');
    // Reading is allowed.
    expect((await call(client, 'read_problem', { problem: 'sum-problem' })).isError).toBe(false);
  });

  test('problems, attempts and arguments that are not there', async () => {
    const client = trusting;
    for (const id of ['../sum-problem', 'sum', '/etc/passwd', 'sum-problem.json'])
      expect((await call(client, 'read_problem', { problem: id })).text).toContain('list_problems names them');
    expect((await call(client, 'explain_slow', { problem: 'sum-problem', attempt: 9000 })).text).toContain(
      'has no attempt 9000',
    );
    for (const input of [
      { problem: 'sum-problem' },
      { problem: 'sum-problem', source: 'x', seconds: 1e9 },
      { problem: 1, source: 'x' },
    ])
      expect((await call(client, 'submit_kernel', input)).isError).toBe(true);
    const found = claimsSchema.parse((await call(client, 'claims', { text: 'shared memory' })).structured);
    expect(found.claims.every(({ id, claim, answer }) => /shared/i.test(`${id} ${claim} ${answer}`))).toBe(true);
  });

  test('a cancelled submission ends, and the server serves on', async () => {
    const client = await connected('--trust', problems);
    const stop = new AbortController();
    const submission = call(
      client,
      'submit_kernel',
      { problem: 'sum-problem', source: `${await source()}\n// cancelled\n`, seconds: 60 },
      { signal: stop.signal, onprogress: () => stop.abort() },
    );
    await expect(submission).rejects.toThrow();
    expect((await call(client, 'list_problems', {})).isError).toBe(false);
  });
});

test('two agents measure one after another, and both get an answer', async () => {
  const both = [trusting, await connected('--trust', problems)];
  await writeFile(
    path.join(problems, 'other-problem.json'),
    await readFile(path.join(problems, 'sum-problem.json'), 'utf8'),
  );
  const text = await source();
  const answers = await Promise.all(
    both.map((client, i) =>
      call(client, 'submit_kernel', { problem: ['sum-problem', 'other-problem'][i], source: text, seconds: 0.5 }),
    ),
  );
  expect(answers.map(({ structured }) => attemptSchema.parse(structured).verdict)).toEqual(['correct', 'correct']);
}, 300_000);

test('serves scripts the same methods by HTTP, and nobody without the token', async () => {
  const words = [entry, 'mcp', '--trust', problems, '--port', '0'];
  const child = spawn(process.execPath, words, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  const [printed] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const url = printed.trim();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{20,}\/1\/$/);
  const headers = { 'Content-Type': 'application/json' };
  const post = async (name: string, body: string, more: Record<string, string> = headers) => {
    const answer = await fetch(new URL(name, url), { method: 'POST', body, headers: more });
    return [answer.status, (await answer.json()) as Record<string, unknown>] as const;
  };
  const listed = (await (await fetch(url)).json()) as { readonly methods: readonly { readonly name: string }[] };
  expect(listed.methods.map(({ name }) => name)).toContain('submit_kernel');
  const [status, body] = await post('list_problems', '{}');
  expect([status, problemsSchema.parse(body).problems.map(({ id }) => id)]).toEqual([
    200,
    expect.arrayContaining(['sum-problem']),
  ]);
  expect(await post('read_problem', '{"problem":"nothing"}')).toEqual([
    400,
    { error: expect.stringContaining('list_problems') },
  ]);
  expect((await post('read_problem', '[]'))[0]).toBe(400);
  expect((await post('nothing', '{}'))[0]).toBe(404);
  // A page of another site can only send plain text.
  expect((await post('list_problems', '{}', { 'Content-Type': 'text/plain' }))[0]).toBe(415);
  expect((await fetch(new URL('/wrong/1/', url))).status).toBe(403);
  expect((await fetch(new URL('../2/', url))).status).toBe(404);
  child.kill('SIGINT');
  expect((await once(child, 'close'))[0]).toBe(0);
}, 120_000);

test('survives messages of any form', async () => {
  const child = spawn(process.execPath, [entry, 'mcp', '--trust', problems], {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const send = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const request = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id: fc.oneof(fc.integer({ max: -1 }), fc.string(), fc.constant(null)),
      method: fc.constantFrom(
        'tools/call',
        'tools/list',
        'initialize',
        'notifications/cancelled',
        'nothing',
        '__proto__',
      ),
      params: fc.oneof(
        fc.jsonValue(),
        fc.record({
          name: fc.constantFrom(
            'read_problem',
            'ladder',
            'submit_kernel',
            'explain_slow',
            'claims',
            'sanitize',
            'constructor',
          ),
          arguments: fc.oneof(
            fc.jsonValue(),
            fc.record({
              problem: fc.string(),
              attempt: fc.jsonValue(),
              source: fc.jsonValue(),
              seconds: fc.jsonValue(),
            }),
          ),
        }),
      ),
    },
    { requiredKeys: [] },
  );
  const lines = fc.sample(
    fc.oneof(
      request.map((one) => JSON.stringify(one)),
      fc.string(),
      fc.constant('[]'),
      fc.constant('{"jsonrpc":"2.0"'),
    ),
    { numRuns: 200, seed: 37 },
  );
  send({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
  });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  for (const line of lines) child.stdin.write(`${line.replaceAll('\n', ' ')}\n`);
  send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_problems', arguments: {} } });
  await expect
    .poll(() => output.split('\n').some((line) => line.startsWith('{') && JSON.parse(line).id === 2), {
      timeout: 120_000,
    })
    .toBe(true);
  // The protocol owns standard output: every line is a message.
  for (const line of output.split('\n').filter((one) => one !== ''))
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  child.stdin.end();
  expect((await once(child, 'close'))[0]).toBe(0);
}, 200_000);
