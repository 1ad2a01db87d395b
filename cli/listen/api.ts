import { innermost } from '../failure.ts';
import type { Target } from './target.ts';

/** A reply of the API that is no success. */
export class Refused extends Error {
  readonly status: number;
  /** The field that is wrong, when it is one. */
  readonly field: string | undefined;

  constructor(status: number, message: string, field: string | undefined) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

type Call = { body?: object; headers?: Record<string, string> };
type Problem = { error?: { message?: string; details?: { message?: string; field?: string }[] | null } };

/** One request to the public API, the only way this command talks to Kanal. */
export type Api = <Reply>(method: 'GET' | 'POST' | 'DELETE', path: string, call?: Call) => Promise<Reply>;

const timeoutMs = 20_000;

export const apiOf =
  ({ url, key }: Target): Api =>
  async <Reply>(method: string, path: string, { body, headers }: Call = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error) => {
      throw new Error(`Kanal at ${url} cannot be reached: ${innermost(error)}`);
    });
    const reply = jsonOf(await response.text());
    if (!response.ok) throw refusal(response.status, reply as Problem | undefined, `${method} ${path}`);
    return reply as Reply;
  };

function refusal(status: number, reply: Problem | undefined, request: string): Refused {
  const { message, details } = reply?.error ?? {};
  const [detail] = details ?? [];
  const reason = [...new Set([message, detail?.message])].filter(Boolean).join(': ') || 'it does not say why';
  return new Refused(status, `Kanal answered ${status} to ${request}: ${reason}`, detail?.field);
}

/** Undefined for none, and for the page of a proxy in between. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
