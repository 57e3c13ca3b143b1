/** What a thread does with run files. */
import { does } from '../../io/aside/task.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { readRunFacts } from './facts.ts';
import { writeFigure } from './figure.ts';
import { packFigure, packRun, unpackFacts, unpackRun } from './packer.ts';
import { readRun } from './read.ts';

does(packRun, (run) => hostWorkloads[run.workload].runFile.write(run));
does(packFigure, writeFigure);
does(unpackRun, ({ bytes, name }) => readRun(bytes, name));
does(unpackFacts, ({ bytes, name }) => readRunFacts(bytes, name));
