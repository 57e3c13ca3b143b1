/** Host functions of the command line: projects, timelines and files of runs. */

export { type PackRequest, packProject } from '../app/projects/pack.ts';
export { unpackProject } from '../app/projects/unpack.ts';
export { runPacker } from '../app/run-files/packer.ts';
export { NOTES_FOLDER } from '../app/timelines/notes.ts';
export { TraceProcess } from '../app/timelines/timelines.ts';
export { chromeTraceText } from '../model/timeline/export.ts';
export { importRun } from '../model/timeline/import/run.ts';
export { spanCount } from '../model/timeline/trace.ts';
