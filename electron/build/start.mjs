/**
 * `npm start`: installs missing packages, builds outdated parts, and opens the workbench. It opens in Electron if the
 * runtime starts, otherwise in the browser.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { callerFolder, inRoot } from './setup/root.mjs';
import { Failure, main, printLine } from './setup/say.mjs';
import { allSteps, build, prepare } from './steps/all.mjs';

const USAGE = `npm start [-- OPTIONS]
  --scenario FILE   open and run this scenario (default: assets/scenarios/water-70MeV.json)
  --browser         serve on 127.0.0.1 instead of opening an Electron window
  --port N          port of the browser's address (default: a free one)
  --no-open         print the address without opening a browser
  --gpu INDEX|UUID  GPU for runs (default: the first usable one)`;

const HIGHEST_PORT = 65535;

/** @param {readonly string[]} args */
function readOptions(args) {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      options: {
        scenario: { type: 'string' },
        browser: { type: 'boolean', default: false },
        port: { type: 'string' },
        'no-open': { type: 'boolean', default: false },
        gpu: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    const port = values.port === undefined ? null : Number(values.port);
    if (port !== null && !(Number.isInteger(port) && port >= 0 && port <= HIGHEST_PORT)) {
      throw new Error(`--port is ${values.port}; it must be a whole number from 0 to ${HIGHEST_PORT}.`);
    }
    const scenario = values.scenario === undefined ? null : path.resolve(callerFolder, values.scenario);
    if (scenario && !existsSync(scenario)) throw new Error(`--scenario ${values.scenario}: there is no such file.`);
    return { scenario, port, browser: values.browser, open: !values['no-open'], gpu: values.gpu, help: values.help };
  } catch (error) {
    throw new Failure(`${/** @type {Error} */ (error).message}\n\n${USAGE}`, 2);
  }
}

/**
 * Opens the workbench in Electron if possible, otherwise in the browser.
 * @param {ReturnType<typeof readOptions>} options
 * @param {import('./steps/staged.mjs').SolverBuild | null} solver build of the solver in progress
 * @returns {Promise<number>} its exit code
 */
async function openWorkbench(options, solver) {
  const scenario = ['--scenario', options.scenario ?? inRoot('assets/scenarios/water-70MeV.json')];
  const gpu = options.gpu === undefined ? [] : ['--gpu', options.gpu];
  // `--port` and `--no-open` make sense for the browser only.
  if (!options.browser && options.port === null && options.open) {
    const { runInElectron } = await import('./setup/electron-runtime.mjs');
    const result = await runInElectron([...scenario, ...gpu, '--run'], solver);
    if ('exitCode' in result) return result.exitCode;
    printLine(`Cannot open a window: ${result.reason}. Opening the workbench in the browser instead.`);
  }
  const { serveInBrowser } = await import('./setup/browser-shell.mjs');
  const port = options.port === null ? [] : ['--port', String(options.port)];
  return serveInBrowser([...scenario, ...gpu, '--run', ...port], { open: options.open, solver });
}

await main(async () => {
  const args = process.argv.slice(2);
  const options = readOptions(args);
  if (options.help) {
    printLine(USAGE);
    return 0;
  }
  const elsewhere = await prepare(args, { developer: false });
  if (elsewhere !== null) return elsewhere;
  const steps = await allSteps();
  const { needsCompiler, startStaged } = await import('./steps/staged.mjs');
  // With `--gpu`, wait for the complete solver, because only that can use a GPU.
  if (options.gpu === undefined && needsCompiler())
    return startStaged(steps, (solver) => openWorkbench(options, solver));
  await build(steps);
  return openWorkbench(options, null);
});
