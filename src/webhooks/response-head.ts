import type { Dispatcher } from 'undici';

/** At most `maxBytes` of UTF-8. A longer body closes its connection; a body that breaks off or is too slow gives what came. */
export async function responseHead(response: Dispatcher.ResponseData, maxBytes: number): Promise<string> {
  const body = await firstBytes(response.body, maxBytes);
  const lines = [`HTTP/1.1 ${response.statusCode} ${response.statusText}`.trimEnd()];
  for (const [name, value] of Object.entries(response.headers)) {
    if (typeof value === 'string') lines.push(`${name}: ${value}`);
    else for (const each of value ?? []) lines.push(`${name}: ${each}`);
  }
  return cut(`${lines.join('\n')}\n\n${body.toString('utf8')}`, maxBytes);
}

/** Never rejects: the status decides the outcome, and the body is only for people. */
function firstBytes(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = () => resolve(Buffer.concat(chunks).subarray(0, maxBytes));
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      body.destroy();
      done();
    });
    body.on('end', done);
    body.on('error', done);
    body.on('close', done);
  });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** UTF-8 of one unit of a string. */
const maxBytesOfUnit = 3;

/** Cuts no character in two, and drops NUL, which PostgreSQL's text refuses. */
function cut(text: string, maxBytes: number): string {
  const clean = text.replaceAll('\0', '');
  if (clean.length * maxBytesOfUnit <= maxBytes) return clean;
  const buffer = new Uint8Array(maxBytes);
  const { written } = encoder.encodeInto(clean, buffer);
  return decoder.decode(buffer.subarray(0, written));
}
