/**
 * `braggbench mcp` as a coding agent uses it: with the client of the official SDK, over the pipes of a child process.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Attempt,
  attemptSchema,
  claimsSchema,
  explainSchema,
  ladderSchema,
  problemsSchema,
  readProblemSchema,
} from '../../../electron/cli/mcp/results.ts';
import { candidateFiles, readProblemFolder } from '../../../electron/host/model/user-kernels/problem-folder.ts';
import { isMemoryDoubtful } from '../../cheats/cheats.ts';
import { fuzzSeed } from '../../fuzz/seed.ts';
import { cacheWithUserKernels, fixedScratchFolder } from '../../scratch-folder.ts';
import { asRoot } from '../../unless.ts';
import { openTestHost } from '../host/test-host.ts';
import { braggbenchInProcess, entry, environmentWith } from './command.ts';

const folder = fixedScratchFolder('mcp');
const cache = cacheWithUserKernels(folder);
const problems = path.join(folder, 'problems');
const home = path.join(folder, 'home');
const environment = environmentWith(home, { BRAGGBENCH_CACHE: cache, CXXFLAGS: '-O1' });
const plainEnvironment = Object.fromEntries(
  Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);
const clients: Client[] = [];
/** Client of a server that may compile and run the folder's code. */
let trustingClient: Client;

const connectClient = (...words: readonly string[]): Promise<Client> => connectClientWith({}, ...words);

async function connectClientWith(more: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [entry, 'mcp', ...words];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args,
      cwd: folder,
      env: { ...plainEnvironment, ...more },
      stderr: 'ignore',
    }),
  );
  clients.push(client);
  return client;
}

interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
}

async function callServerTool(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  options = {},
): Promise<ToolReply> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: input }, undefined, {
    timeout: 300_000,
    ...options,
  });
  const [first] = content as readonly { readonly text: string }[];
  return { isError: isError === true, text: first?.text ?? '', structured: structuredContent };
}

beforeAll(async () => {
  mkdirSync(problems);
  const made = await braggbenchInProcess(['new-kernel', 'reduction', 'sum.cpp', '--answer', 'typescript'], {
    cwd: problems,
    environment,
  });
  expect(made.code).toBe(0);
  const scenario = path.join(problems, 'sum', 'problem.json');
  await writeFile(scenario, (await readFile(scenario, 'utf8')).replace('1000000', '4099'));
  trustingClient = await connectClient('--trust', problems, '--time', '2s');
});
afterAll(() => Promise.all(clients.map((one) => one.close())));

/**
 * Expects a correct verdict. On a busy machine the kernel may also be *not checked*, if it could not be ruled out that
 * it remembers results.
 */
function expectHonest({ verdict, reason }: Pick<Attempt, 'verdict' | 'reason'>): void {
  if (!isMemoryDoubtful({ word: verdict, reason }))
    expect({ verdict, reason }).toEqual({ verdict: 'correct', reason: null });
}

const source = () => readFile(path.join(problems, 'sum', 'sum.cpp'), 'utf8');

/** Splits the sum into eight partial sums, which a compiler puts into one vector register. */
const vectoriseSum = (text: string): string =>
  text.replace(
    /double sum = 0;\n.*\n/,
    `double part[8] = {};
    int k = 0;
    for (; k + 8 <= n; k += 8)
      for (int j = 0; j < 8; ++j) part[j] += static_cast<double>(a[k + j]) * static_cast<double>(a[k + j]);
    for (; k < n; ++k) part[0] += static_cast<double>(a[k]) * static_cast<double>(a[k]);
    double sum = 0;
    for (const double one : part) sum += one;
`,
  );

