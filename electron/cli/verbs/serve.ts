/** `braggbench serve`: serves the workbench to a browser. */
import { resolve } from 'node:path';
import { MIN_RECOVERED_RUN_MS } from '../../contract/recovery.ts';
import { flagNumber, flagValue, gpuFlag, hasFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { scenarioPath } from '../read-scenario.ts';
import { exitCodes, type Verb } from '../verb.ts';

/** Resolves when the signal is aborted. */
function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => {
    signal.addEventListener('abort', () => done(), { once: true });
  });
}

export const serveVerb: Verb = {
  name: 'serve',
  usage: 'serve [--port N] [--scenario FILE] [--run] [--gpu INDEX|UUID]',
  summary: 'open the workbench in a browser',
  details: [
    'Serves the workbench on 127.0.0.1 and prints its address, which contains a token: nobody gets access without it. For another machine use braggbench connect. Stop with Ctrl+C.',
  ],
  flags: [
    { name: 'port', value: 'N', help: 'Port; the first free one from 7340 on by default.' },
    { name: 'scenario', value: 'FILE', help: 'Scenario to open at the start.' },
    gpuFlag,
    { name: 'run', help: 'Run the scenario immediately.' },
    {
      name: 'session',
      value: 'FOLDER',
      help: 'Used by braggbench connect: read the token from this file, write the address to it, and exit when idle.',
    },
    { name: 'as', value: 'NAME', help: 'With --session: the host name of this machine as the user entered it.' },
  ],
  examples: [
    'braggbench serve --scenario water-150MeV',
    'ssh -L 7340:127.0.0.1:7340 server npx braggbench serve --port 7340',
  ],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal, signal }) => {
    const port = flagNumber(parsed, 'port', { min: 0, max: 65_535, whole: true });
    const scenario = flagValue(parsed, 'scenario');
    const gpu = flagValue(parsed, 'gpu');
    const session = flagValue(parsed, 'session');
    // Load the server on demand, because no other verb needs it.
    const { serve } = await import('../../server/index.ts');
    const served = await serve({
      port: port ?? null,
      assetsFolder: assetsFolder(),
      ...(scenario === undefined ? {} : { scenario: resolve(scenarioPath(scenario)) }),
      ...(gpu === undefined ? {} : { gpu }),
      run: hasFlag(parsed, 'run'),
      ...(session === undefined ? {} : { session: { folder: resolve(session), as: flagValue(parsed, 'as') ?? '' } }),
    });
    // Omit the token for a remote session, because its output is logged.
    terminal.print(session === undefined ? served.url : `Serving on port ${served.port}.`);
    await Promise.race([waitForAbort(signal), served.idle]);
    const { kept, sessions, lost } = await served.close();
    const runs = (n: number): string => `${n} ${n === 1 ? 'run' : 'runs'} not saved`;
    if (kept > 0) terminal.printNote(`${runs(kept)}: saved, and offered at the next start.`);
    const benches = `${sessions} ${sessions === 1 ? 'benchmark' : 'benchmarks'} not saved`;
    if (sessions > 0) terminal.printNote(`${benches}: saved, and offered at the next start.`);
    const short = `ended within ${MIN_RECOVERED_RUN_MS / 1000} s or before the first step`;
    if (lost > 0) terminal.printNote(`${runs(lost)}, and dropped: ${lost === 1 ? 'it' : 'they'} ${short}.`);
    return exitCodes.done;
  },
};
