import type { Dispatcher } from 'undici';

/** At most `maxBytes` of UTF-8. A longer body closes its connection; a body that breaks off or is too slow gives what came. */
export async function responseHead(response: Dispatcher.ResponseData, maxBytes: number): Promise<string> {
  const body = await firstBytes(response.body, maxBytes);
  const lines = [`HTTP/1.1 ${response.statusCode} ${response.statusText}`.trimEnd()];
  for (const [name, value] of Object.entries(response.headers)) {
    for (const each of [value ?? []].flat()) lines.push(`${name}: ${each}`);
  }
  return cut(`${lines.join('\n')}\n\n${body.toString('utf8')}`, maxBytes);
}

async function firstBytes(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early destroys the stream, which then reports an error.
  body.on('error', () => {});
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch {
    // The status decides the outcome; the body is only for people.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Cuts no character in two, and drops NUL, which PostgreSQL's text refuses. */
function cut(text: string, maxBytes: number): string {
  const buffer = new Uint8Array(maxBytes);
  const { written } = new TextEncoder().encodeInto(text.replaceAll('\0', ''), buffer);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer.subarray(0, written));
}
