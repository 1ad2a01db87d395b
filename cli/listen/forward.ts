import { request } from 'undici';
import { innermost } from '../failure.ts';
import type { Answer, Arrival } from './receiver.ts';

/** They are about one connection, or frame the message: each side sets its own. */
const ofConnection = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const maxAnswerBytes = 1024 * 1024;

export type Forwarded = { answer: Answer; fault?: string };

/** The local server's answer to a delivery; 502 when it gives none that can be passed on. */
export async function forward(to: URL, { method, headers, body }: Omit<Arrival, 'at'>, timeoutMs: number): Promise<Forwarded> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await request(to, { method, headers: passedOn(headers), body: body.length > 0 ? body : null, signal });
    const answered = await limited(response.body);
    if (!answered) return failed(`its answer is over ${maxAnswerBytes / 1024} kB`);
    return { answer: { status: response.statusCode, headers: passedOn(response.headers), body: answered } };
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    return failed(isLate ? `no answer within ${timeoutMs / 1000} s` : innermost(error));
  }
}

function failed(fault: string): Forwarded {
  return { answer: { status: 502, body: `kanal webhooks listen: ${fault}\n` }, fault };
}

const passedOn = <Value>(headers: Record<string, Value>) =>
  Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && !ofConnection.has(name))) as Record<
    string,
    Exclude<Value, undefined>
  >;

/** Undefined: too large. */
async function limited(stream: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
