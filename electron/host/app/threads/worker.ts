/** Worker thread of the host. It performs the tasks that the modules imported here register. */
import { parentPort } from 'node:worker_threads';
import { BraggError, toWireError } from '../../../contract/errors.ts';
import { performInThisThread } from '../../io/threads/task.ts';
import {
  type MessageFromThread,
  type MessageToThread,
  type Piece,
  PieceAssembler,
  splitIntoPieces,
} from '../../io/threads/threads.ts';
import '../claim-table/index.ts';
import '../compare/times.ts';
import '../projects/pack.ts';
import '../projects/unpack.ts';
import '../run-files/tasks.ts';
import '../sessions/index.ts';
import '../studies/cluster/download.ts';
import '../studies/results.ts';
import '../../model/fields/field.ts';
import '../../model/reproducer/reproducer.ts';
import '../../model/tuning/files/t4.ts';
import '../../model/user-kernels/includes.ts';
import '../../model/user-kernels/value-files.ts';
import '../../workloads/diffraction/summary.ts';
import '../../workloads/diffraction/refine.ts';
import '../../workloads/transport/readouts.ts';
import '../../workloads/transport/beams/commission.ts';
import '../../workloads/transport/beams/sobp-fit.ts';
import '../../workloads/transport/beams/volume.ts';
import '../../workloads/transport/display/map-file.ts';
import '../../workloads/transport/dose-file.ts';
import '../../workloads/index.ts';
import '../../workloads/scenarios/scenarios.ts';

/** Pieces of responses that the host has not requested yet, by task. */
const remainingPieces = new Map<number, Iterator<{ readonly piece: Piece; readonly last: boolean }>>();

/**
 * Collects the array buffers in a response. They are not used elsewhere, so they are transferred to the host without a
 * copy.
 */
function collectBuffers(value: unknown, found: Set<ArrayBuffer> = new Set()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    if (buffer instanceof ArrayBuffer && value.byteLength === buffer.byteLength) found.add(buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) collectBuffers(part, found);
  }
  return found;
}

function send(message: MessageFromThread, moved: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}

function sendNext(id: number): void {
  const pieces = remainingPieces.get(id);
  const next = pieces?.next();
  if (pieces === undefined || next === undefined || next.done === true) return;
  const { piece, last } = next.value;
  if (last) remainingPieces.delete(id);
  send({ kind: 'piece', id, piece, last }, piece.kind === 'value' ? [...collectBuffers(piece.value)] : []);
}

function sendResult(id: number, value: unknown): void {
  const pieces = splitIntoPieces(value);
  remainingPieces.set(id, pieces.map((piece, i) => ({ piece, last: i === pieces.length - 1 })).values());
  sendNext(id);
}

/** Arguments of tasks, assembled from the pieces received so far. */
const requests = new Map<number, PieceAssembler>();

function addPiece(id: number, piece: Piece): unknown {
  const assembly = requests.get(id) ?? new PieceAssembler();
  requests.set(id, assembly);
  return assembly.add(piece);
}

/** Abort controllers of running tasks. */
const runningTasks = new Map<number, AbortController>();

async function performTask({ id, name, piece }: Extract<MessageToThread, { kind: 'task' }>): Promise<unknown> {
  const argument = addPiece(id, piece);
  requests.delete(id);
  const cancel = new AbortController();
  runningTasks.set(id, cancel);
  try {
    return await performInThisThread(name, argument, cancel.signal);
  } finally {
    runningTasks.delete(id);
  }
}

parentPort?.on('message', (message: MessageToThread) => {
  const { id } = message;
  if (message.kind === 'more') sendNext(id);
  else if (message.kind === 'cancel') runningTasks.get(id)?.abort(new BraggError('disconnected', 'It was cancelled.'));
  else if (message.kind === 'part') addPiece(id, message.piece);
  else {
    performTask(message).then(
      (value) => sendResult(id, value),
      (error: unknown) => send({ kind: 'failed', id, error: toWireError(error) }),
    );
  }
});
