/** Tools of `braggbench mcp`, registered with the MCP server of the official SDK. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { BraggError } from '../../contract/errors.ts';
import { sanitizerSummary, sanitizerToolSchema } from '../../contract/user-kernels/checks.ts';
import { USER_KERNEL_TEXT_MAX } from '../../contract/user-kernels.ts';
import { claimId } from '../../domain/claim-texts.ts';
import { claimTable, runSanitizer } from '../../host/api/benches.ts';
import { assetsFolder } from '../assets-folder.ts';
import {
  attemptSchema,
  claimsSchema,
  explainSchema,
  ladderSchema,
  problemsSchema,
  readProblemSchema,
  sanitizedAttemptSchema,
} from './results.ts';
import type { ProgressReporter, Workshop } from './workshop.ts';

type RequestExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Largest number of claims in one response, to keep responses to agents short. */
const MAX_CLAIMS = 20;

const problem = z.string().min(1).max(200).describe('Id of a problem, as returned by list_problems.');
const attempt = z
  .number()
  .int()
  .min(1)
  .max(9999)
  .describe('Number of an attempt, as returned by submit_kernel or ladder.');

function toolResult(structuredContent: Record<string, unknown>): CallToolResult {
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
}

/** Converts a BraggError to a result that the agent can react to. Other errors are bugs and are thrown. */
async function toolResultOrError(work: () => Promise<Record<string, unknown>>): Promise<CallToolResult> {
  try {
    return toolResult(await work());
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    const issues = error.issues.map(
      ({ file, line, message }) => `${file ?? ''}${line === null ? '' : `:${line}`} ${message}`,
    );
    return {
      isError: true,
      content: [{ type: 'text', text: [`${error.code}: ${error.message}`, ...issues].join('\n') }],
    };
  }
}

function progressReporter({ signal, _meta, sendNotification }: RequestExtra): ProgressReporter {
  const progressToken = _meta?.progressToken;
  let last = -1;
  return {
    signal,
    report: (done, total, message) => {
      if (progressToken === undefined) return;
      // The protocol requires that progress increases with each notification.
      last = Math.max(done, last + 1e-6);
      void sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: last, total, message },
      }).catch(() => undefined);
    },
  };
}

async function findClaims(text: string) {
  const rows = await claimTable(assetsFolder());
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((one) => one !== '');
  const all = rows
    .flatMap(({ claims }) => claims)
    .map((claim) => ({ id: claimId(claim), claim: claim.claim, answer: claim.answer.sentence }))
    .filter((one) => words.every((word) => `${one.id} ${one.claim} ${one.answer}`.toLowerCase().includes(word)));
  return { version: 1, claims: all.slice(0, MAX_CLAIMS), left_out: Math.max(0, all.length - MAX_CLAIMS) };
}

interface McpServerOptions {
  readonly workshop: Workshop;
  readonly version: string;
  /** Longest allowed session and default duration, s. */
  readonly mostSeconds: number;
  readonly usualSeconds: number;
}

export function mcpServer({ workshop, version, mostSeconds, usualSeconds }: McpServerOptions): McpServer {
  const server = new McpServer({ name: 'braggbench', version }, { maxToolInputElements: 100 });
  const reading = { readOnlyHint: true } as const;
  server.registerTool(
    'list_problems',
    {
      description: 'Lists the problems that accept kernels.',
      inputSchema: {},
      outputSchema: problemsSchema.shape,
      annotations: reading,
    },
    () => toolResultOrError(() => workshop.listProblems()),
  );
  server.registerTool(
    'read_problem',
    {
      description:
        'Returns the scenario, the reference kernel, the program for the expected result and the rules of a problem.',
      inputSchema: { problem },
      outputSchema: readProblemSchema.shape,
      annotations: reading,
    },
    (input) => toolResultOrError(() => workshop.readProblem(input.problem)),
  );
  server.registerTool(
    'submit_kernel',
    {
      description:
        'Compiles a kernel, checks its result with hidden inputs, and measures it against the reference and the best attempt.',
      inputSchema: {
        problem,
        source: z.string().min(1).max(USER_KERNEL_TEXT_MAX).describe('The complete source file.'),
        language: z
          .enum(['cpp', 'py', 'cu'])
          .optional()
          .describe(
            "Language of the source, for a problem folder; by default that of its first candidate. A cu file uses the launches of the problem's first CUDA candidate.",
          ),
        seconds: z
          .number()
          .min(0.1)
          .max(mostSeconds)
          .default(usualSeconds)
          .describe('Maximum measuring time in seconds.'),
      },
      outputSchema: attemptSchema.shape,
    },
    (input, extra) => toolResultOrError(() => workshop.submitAttempt(input, progressReporter(extra))),
  );
  server.registerTool(
    'explain_slow',
    {
      description: 'Shows where the time of a measured attempt goes, and what limits it.',
      inputSchema: { problem, attempt },
      outputSchema: explainSchema.shape,
      annotations: reading,
    },
    (input) => toolResultOrError(() => workshop.explainAttempt(input.problem, input.attempt)),
  );
  server.registerTool(
    'ladder',
    {
      description: 'Lists all attempts at a problem in order: verdict, time, and lines changed.',
      inputSchema: { problem },
      outputSchema: ladderSchema.shape,
      annotations: reading,
    },
    (input) => toolResultOrError(() => workshop.listAttempts(input.problem)),
  );
  server.registerTool(
    'claims',
    {
      description:
        'Finds published claims about GPU optimisation that contain all words, each with the measured result.',
      inputSchema: {
        text: z.string().max(200).default('').describe('Words to search for; empty lists the first claims.'),
      },
      outputSchema: claimsSchema.shape,
      annotations: reading,
    },
    (input) => toolResultOrError(() => findClaims(input.text)),
  );
  server.registerTool(
    'sanitize',
    {
      description: "Runs a CUDA attempt under NVIDIA's compute-sanitizer.",
      inputSchema: { problem, attempt, tool: sanitizerToolSchema.default('memcheck') },
      outputSchema: sanitizedAttemptSchema.shape,
    },
    (input, { signal }) =>
      toolResultOrError(async () => {
        const { words, kernel, language } = await workshop.attemptCommand(input.problem, input.attempt);
        if (language !== 'cu')
          throw new BraggError('unsupported', 'compute-sanitizer checks CUDA kernels; this problem has none');
        const found = await runSanitizer({ tool: input.tool, args: words, kernel, signal });
        const findings = found.findings
          .slice(0, 50)
          .map(({ what, kernel: name, line }) => ({ what, kernel: name, line }));
        return { version: 1, summary: sanitizerSummary(found), findings };
      }),
  );
  return server;
}

export async function serveTools(server: McpServer, transport: Transport, signal: AbortSignal): Promise<void> {
  const ended = new Promise<void>((done) => {
    server.server.onclose = done;
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
  await server.connect(transport);
  await ended;
  await server.close();
}
