/** Bytes that a variant declares to move for a cell and step; 0 when unknown. */
export type DeclaredBytes = (variant: string) => number;
