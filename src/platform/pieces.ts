import type { Readable } from 'node:stream';
import { AppError } from './errors.ts';

/** The pieces of a request's body. A closed connection is a client error, whatever the socket reports. */
export async function* piecesOf(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new AppError('bad_request', 'The body did not arrive whole', { cause: error });
  }
}
