/** `braggbench mcp`: lets coding agents work on problems and judges their attempts, over standard input and output. */
import { realpath } from 'node:fs/promises';
import { dataFolder } from '../../host/index.ts';
import { flagNumber, flagSeconds, flagValue, gpuFlag, UsageError } from '../arguments.ts';
import { programVersion } from '../assets-folder.ts';
import { withPipedRemoteFlag } from '../remote/on-host.ts';
import { withHost } from '../subjects.ts';
import { exitCodes } from '../verb.ts';

const MAX_SECONDS = 60;
/**
 * Smallest time limit of one call, s. The first call of a Python kernel imports libraries, which needs seconds on busy
 * cores.
 */
const MIN_CALL_SECONDS = 20;
/** Default duration of a session, s. It is short, because agents explore many attempts. */
const DEFAULT_SECONDS = 10;
/** Size limit of a message, bytes. A kernel of 1 MiB fits after JSON escaping. */
const MAX_MESSAGE_BYTES = 8 * 2 ** 20;

export const mcpVerb = withPipedRemoteFlag({
  name: 'mcp',
  usage: 'mcp [FOLDER…] [--trust FOLDER …] [--time 60s] [--port N]',
  summary: 'let a coding agent submit kernels, over the Model Context Protocol',
  details: [
    'Serves the tools list_problems, read_problem, submit_kernel, explain_slow, ladder, claims and sanitize on standard input and output. A problem is a problem folder, such as new-kernel creates, or a scenario of a user kernel. Each attempt is compiled, checked with hidden inputs and measured; its source and session are saved in the library.',
    'Submissions are refused until you trust the folder: they are code that runs with your rights. Several servers of one user measure one after another, in the order of their requests.',
  ],
  flags: [
    {
      name: 'trust',
      value: 'FOLDER',
      repeats: true,
      help: 'Serve this folder too, and run kernels that agents submit to its problems.',
    },
    { name: 'time', value: '60s', help: `Maximum seconds of one session; ${MAX_SECONDS} s by default.` },
    {
      name: 'port',
      value: 'N',
      help: 'Serve JSON over HTTP on 127.0.0.1 instead, for scripts; 0 chooses any free port. Prints the address, which contains a token.',
    },
    gpuFlag,
  ],
  examples: [
    'braggbench mcp problems',
    'braggbench mcp --trust problems --time 30s',
    'braggbench mcp --trust problems --port 0',
  ],
  operands: { min: 0, max: 100, name: 'folders that contain problems' },
  run: async ({ parsed, terminal, signal }) => {
    const trusted = parsed.flags.get('trust') ?? [];
    const mostSeconds = flagSeconds(parsed, 'time', 3600) ?? MAX_SECONDS;
    if (mostSeconds < 1) throw new UsageError(`--time: ${mostSeconds} s is too short; allowed: 1 to 3600 seconds`);
    const port = flagNumber(parsed, 'port', { min: 0, max: 65_535, whole: true });
    const folders = new Set<string>();
    for (const folder of [...parsed.operands, ...trusted]) {
      const found = await realpath(folder).catch(() => null);
      if (found === null) throw new UsageError(`the folder ${folder} does not exist`);
      folders.add(found);
    }
    if (folders.size === 0) throw new UsageError('mcp needs a folder with problems, or --trust FOLDER');
    // Load the modules on demand, because no other verb needs the protocol.
    const [{ StdioServerTransport }, { mcpServer, serveTools }, { Workshop }] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/stdio.js'),
      import('../mcp/server.ts'),
      import('../mcp/workshop.ts'),
    ]);
    return withHost(
      async (host) => {
        host.userKernels.limit_s = Math.max(mostSeconds, MIN_CALL_SECONDS);
        const workshop = new Workshop({ host, dataFolder: dataFolder(), folders: [...folders], trusted, mostSeconds });
        const usualSeconds = Math.min(DEFAULT_SECONDS, mostSeconds);
        const server = mcpServer({ workshop, version: await programVersion(), mostSeconds, usualSeconds });
        if (port !== undefined) {
          const { serveScripts } = await import('../mcp/http.ts');
          await serveScripts(server, port, signal, (url) => terminal.print(url));
          return exitCodes.done;
        }
        terminal.printNote(`Serving ${[...folders].join(', ')} to one agent. Stop with Ctrl+C.`);
        const transport = new StdioServerTransport(process.stdin, process.stdout, {
          maxBufferSize: MAX_MESSAGE_BYTES,
        });
        // A client disconnects by closing the input of the server.
        process.stdin.once('end', () => void server.close());
        await serveTools(server, transport, signal);
        return exitCodes.done;
      },
      flagValue(parsed, 'gpu'),
    );
  },
});
