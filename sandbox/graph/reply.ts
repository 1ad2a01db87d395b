import { randomBytes } from 'node:crypto';
import type { GraphResponse } from './context.ts';

export function reply(res: GraphResponse, status: number, body: object): void {
  const { entry, version, traceId, dropsAnswer } = res.locals;
  if (dropsAnswer) {
    res.socket?.destroy();
    return;
  }
  entry.status = status;
  const json = Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    'content-type': 'application/json; charset=UTF-8',
    'content-length': json.length,
    'facebook-api-version': version,
    'x-fb-request-id': randomBytes(8).toString('hex'),
    'x-fb-trace-id': traceId,
  });
  res.end(json);
}
