import type { Dispatcher } from 'undici';

/**
 * What an attempt keeps of the answer: status line, headers and the first bytes of the body, at most `maxBytes` in UTF-8.
 * A body that ends within the limit leaves the connection usable; a longer one is cut off and its connection closed.
 * A body that breaks off or is too slow gives what came.
 */
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
  // Leaving the loop early destroys the stream, which reports that as an error of its own.
  body.on('error', () => {});
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch {
    // The status has arrived and decides the outcome; the body is only kept for people to read.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** At most `maxBytes` of UTF-8, no character cut in two, no NUL, which PostgreSQL's text cannot hold. */
function cut(text: string, maxBytes: number): string {
  const buffer = new Uint8Array(maxBytes);
  const { written } = new TextEncoder().encodeInto(text.replaceAll('\0', ''), buffer);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer.subarray(0, written));
}
