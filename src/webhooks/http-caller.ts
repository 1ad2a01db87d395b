import { Agent, errors } from 'undici';
import { cut } from '../platform/cut.ts';
import { checkUrl, ForbiddenAddress, type Lookup, type UrlRules } from '../platform/network/address-guard.ts';
import { parseNetworks } from '../platform/network/address-ranges.ts';
import { AnswerTooLong, answerReader } from './answer.ts';
import { maxAnswerBytes, withoutFloods } from './flood-guard.ts';
import { ConnectFailed, vettedConnector } from './vetted-connector.ts';

/** What is read of a body. */
export const maxBodyBytes = 256 * 1024;
/** For lookup and connection, TLS included. */
const connectTimeoutMs = 5_000;

export type HttpCall = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** For the whole call: lookup, connection, answer. */
  timeoutMs: number;
};

export type LostReason = 'address' | 'connect' | 'timeout' | 'request' | 'answer';
/**
 * `isWhole`: the body did not break off; one that is longer than what is read is cut, and counts as whole. A call without an answer is `lost`; `isSent`: it
 * may have arrived.
 */
export type HttpReply =
  | { kind: 'answer'; status: number; headers: Record<string, string | string[] | undefined>; body: Buffer; isWhole: boolean }
  | { kind: 'lost'; reason: LostReason; message: string; isSent: boolean };

export type HttpCaller = {
  /** Rejects only after `close`, when nothing was sent. */
  call(call: HttpCall): Promise<HttpReply>;
  close(): Promise<void>;
};

class Expired extends Error {}

/** The guard of the webhooks: each name is looked up once and its addresses judged, no redirect is followed, what is read is bounded. */
export function createHttpCaller({ allowHttp, allowNetworks, lookup }: UrlRules & { lookup?: Lookup }): HttpCaller {
  parseNetworks(allowNetworks);
  const agent = new Agent({
    connect: withoutFloods(vettedConnector({ connectTimeoutMs, allowNetworks, lookup }), maxAnswerBytes + maxBodyBytes),
    allowH2: false,
    // A connection each: one that is kept may be closed at the moment at which a call is written to it, and nobody knows whether it arrived.
    pipelining: 0,
    // One clock for the whole call, below; undici's restarts with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
  });

  async function exchange({ method, url, headers, body, timeoutMs }: HttpCall, sent: { isSent: boolean }): Promise<HttpReply> {
    const { origin, pathname, search } = checkUrl(url, { allowHttp, allowNetworks });
    const reader = answerReader(maxBodyBytes, () => undefined);
    const { handler } = reader;
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      reader.stop(new Expired(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    try {
      agent.dispatch(
        { origin, path: pathname + search, method, headers, body: body ?? null },
        {
          ...handler,
          // It is written in the same turn.
          onRequestStart(controller, context) {
            if (!isOver) sent.isSent = true;
            handler.onRequestStart?.(controller, context);
          },
        },
      );
      const { status, headers: given, body: read, fault } = await reader.answer;
      const isWhole = fault === undefined || fault instanceof AnswerTooLong;
      return { kind: 'answer', status, headers: given, body: read.subarray(0, maxBodyBytes), isWhole };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async call(call) {
      const sent = { isSent: false };
      return exchange(call, sent).catch((error: unknown) => lost(error, sent.isSent));
    },
    close: () => agent.close(),
  };
}

function lost(error: unknown, isSent: boolean): HttpReply {
  if (error instanceof errors.ClientClosedError || error instanceof errors.ClientDestroyedError) throw error;
  const { code, message } = error as NodeJS.ErrnoException;
  const because = (reason: LostReason, text = message): HttpReply => ({
    kind: 'lost',
    reason,
    message: cut(text.replaceAll('\0', ''), 200),
    isSent,
  });
  if (error instanceof ForbiddenAddress) return because('address');
  if (error instanceof ConnectFailed) return because(error.errorClass === 'ssrf' ? 'address' : 'connect');
  if (error instanceof Expired) return because('timeout');
  // Its own message would show the header.
  if (!isSent && error instanceof errors.InvalidArgumentError) return because('request', 'a header or the URL cannot be sent');
  // undici's own assertion, about a status below 100.
  if (code === 'ERR_ASSERTION') return because('answer', 'the answer is not valid HTTP');
  return because('answer', code ? `${message} (${code})` : message);
}
