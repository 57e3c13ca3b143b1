/** The number of values that a test tries: a quarter of those of `npm run test:all -- nightly`. */
export const runs = (all: number): number => (process.env['BRAGGBENCH_FUZZ'] === 'all' ? all : Math.ceil(all / 4));