test('an agent improves a naive reduction to a vectorised one, after one wrong attempt and one that does not compile', async () => {
  const client = trustingClient;
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...['list_problems', 'read_problem', 'submit_kernel', 'explain_slow', 'ladder', 'claims', 'sanitize'],
  ]);
  expect(tools.every(({ outputSchema }) => outputSchema?.type === 'object')).toBe(true);
  const listed = problemsSchema.parse((await callServerTool(client, 'list_problems', {})).structured);
  expect(listed.problems).toMatchObject([{ id: 'sum', kernel: 'sum.cpp', language: 'cpp', trusted: true }]);
  const problem = { problem: 'sum' };
  const read = readProblemSchema.parse((await callServerTool(client, 'read_problem', problem)).structured);
  expect([read.source, read.answer?.file]).toEqual([await source(), 'reference.ts']);

  const messages: string[] = [];
  const onprogress = ({ message = '' }: { readonly message?: string }) => void messages.push(message);
  const submit = async (text: string) =>
    attemptSchema.parse(
      (await callServerTool(client, 'submit_kernel', { ...problem, source: text, seconds: 1 }, { onprogress }))
        .structured,
    );
  const naive = await submit(read.source);
  expect(naive).toMatchObject({ attempt: 1, first_wrong: null, diff: { added: 0, removed: 0 } });
  expectHonest(naive);
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

  const fast = await submit(vectoriseSum(read.source));
  expect(fast).toMatchObject({ attempt: 4, resources: null });
  expectHonest(fast);
  expect(fast.vs_reference?.value).toBeGreaterThan(0);

  const ladder = ladderSchema.parse((await callServerTool(client, 'ladder', problem)).structured);
  expect(ladder.attempts.map(({ attempt, verdict }) => [attempt, verdict])).toEqual([
    [1, naive.verdict],
    [2, 'wrong'],
    [3, 'not compiled'],
    [4, fast.verdict],
  ]);
  const explained = explainSchema.parse(
    (await callServerTool(client, 'explain_slow', { ...problem, attempt: 4 })).structured,
  );
  expect(explained.parts.at(-1)).toEqual({ name: 'one repetition', seconds: fast.time_s });
  expect(explained.counters).toContain('CUDA');
  // The build of the attempt comes first, with its measured time.
  expect(explained.parts[0]).toEqual({ name: 'set-up: build', seconds: expect.any(Number) });
  expect(explained.parts[0]?.seconds).toBeGreaterThan(0);
  expect(explained.parts.find(({ name }) => name === 'compare')?.seconds).toBeGreaterThan(0);
  // The trace contains spans of the kernel's process: its set-up, the check, the samples, and each repetition of the
  // traced sample. This process adds spans of its comparisons.
  expect(explained.no_timeline).toBeNull();
  expect(explained.timeline.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['prepare', 'check', 'repetitions', 'repetition', 'compare']),
  );
  expect(explained.timeline.every(({ count, seconds }) => count > 0 && seconds > 0)).toBe(true);
  // A person can replay an attempt: its source, its description and its session are in the library.
  const names = await readdir(path.join(home, 'library'));
  expect(names).toEqual(expect.arrayContaining([fast.file, fast.session]));
  const shown = await braggbenchInProcess(['bench', '--open', path.join(home, 'library', fast.session ?? '')], {
    cwd: folder,
    environment,
  });
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(fast.file)]);

  // The page reads the same series of attempts from the library.
  const watching = await openTestHost({ dataFolder: home });
  try {
    const page = await watching.page();
    const climb = (await page.call('bench.climbs', {})).climbs.find((one) => one.problem === 'sum');
    expect(climb?.attempts.map(({ attempt, file, verdict }) => [attempt, file, verdict])).toEqual([
      [1, naive.file, naive.verdict],
      [2, wrong.file, 'wrong'],
      [3, broken.file, 'not measured'],
      [4, fast.file, fast.verdict],
    ]);
    expect(climb?.attempts[1]).toMatchObject({ reason: wrong.reason, vs_reference: null });
    const { time_s, vs_reference, vs_best } = fast;
    expect(climb?.attempts[3]).toMatchObject({ time_s, vs_reference, vs_best });
    expect((await page.call('bench.attempt', { file: fast.file })).text).toBe(vectoriseSum(read.source));
    await expect(page.call('bench.attempt', { file: '../../etc-attempt-0001.cpp' })).rejects.toThrow('allowed');

    // An attempt can be replayed only in a folder with the name of its problem.
    const copy = path.join(folder, 'replayed', 'sum');
    await cp(path.join(problems, 'sum'), copy, { recursive: true });
    await cp(copy, path.join(folder, 'replayed', 'another'), { recursive: true });
    const replay = (name: string) => {
      const beside = watching.host.grant(path.join(folder, 'replayed', name, 'problem.json')).file;
      return page.call('userKernels.replay', { beside, attempt: fast.file });
    };
    await expect(replay('another')).rejects.toThrow('Open problem.json of sum first');
    expect(await replay('sum')).toMatchObject({ id: fast.file, answer: 'reference.ts' });
    expect(await readFile(path.join(copy, fast.file), 'utf8')).toBe(vectoriseSum(read.source));
    // The reference of later sessions is unchanged.
    const found = await readProblemFolder(copy);
    expect(found === null ? [] : (await candidateFiles(found)).slice(-1)).toEqual([fast.file]);
    await writeFile(path.join(copy, fast.file), 'changed here');
    await expect(replay('sum')).rejects.toMatchObject({ code: 'exists' });
  } finally {
    await watching.close();
  }
}, 300_000);

