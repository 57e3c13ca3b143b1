/** Depth doses in water by TOPAS, read from the bundled file on demand. */

// Vite puts the file into a separate chunk.
const files = import.meta.glob('../../assets/reference/topas-water-depth-dose.csv', {
  query: '?raw',
  import: 'default',
  eager: true,
}) as Readonly<Record<string, string>>;

export const topas = Object.values(files)[0] ?? '';
