/** Gates on the physics take minutes in full: `npm run test:all -- gates` has them all, `npm test` some that stand for them. */
export const allGates = process.env['BRAGGBENCH_GATES'] === 'all';
