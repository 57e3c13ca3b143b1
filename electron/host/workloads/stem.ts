/** A file name that every system takes, from whatever the run is called. */
export function stem(name: string): string {
  const plain = name.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-');
  return plain.replace(/^[-.]+|[-.]+$/g, '').slice(0, 80) || 'run';
}
