/** How many values a test tries: `npm test` a quarter of what `npm run test:all` does. */
export const runs = (all: number): number => (process.env['BRAGGBENCH_FUZZ'] === 'all' ? all : Math.ceil(all / 4));
