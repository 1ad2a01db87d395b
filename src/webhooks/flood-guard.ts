import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** More than any answer that is read whole: a head of 16 kB and 20 kB of a body, with their framing. */
export const maxAnswerBytes = 256 * 1024;

/**
 * undici sees only after a piece that its head is too large, and spends 15 µs on each header of the rest of it: 64 kB of headers held the
 * worker for 0.3 s.
 */
const pieceBytes = 4 * 1024;

/** Without a `code`: on some codes undici retries by itself. */
class EndlessAnswer extends Error {
  override name = 'EndlessAnswer';
}

/**
 * Bounds what is parsed of an answer. undici bounds the head alone: a status line, interim answers (102, 103) and the size of a chunk could
 * go on at full speed until the attempt's time is over.
 */
export const withoutFloods =
  (connect: buildConnector.connector, maxBytes = maxAnswerBytes): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) guard(socket, maxBytes);
      callback(...result);
    });

function guard(socket: Socket, maxBytes: number): void {
  const read = socket.read.bind(socket);
  let written = socket.bytesWritten;
  let bytes = 0;
  socket.read = (size) => {
    // Refused: Node would still hand out what it has read ahead.
    if (socket.destroyed) return null;
    const chunk: Buffer | null = read(size ?? (socket.readableLength > pieceBytes ? pieceBytes : undefined));
    if (chunk === null) return null;
    // Something was sent since: a new request, and this is of its answer.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      bytes = 0;
    }
    bytes += chunk.length;
    if (bytes <= maxBytes) return chunk;
    socket.destroy(new EndlessAnswer('an answer without an end'));
    return null;
  };
}
