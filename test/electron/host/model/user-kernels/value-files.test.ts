/** Values of a problem's inputs from files, byte by byte. */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { validateScenario } from '../../../../../electron/contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../../../electron/contract/scenario/user-problem/index.ts';
import { createFile } from '../../../../../electron/host/io/hdf5/h5.ts';
import { type ValueFile, valueFile } from '../../../../../electron/host/model/user-kernels/value-files.ts';
import { valuesInFiles } from '../../../../../electron/host/workloads/task/user-problem/definition.ts';
import { sameScratchFolder } from '../../../../scratch-folder.ts';

const scratch = sameScratchFolder('value-files');

async function read(name: string, bytes: Uint8Array, of: Partial<ValueFile>): Promise<readonly number[]> {
  const file = path.join(scratch, name);
  await writeFile(file, bytes);
  const made = await valueFile({ file, dataset: '', type: 'fp32', shape: [2], cache: scratch, ...of });
  const values = await readFile(made);
  return [...new Float64Array(values.buffer.slice(values.byteOffset, values.byteOffset + values.byteLength))];
}

/** A header of version 1 with its padding left out, which readers need not have. */
function npy(descr: string, shape: string, data: Uint8Array, order = 'False'): Uint8Array {
  const header = Buffer.from(`{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`, 'latin1');
  const head = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0]);
  return Buffer.concat([head, header, data]);
}

const floats = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

function tensors(header: object, data: Uint8Array): Uint8Array {
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, data]);
}

test('reads the numbers of each format', async () => {
  expect(await read('a.npy', npy('<f4', '(2,)', floats(0.5, -2)), {})).toEqual([0.5, -2]);
  expect(await read('c.npy', npy('<c8', '(1,)', floats(0.5, -2)), { type: 'complex64', shape: [1] })).toEqual([
    0.5, -2,
  ]);
  // 0x3c00 is 1 in binary16, 0x0001 the smallest above 0: 2^-24. In bf16 0x3f80 is 1, and 0xc000 is -2.
  const halves = new Uint8Array(Uint16Array.of(0x3c00, 1).buffer);
  expect(await read('a.bin', halves, { type: 'fp16' })).toEqual([1, 2 ** -24]);
  const brains = new Uint8Array(Uint16Array.of(0x3f80, 0xc000).buffer);
  const header = { __metadata__: { a: 'b' }, w: { dtype: 'BF16', shape: [1, 2], data_offsets: [0, 4] } };
  const of = { type: 'bf16', shape: [1, 2] } as const;
  expect(await read('a.safetensors', tensors(header, brains), { ...of, dataset: 'w' })).toEqual([1, -2]);
  const hdf5 = await createFile((file) => {
    file.create_group('g').create_dataset({ name: 'x', data: Int32Array.of(7, 9), shape: [2] });
  });
  expect(await read('a.h5', hdf5, { type: 'int32', dataset: 'g/x' })).toEqual([7, 9]);
});

test('reads what NumPy writes', async () => {
  const file = path.join(scratch, 'numpy.npy');
  execFileSync('python3', [
    '-c',
    'import numpy as np, sys; np.save(sys.argv[1], np.arange(6, dtype="i8").reshape(2, 3))',
    file,
  ]);
  expect(await read('numpy.npy', await readFile(file), { type: 'int32', shape: [2, 3] })).toEqual([0, 1, 2, 3, 4, 5]);
});

test.each([
  ['a.npy', npy('<f4', '(3,)', floats(1, 2, 3)), {}, /has the shape \[3\]; allowed: \[2\]/],
  ['b.npy', npy('>f4', '(2,)', floats(1, 2)), {}, /big-endian/],
  ['c.npy', npy('<f4', '(2,)', floats(1, 2), 'True'), {}, /column order/],
  ['d.npy', npy('<U4', '(2,)', floats(1, 2)), {}, /numbers of kind U4; allowed: f8/],
  ['e.npy', Buffer.from('text'), {}, /no NPY header/],
  ['a.bin', floats(1, 2, 3), {}, /has 3 numbers; allowed: 2/],
  ['b.bin', Buffer.alloc(7), {}, /7 bytes are no whole count/],
  ['a.npy', npy('<f4', '(2,)', floats(1, 2.5)), { type: 'int32' }, /number 1 is 2\.5; allowed: whole numbers/],
  ['a.safetensors', tensors({ w: {} }, floats()), { dataset: 'v' }, /has no tensor "v"; allowed: w/],
  [
    'b.safetensors',
    tensors({ w: { dtype: 'F32', shape: [2], data_offsets: [0, 99] } }, floats(1, 2)),
    { dataset: 'w' },
    /w lies outside of the file/,
  ],
  ['c.safetensors', Buffer.alloc(16, 0xff), { dataset: 'w' }, /header is longer than the file/],
  ['a.h5', Buffer.from('no HDF5'), { dataset: 'x' }, /not an HDF5 file/],
  ['a.txt', floats(1, 2), {}, /allowed: \.npy, \.bin/],
] as const)('refuses %s with the reason', async (name, bytes, of, says) => {
  await expect(read(name, bytes, of)).rejects.toThrow(says);
});

const problem = (values: object, others: readonly object[] = []) => ({
  ...{ kind: 'user-problem', version: 1, name: 'p', problem: { n: 2 }, axes: [{ name: 'n' }] },
  arrays: [
    { name: 'x', role: 'input', type: 'fp32', shape: ['n'], values },
    ...others,
    { name: 'y', role: 'output', type: 'fp32', shape: ['n'], tolerance: { absolute: 1e-3 } },
  ],
  reference: 'reference.py',
});
const random = { name: 'z', role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'normal' } };

test('a path outside of the folder is no value file', () => {
  for (const bad of ['../x.npy', '/etc/x.npy', 'a/../../x.npy', 'C:x.npy'])
    expect(validateScenario(problem({ kind: 'file', path: bad }, [random])).faults[0]?.message).toContain(
      'a path in the folder of the problem',
    );
  expect(validateScenario(problem({ kind: 'file', path: './blob/..x.npy' }, [random])).faults).toEqual([]);
});

test('a file that does not fit is an error at its place in the problem', async () => {
  await writeFile(path.join(scratch, 'three.npy'), npy('<f4', '(3,)', floats(1, 2, 3)));
  const { filled } = validateScenario(problem({ kind: 'file', path: 'three.npy' }, [random]));
  if (filled?.kind !== USER_PROBLEM) throw new Error('no problem');
  const { faults } = await valuesInFiles(filled, scratch, scratch);
  expect(faults).toMatchObject([{ path: ['arrays', 0, 'values', 'path'] }]);
  expect(faults[0]?.message).toContain('three.npy has the shape [3]; allowed: [2]');
  expect((await valuesInFiles(filled, null, scratch)).faults[0]?.message).toContain('a saved problem');
});