test('a problem folder accepts attempts in C++ and Python, and reports the position of the first wrong value', {
  tags: 'slow',
}, async () => {
  const made = await braggbenchInProcess(['new-problem', 'softmax-rows', 'softmax'], { cwd: problems, environment });
  expect(made.code).toBe(0);
  const at = path.join(problems, 'softmax');
  const document = path.join(at, 'problem.json');
  await writeFile(document, (await readFile(document, 'utf8')).replace('"rows": 1024', '"rows": 16'));
  const client = await connectClient('--trust', problems, '--time', '2s');
  const listed = problemsSchema.parse((await callServerTool(client, 'list_problems', {})).structured);
  expect(listed.problems.find(({ id }) => id === 'softmax')).toMatchObject({
    ...{ workload: 'user-problem', kernel: 'three-passes.cpp', language: 'cpp', trusted: true },
  });
  const problem = { problem: 'softmax' };
  const read = readProblemSchema.parse((await callServerTool(client, 'read_problem', problem)).structured);
  expect(read.rules[0]).toContain('void run(const float* x, float* y, int rows, int columns)');
  expect(read.answer?.file).toBe('reference.py');
  const submit = async (file: string, language: string) => {
    const text = await readFile(path.join(at, file), 'utf8');
    const answer = await callServerTool(client, 'submit_kernel', { ...problem, source: text, language, seconds: 1 });
    expect(answer.isError, answer.text).toBe(false);
    return attemptSchema.parse(answer.structured);
  };
  const numpy = await submit('numpy.py', 'py');
  expect(numpy).toMatchObject({ attempt: 1, first_wrong: null });
  expectHonest(numpy);
  const wrong = await submit('overflow.cpp', 'cpp');
  expect(wrong).toMatchObject({ attempt: 2, verdict: 'wrong', first_wrong: { index: null } });
  expect(wrong.first_wrong?.place).toMatch(/^y\[\d+, \d+\]$/);
  const ladder = ladderSchema.parse((await callServerTool(client, 'ladder', problem)).structured);
  expect(ladder.attempts.map(({ file, verdict }) => [file, verdict])).toEqual([
    ['softmax-attempt-0001.py', numpy.verdict],
    ['softmax-attempt-0002.cpp', 'wrong'],
  ]);
  // The problem's own folder has no new files.
  expect(await readdir(at)).not.toContain('softmax-attempt-0001.py');
});

