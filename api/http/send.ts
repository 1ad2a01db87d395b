import { pipeline, type Readable } from 'node:stream';
import type { Response } from 'express';
import type { ErrorShape, Reply } from './endpoint.ts';
import { renderError, toAppError } from './errors.ts';
import type { HoldReply } from './intake/replies.ts';

const nameOfCookie = (cookie: string) => cookie.slice(0, cookie.indexOf('='));

/** A session may have been extended by this request: its cookie stays beside another one of the reply, and gives way to its own end. */
function setCookie(res: Response, cookie: string) {
  const before = [res.getHeader('Set-Cookie') ?? []].flat().map(String);
  const others = before.filter((one) => nameOfCookie(one) !== nameOfCookie(cookie));
  res.setHeader('Set-Cookie', [...others, cookie]);
}

export function setHeaders(res: Response, { headers, operationId }: Pick<Reply, 'headers' | 'operationId'>) {
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (name === 'Set-Cookie') setCookie(res, value);
    else res.setHeader(name, value);
  }
  if (!operationId) return;
  res.setHeader('Operation-Id', operationId);
  res.setHeader('Link', `</v1/operations/${operationId}>; rel="monitor"`);
}

export function send(res: Response, reply: Reply, holdReply: HoldReply) {
  const { status, body, stream } = reply;
  const json = stream || body === undefined || typeof body === 'string' ? undefined : jsonOf(reply);
  const bytes = json === undefined ? 0 : Buffer.byteLength(json);
  // Before the headers are set: a refusal must not have them.
  holdReply(res, bytes);
  setHeaders(res, reply);
  res.statusCode = status;
  if (stream) sendStream(res, stream);
  else if (json !== undefined) sendText(res, 'application/json', json, bytes);
  else if (body === undefined) res.end();
  else sendText(res, 'text/plain', body as string, Buffer.byteLength(body as string));
}

function jsonOf({ body, texts }: Reply): string {
  const json = JSON.stringify(body);
  if (!texts) return json;
  const fields = Object.entries(texts).map(([name, text]) => `,${JSON.stringify(name)}:${text}`);
  return `${json.slice(0, -1)}${fields.join('')}}`;
}

/** An error midway cuts the reply off: a client must not take a part for the whole. */
function sendStream(res: Response, stream: Readable) {
  // Nothing can be piped into a reply whose client has left.
  if (res.req.method === 'HEAD' || res.destroyed) {
    stream.destroy();
    res.end();
    return;
  }
  stream.once('error', (error: NodeJS.ErrnoException) => {
    // A client that left ends the stream too: no error.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') res.locals.cause = error;
  });
  pipeline(stream, res, () => undefined);
}

/** `res.json` and `res.send` without what our replies never need: settings, content negotiation, freshness. */
function sendText(res: Response, contentType: string, text: string, bytes: number) {
  res.setHeader('Content-Type', `${contentType}; charset=utf-8`);
  res.setHeader('Content-Length', bytes);
  if (res.req.method === 'HEAD') return void res.end();
  // A byte a character is ASCII. As such it needs no other encoding, and up to 16 KB with its headers no memory of its own, but for UTF-8
  // Node reckons with three bytes for each.
  res.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

export function answerError(error: unknown, shape: ErrorShape = 'standard', res: Response) {
  const known = toAppError(error);
  res.locals.errorCode = known.code;
  if (known.status >= 500) res.locals.cause = known.cause ?? known;
  if (res.headersSent) return void res.destroy();
  setHeaders(res, { headers: known.headers });
  if (known.retryAfterSeconds) res.setHeader('Retry-After', String(known.retryAfterSeconds));
  const { body, contentType } = renderError(known, shape, String(res.locals.requestId));
  res.statusCode = known.status;
  const text = JSON.stringify(body);
  sendText(res, contentType, text, Buffer.byteLength(text));
}
