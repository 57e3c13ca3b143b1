/** What a thread does with run files. */
import { withSharedArrays } from '../../io/aside/shared.ts';
import { does } from '../../io/aside/task.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { readRunFacts } from './facts.ts';
import { writeFigure } from './figure.ts';
import { exportRun, packFigure, packRun, runPacker, unpackFacts, unpackRun } from './packer.ts';
import { readRun } from './read.ts';

does(packRun, (run) => hostWorkloads[run.workload].runFile.write(run));
does(packFigure, writeFigure);
// What looks at the run afterwards does so on such a thread, too: it is not copied again.
does(unpackRun, async ({ bytes, name }) => withSharedArrays(await readRun(bytes, name)));
does(unpackFacts, ({ bytes, name }) => readRunFacts(bytes, name));
does(exportRun, ({ run, what }) => hostWorkloads[run.workload].exported(run, what, runPacker));