test('a folder trusted in the window for agents accepts submissions until its reference changes', {
  tags: 'slow',
}, async () => {
  const shelf = path.join(folder, 'shelf');
  await cp(path.join(problems, 'sum'), path.join(shelf, 'sum'), { recursive: true });
  const at = path.join(shelf, 'sum');
  // The server starts before the folder is trusted, and is notified later.
  const client = await connectClient(shelf, '--time', '2s');
  const text = await readFile(path.join(at, 'sum.cpp'), 'utf8');
  const submit = () => callServerTool(client, 'submit_kernel', { problem: 'sum', source: text, seconds: 0.5 });
  expect((await submit()).text).toContain('or open the problem in the window');
  const window = await openTestHost({ dataFolder: home });
  try {
    const page = await window.page();
    const beside = window.host.grant(path.join(at, 'problem.json')).file;
    const { variants } = await page.call('userKernels.list', { beside });
    const kernels = variants.map(({ id, sha256 }) => ({ id, sha256 }));
    const trust = (changes: object) =>
      page.call('userKernels.trustFolder', { beside, kernels, submissions: false, ...changes });
    const other = kernels.map(({ id }) => ({ id, sha256: '0'.repeat(64) }));
    await expect(trust({ kernels: other, submissions: true })).rejects.toMatchObject({ code: 'untrusted' });
    // Trust in existing files does not extend to later submissions.
    await trust({});
    expect((await page.call('userKernels.list', { beside })).variants.every(({ trusted }) => trusted)).toBe(true);
    expect((await submit()).text).toContain('untrusted');
    await trust({ submissions: true });
  } finally {
    await window.close();
  }
  const taken = await submit();
  expect(taken.isError, taken.text).toBe(false);
  expectHonest(attemptSchema.parse(taken.structured));
  const reference = path.join(at, 'reference.ts');
  await writeFile(reference, `${await readFile(reference, 'utf8')}\n// Something else.\n`);
  expect((await submit()).text).toContain('untrusted');
});

describe('an MCP server', () => {
  test('rejects a submission to an untrusted folder, and names the flag with which a person trusts it', async () => {
    const client = await connectClient(problems);
    const refused = await callServerTool(client, 'submit_kernel', { problem: 'sum', source: await source() });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(`untrusted: ${path.join(problems, 'sum')} is not trusted`);
    expect(refused.text).toContain('--trust');
    // Reading needs no trust.
    expect((await callServerTool(client, 'read_problem', { problem: 'sum' })).isError).toBe(false);
  });

  test('rejects unknown problems, attempts and arguments', async () => {
    const client = trustingClient;
    for (const id of ['../sum', 'sums', '/etc/passwd', 'sum/problem.json'])
      expect((await callServerTool(client, 'read_problem', { problem: id })).text).toContain(
        'list_problems lists the available ones',
      );
    expect((await callServerTool(client, 'explain_slow', { problem: 'sum', attempt: 9000 })).text).toContain(
      'has no attempt 9000',
    );
    for (const input of [
      { problem: 'sum' },
      { problem: 'sum', source: 'x', seconds: 1e9 },
      { problem: 1, source: 'x' },
    ])
      expect((await callServerTool(client, 'submit_kernel', input)).isError).toBe(true);
    const found = claimsSchema.parse((await callServerTool(client, 'claims', { text: 'shared memory' })).structured);
    expect(found.claims.every(({ id, claim, answer }) => /shared/i.test(`${id} ${claim} ${answer}`))).toBe(true);
  });

  test('a cancelled submission ends, and the server continues', { tags: 'slow' }, async () => {
    const client = await connectClient('--trust', problems);
    const stop = new AbortController();
    const submission = callServerTool(
      client,
      'submit_kernel',
      { problem: 'sum', source: `${await source()}\n// cancelled\n`, seconds: 60 },
      { signal: stop.signal, onprogress: () => stop.abort() },
    );
    await expect(submission).rejects.toThrow();
    expect((await callServerTool(client, 'list_problems', {})).isError).toBe(false);
  });
});

