/** Writes tables as Apache Parquet: columns of doubles and texts, which may contain nulls, compressed with Snappy. */

interface ParquetColumn {
  readonly name: string;
  readonly type: 'DOUBLE' | 'STRING';
  readonly data: readonly (number | string | null)[];
}

/** Returns the file's bytes. `notes` becomes the key-value metadata of the file. */
export async function parquetBytes(
  columns: readonly ParquetColumn[],
  notes: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  // Loaded on demand, because few runs write a table.
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const bytes = parquetWriteBuffer({
    columnData: columns.map(({ name, type, data }) => ({ name, type, data: [...data], nullable: true })),
    kvMetadata: Object.entries(notes).map(([key, value]) => ({ key, value })),
    createdBy: 'Braggbench',
  });
  return new Uint8Array(bytes);
}
