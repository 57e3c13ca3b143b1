/** The texts of a reproducer's folder: how it is built, and what to do with it. */

interface Built {
  /** Name of the user's file. */
  readonly name: string;
  /** What is compiled: that file, or the one of ours that includes it. */
  readonly main: string;
  /** The folder of the file that it replaces, among the kernels. */
  readonly beside: string;
  readonly device: 'cpu' | 'cuda';
  readonly flags: readonly string[];
}

const quoted = (word: string): string => `"${word.replace(/(["\\$;])/g, '\\$1')}"`;

/** What CMakeLists.txt of every reproducer reads. */
export function kernelCmake({ name, main, beside, device, flags }: Built): string {
  const values: readonly (readonly [string, readonly string[]])[] = [
    ['BB_NAME', [name]],
    ['BB_MAIN', [main]],
    ['BB_BESIDE', [beside]],
    ['BB_DEVICE', [device]],
    ['BB_FLAGS', flags],
  ];
  return `${values.map(([key, words]) => `set(${[key, ...words.map(quoted)].join(' ')})`).join('\n')}\n`;
}

const CUDA = `
## In cuda-gdb

    cmake -B build -DDEBUG_KERNEL=ON && cmake --build build
    cuda-gdb --args ./bin/reproduce --once

## Under compute-sanitizer

    compute-sanitizer ./bin/reproduce --once
    compute-sanitizer --tool racecheck ./bin/reproduce --once

Without a GPU at hand, name one to compile for: \`cmake -B build -DGPU_ARCH=sm_90\`.
`;

const CPU = `
## In a debugger, and under sanitizers

    cmake -B build -DCMAKE_BUILD_TYPE=Debug && cmake --build build
    gdb --args ./bin/reproduce --once
    valgrind ./bin/reproduce --once
`;

interface Told {
  readonly name: string;
  readonly title: string;
  readonly base: string;
  readonly replaces: string;
  readonly device: 'cpu' | 'cuda';
  readonly version: string;
}

export function readmeText({ name, title, base, replaces, device, version }: Told): string {
  return `# ${title}

\`${name}\` on one problem, outside of Braggbench ${version}. It takes the place of \`${replaces}\` in ${base}.

    cmake -B build && cmake --build build
    ./bin/reproduce

The program prepares the problem, checks the result, and times it. It ends with 1 where the result is wrong. With
\`--no-check\` nothing is compared, and \`--once\` does it once without a check: for debuggers.
${device === 'cuda' ? CUDA : CPU}
## What is here

| File | What it is |
| --- | --- |
| \`${name}\` | the kernel: change it here, and build again |
| \`problem.json\` | the problem as the engine takes it: arrays, grid, launch and seed of what is made up |
| \`scenario.json\` | the same as the workbench opens it |
| \`program\` | reads the problem and runs the kernel |
| \`kernels\`, \`include\` | our kernels and headers, which it includes |
| \`lib\` | our engine, compiled for this system |
`;
}
