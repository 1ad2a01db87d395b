import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Stack } from './stack.ts';

export type Answer = { status: number; body: Record<string, unknown> };

/** Asks again, with the same Idempotency-Key, until somebody answers: a refusal is an answer too. */
export async function answered(stack: Stack, method: string, path: string, body?: object, pauseMs = 100): Promise<Answer> {
  const key = randomUUID();
  let last: unknown;
  for (const until = Date.now() + 180_000; Date.now() < until; await sleep(pauseMs)) {
    try {
      const reply = await stack.call<Answer['body']>(method, path, body, method === 'GET' ? {} : { 'idempotency-key': key });
      // A record that is busy, or a first try of the same request that is still at work, is asked for again too.
      if (reply.status < 500 && !reply.isForLater) return reply;
      last = reply.body;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`${method} ${path}: ${inspect(last)}`);
}