test('concurrent submissions from two agents become separate attempts, and all are measured', {
  tags: 'slow',
}, async () => {
  const both = [trustingClient, await connectClient('--trust', problems)];
  await cp(path.join(problems, 'sum'), path.join(problems, 'shared'), { recursive: true });
  const text = await source();
  const submit = (client: Client) =>
    callServerTool(client, 'submit_kernel', { problem: 'shared', source: text, seconds: 0.5 });
  const answers = await Promise.all([...both, ...both].map(submit));
  const attempts = answers.map((one) => {
    expect(one.isError, one.text).toBe(false);
    return attemptSchema.parse(one.structured);
  });
  expect(attempts.map(({ attempt }) => attempt).toSorted()).toEqual([1, 2, 3, 4]);
  for (const attempt of attempts) expectHonest(attempt);
});

test('a candidate that exceeds its memory limit is not measured, but the next one is', { tags: 'slow' }, async () => {
  const text = await source();
  const greedy = text.replace(
    'double sum = 0;',
    // Touches one byte of each GiB: filling the memory would exceed the time limit of a repetition.
    `double sum = 0;
    for (int i = 0; i < 64; ++i) sum += 0 * (new volatile char[std::size_t{1} << 30])[0];`,
  );
  const answer = await callServerTool(trustingClient, 'submit_kernel', {
    ...{ problem: 'sum', source: greedy, seconds: 0.5 },
  });
  expect(answer.isError, answer.text).toBe(false);
  const attempt = attemptSchema.parse(answer.structured);
  expect(attempt, JSON.stringify(attempt)).toMatchObject({ verdict: 'crashed', time_s: null, vs_reference: null });
  expect(attempt.reason).toMatch(/memory|bad_alloc/);
  const next = await callServerTool(trustingClient, 'submit_kernel', { problem: 'sum', source: text, seconds: 0.5 });
  expectHonest(attemptSchema.parse(next.structured));
});

test('a submission to a library on a full disk is rejected and leaves no files behind', asRoot, async (context) => {
  const full = path.join(folder, 'full');
  const library = path.join(full, 'library');
  mkdirSync(library, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', library], { stdio: 'pipe' });
  } catch {
    return context.skip('no file system can be mounted here');
  }
  try {
    const client = await connectClientWith({ BRAGGBENCH_HOME: full }, '--trust', problems);
    const refused = await callServerTool(client, 'submit_kernel', { problem: 'sum', source: await source() });
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringContaining(`no-space: ${library} has less than 64 MiB of free space; free some, then submit again`),
    ]);
    const left = (await readdir(library)).filter((name) => name.includes('attempt'));
    expect(left).toEqual([]);
    // Reading still works.
    expect((await callServerTool(client, 'ladder', { problem: 'sum' })).structured).toMatchObject({
      best: null,
      attempts: [],
    });
    await client.close();
  } finally {
    execFileSync('umount', ['-l', library]);
  }
});

test('the MCP server offers scripts the same methods over HTTP, but only with the token', async () => {
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
    expect.arrayContaining(['sum']),
  ]);
  expect(await post('read_problem', '{"problem":"nothing"}')).toEqual([
    400,
    { error: expect.stringContaining('list_problems') },
  ]);
  expect((await post('read_problem', '[]'))[0]).toBe(400);
  expect((await post('nothing', '{}'))[0]).toBe(404);
  // A page of another site can only send plain text, which is rejected.
  expect((await post('list_problems', '{}', { 'Content-Type': 'text/plain' }))[0]).toBe(415);
  expect((await fetch(new URL('/wrong/1/', url))).status).toBe(403);
  expect((await fetch(new URL('../2/', url))).status).toBe(404);
  child.kill('SIGINT');
  expect((await once(child, 'close'))[0]).toBe(0);
}, 120_000);

test('the MCP server survives malformed messages', async () => {
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
    { numRuns: 200, seed: fuzzSeed },
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
  // Standard output is reserved for the protocol: every line is a message.
  for (const line of output.split('\n').filter((one) => one !== ''))
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  child.stdin.end();
  expect((await once(child, 'close'))[0]).toBe(0);
}, 200_000);
