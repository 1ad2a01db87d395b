import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Answers } from './victim.ts';

const connections = 16;
/** Requests of the round may still be answered so long after its end. */
const graceMs = 2_000;
const tickMs = 2;
/** A tick that comes later than this is this process's own pause, a collection or another's turn of the processor. */
const ownPauseMs = 6;

export type Asked = { method: 'GET' | 'POST' | 'PATCH'; path: string; headers: Record<string, string>; body?: string };
type Got = { status: number; body: string };

/**
 * Requests at an even pace, over connections of which each has one at a time. A request's time begins when it is due: one that waits for a
 * connection that others' stall has taken waits in it too. A server that stands still answers few requests; this way they are not its only measure.
 * What falls due while this process itself pauses is asked later and not all at once: the pause is not the server's.
 */
export async function evenPace(
  base: string,
  perSecond: number,
  seconds: number,
  next: () => Asked,
  onAnswer?: (got: Got) => void,
): Promise<Answers> {
  const pool = new Pool(base, { connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const answers: Answers = { failed: 0, refused: 0, lost: 0, late: 0, took: [] };
  const count = Math.round(perSecond * seconds);
  let startedAt = performance.now();
  let tickedAt = startedAt;
  const open = new Set<number>();
  let isOver = false;

  async function one(dueAt: number) {
    open.add(dueAt);
    try {
      const { statusCode: status, body } = await pool.request(next());
      const got = { status, body: await body.text() };
      if (isOver) return;
      if (status >= 500) answers.failed += 1;
      else if (status >= 300) answers.refused += 1;
      else onAnswer?.(got);
    } catch {
      if (isOver) return;
      answers.lost += 1;
    }
    answers.took.push(performance.now() - dueAt);
    open.delete(dueAt);
  }

  const running: Promise<void>[] = [];
  while (running.length < count) {
    const now = performance.now();
    if (now - tickedAt > ownPauseMs) startedAt += now - tickedAt - tickMs;
    tickedAt = now;
    const due = Math.min(count, ((now - startedAt) / 1000) * perSecond);
    while (running.length < due) running.push(one(startedAt + (running.length / perSecond) * 1000));
    await sleep(tickMs);
  }
  await Promise.race([Promise.all(running), sleep(graceMs)]);
  isOver = true;
  answers.late = open.size;
  const now = performance.now();
  for (const dueAt of open) answers.took.push(now - dueAt);
  await pool.destroy();
  await Promise.all(running);
  return answers;
}

/** What so many connections reach, each asking again when it is answered; a second. */
export async function fullRate(base: string, seconds: number, next: () => Asked): Promise<number> {
  const pool = new Pool(base, { connections, pipelining: 1 });
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let answered = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < endsAt) {
        const { body } = await pool.request(next());
        await body.dump();
        answered += 1;
      }
    }),
  );
  const rate = answered / ((performance.now() - startedAt) / 1000);
  await pool.destroy();
  return rate;
}
