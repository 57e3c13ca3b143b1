/** `braggbench connect`: opens the workbench of another machine in a browser on this one. */
import { resolve } from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import type { Remote } from '../../contract/remote.ts';
import { formatBytes } from '../../domain/values/units.ts';
import { Connection, checkedHost, packProgram, programSource } from '../../host/api/studies.ts';
import { flagValue, hasFlag, UsageError } from '../arguments.ts';
import { ProgressBar } from '../progress-bar.ts';
import { localPrompts, loginNodeText, machineText, programRoot } from '../remote/remote-host.ts';
import { exitCodes, type Verb, type VerbContext } from '../verb.ts';

/** Returns a function that prints each new state of the connection. The address is printed as the result. */
function statePrinter({ terminal }: VerbContext, host: string): (remote: Remote) => void {
  const progress = new ProgressBar(terminal);
  let last = '';
  let knows = false;
  let copies = false;
  const say = (line: string): void => {
    progress.clear();
    if (line !== last) terminal.printNote(line);
    last = line;
  };
  return ({ state, machine }) => {
    if (machine !== null && !knows) {
      knows = true;
      say(machineText(host, machine));
      const other = machine.otherVersions.join(', ');
      if (other !== '') say(`Another version is installed there: ${other}. This version runs next to it.`);
    }
    switch (state.kind) {
      case 'connecting':
        return say(`Connecting to ${host}`);
      case 'copying':
        if (!copies) say(`Copying the program to ${host}, once`);
        copies = true;
        return progress.draw(`Copied ${formatBytes(state.done_bytes)} to ${host}`);
      case 'starting':
        return say(`Starting the workbench on ${host}`);
      case 'lost':
        return say(`${state.reason}; reconnecting. Remote computations continue.`);
      case 'open':
        say(`Connected to ${host}; Ctrl+C disconnects. Remote computations continue.`);
        return terminal.print(state.url);
      case 'login-node':
        return say(loginNodeText(host));
      case 'asks':
      case 'failed':
        return progress.clear();
    }
  };
}

export const connectVerb: Verb = {
  name: 'connect',
  usage: 'connect HOST [--anyway]; connect --pack FOLDER',
  summary: 'open the workbench of another machine, such as a GPU server, with your ssh client',
  details: [
    'Connects with your ssh client: aliases, jump hosts, agents, keys and second factors work as configured. No password is stored.',
    'Copies this program there once, with its own Node: neither root nor a CUDA toolkit is needed. Starts it on the loopback interface, forwards its port, and prints the address. If the connection is lost, it is restored, and the page finds the same runs.',
    'The remote server exits after 30 minutes without a page and without work.',
  ],
  flags: [
    { name: 'anyway', help: 'Start the workbench even on the login node of a cluster.' },
    {
      name: 'pack',
      value: 'FOLDER',
      help: 'Write the folder to be copied as an archive, for use on another system; Linux only.',
    },
  ],
  examples: ['braggbench connect gpubox', 'braggbench connect me@10.0.0.7'],
  operands: { min: 0, max: 1, name: 'a host' },
  run: async (context) => {
    const { parsed, terminal, signal } = context;
    const pack = flagValue(parsed, 'pack');
    const [given] = parsed.operands;
    if (pack !== undefined) {
      if (given !== undefined) throw new UsageError('connect --pack writes an archive and takes no host');
      const { version, platform, unpacked_bytes } = await packProgram(programRoot(), resolve(pack));
      terminal.print(`Packed ${version} for ${platform}: ${formatBytes(unpacked_bytes)} unpacked.`);
      return exitCodes.done;
    }
    if (given === undefined) throw new UsageError('connect needs a host, as for ssh: braggbench connect gpubox');
    const host = checkedHost(given);
    const tell = statePrinter(context, host);
    const connection: Connection = new Connection({
      ...{ id: 0, host, anyway: hasFlag(parsed, 'anyway') },
      asking: localPrompts().kind === 'terminal' ? 'terminal' : 'never',
      source: () => programSource(programRoot()),
      onChange: () => tell(connection.info),
    });
    const close = (): void => void connection.close();
    signal.addEventListener('abort', close, { once: true });
    await connection.ended;
    const { state } = connection.info;
    if (state.kind === 'failed') throw new BraggError('io', state.reason);
    return state.kind === 'login-node' ? exitCodes.failed : exitCodes.done;
  },
};
