import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../src/platform/log.ts';

const pauseMs = 2_000;

/** Loads what the start left out and almost every client needs, before its request waits for it. A fault shows at the first use. */
export async function warmUp(log: Log) {
  await sleep(pauseMs, undefined, { ref: false });
  for (const load of [
    () => import('./http/middleware/validated.ts'),
    async () => (await import('../src/contacts/identities/phone.ts')).toE164('+12125550100'),
  ])
    await load().catch((error: unknown) => log.warn({ err: error }, 'could not be loaded ahead'));
}
