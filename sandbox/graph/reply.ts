import { randomBytes } from 'node:crypto';
import type { GraphResponse } from './context.ts';

/** Bytes are JSON already. */
export function reply(res: GraphResponse, status: number, body: object): void {
  send(res, status, 'application/json; charset=UTF-8', Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)));
}

export function replyBytes(res: GraphResponse, contentType: string, bytes: Buffer): void {
  send(res, 200, contentType, bytes);
}

function send(res: GraphResponse, status: number, contentType: string, bytes: Buffer): void {
  const { entry, version, traceId, dropsAnswer } = res.locals;
  if (dropsAnswer) {
    res.socket?.destroy();
    return;
  }
  entry.status = status;
  res.writeHead(status, {
    'content-type': contentType,
    'content-length': bytes.length,
    'facebook-api-version': version,
    'x-fb-request-id': randomBytes(8).toString('hex'),
    'x-fb-trace-id': traceId,
  });
  res.end(bytes);
}
