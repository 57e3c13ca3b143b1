/** Worker thread of the host; performs the tasks of every module imported here. */
import { parentPort } from 'node:worker_threads';
import { BraggError, toWireError } from '../../../contract/errors.ts';
import { Assembly, type Piece, piecesOf } from '../../io/aside/pieces.ts';
import { performHere } from '../../io/aside/task.ts';
import type { FromThread, ToThread } from '../../io/aside/threads.ts';
import '../claim-table/index.ts';
import '../compare/times.ts';
import '../projects/pack.ts';
import '../projects/unpack.ts';
import '../run-files/tasks.ts';
import '../sessions/aside.ts';
import '../studies/cluster/bring.ts';
import '../studies/results.ts';
import '../../model/fields/field.ts';
import '../../model/reproducer/problem.ts';
import '../../model/tuning/files/read.ts';
import '../../model/user-kernels/includes.ts';
import '../../model/user-kernels/made-up.ts';
import '../../model/user-kernels/value-files.ts';
import '../../workloads/diffraction/aside.ts';
import '../../workloads/diffraction/refine/measured.ts';
import '../../workloads/transport/aside.ts';
import '../../workloads/transport/beams/commission-fit.ts';
import '../../workloads/transport/beams/sobp-fit.ts';
import '../../workloads/transport/display/whole-fields.ts';
import '../../workloads/transport/dose-file.ts';
import '../../workloads/index.ts';
import '../../workloads/scenarios/index.ts';

/** Answer pieces that the host has not requested yet. */
const left = new Map<number, Iterator<{ readonly piece: Piece; readonly last: boolean }>>();

/** Arrays of an answer were made for it alone: they move to the host instead of being copied. */
function movable(value: unknown, found: Set<ArrayBuffer> = new Set()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    if (buffer instanceof ArrayBuffer && value.byteLength === buffer.byteLength) found.add(buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) movable(part, found);
  }
  return found;
}

function send(message: FromThread, moved: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}

function sendNext(id: number): void {
  const pieces = left.get(id);
  const next = pieces?.next();
  if (pieces === undefined || next === undefined || next.done === true) return;
  const { piece, last } = next.value;
  if (last) left.delete(id);
  send({ kind: 'piece', id, piece, last }, piece.kind === 'value' ? [...movable(piece.value)] : []);
}

function answer(id: number, value: unknown): void {
  const pieces = piecesOf(value);
  left.set(id, pieces.map((piece, i) => ({ piece, last: i === pieces.length - 1 })).values());
  sendNext(id);
}

/** Task arguments received so far, in pieces. */
const asked = new Map<number, Assembly>();

function taken(id: number, piece: Piece): unknown {
  const assembly = asked.get(id) ?? new Assembly();
  asked.set(id, assembly);
  return assembly.take(piece);
}

/** Cancels of the tasks that run. */
const running = new Map<number, AbortController>();

async function perform({ id, name, piece }: Extract<ToThread, { kind: 'task' }>): Promise<unknown> {
  const argument = taken(id, piece);
  asked.delete(id);
  const cancel = new AbortController();
  running.set(id, cancel);
  try {
    return await performHere(name, argument, cancel.signal);
  } finally {
    running.delete(id);
  }
}

parentPort?.on('message', (message: ToThread) => {
  const { id } = message;
  if (message.kind === 'more') sendNext(id);
  else if (message.kind === 'cancel') running.get(id)?.abort(new BraggError('disconnected', 'It was cancelled.'));
  else if (message.kind === 'part') taken(id, message.piece);
  else {
    perform(message).then(
      (value) => answer(id, value),
      (error: unknown) => send({ kind: 'failed', id, error: toWireError(error) }),
    );
  }
});
