import { setTimeout as sleep } from 'node:timers/promises';
import type { Own } from '../../src/platform/database/own.ts';
import { AppError, type ErrorCode } from '../../src/platform/errors.ts';
import { findOperation, operationStatus } from '../../src/platform/ledger/operations.ts';
import type { Shares } from '../../src/platform/load/shares.ts';

const maxSeconds = 30;
const maxWaiting = 100;
let waiting = 0;

/** Seconds of `Prefer: wait=N` (RFC 7240), at most 30; undefined when the client does not say. */
export function preferredWait(header: string | undefined): number | undefined {
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(header ?? '');
  return match ? Math.min(Number(match[1]), maxSeconds) : undefined;
}

export type Waited = 'succeeded' | 'pending' | 'full';

/** A final refusal is a 422 with `refusedCode`; one that ended with `conflict` is a 409. `full`: no place to wait is left in this process or for this organization. */
export async function waitForOperation(
  { own }: { own: Own },
  places: Shares,
  id: string,
  seconds: number,
  signal: AbortSignal,
  refusedCode: ErrorCode = 'provider_refused',
): Promise<Waited> {
  const place = waiting < maxWaiting ? places.tryTake(own.organizationId) : undefined;
  if (!place) return 'full';
  waiting += 1;
  const deadline = Date.now() + seconds * 1000;
  try {
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 500)) {
      const row = await findOperation(own, id);
      const status = row && operationStatus(row);
      if (status === 'succeeded') return 'succeeded';
      if (status === 'failed' || status === 'cancelled') throw refusal(refusedCode, row!.error);
      const left = deadline - Date.now();
      if (!row || left <= 0 || signal.aborted) return 'pending';
      await sleep(Math.min(pauseMs, left));
    }
  } finally {
    waiting -= 1;
    place();
  }
}

const known: ErrorCode[] = ['conflict', 'flow_invalid'];

function refusal(code: ErrorCode, error: { code: string; message: string; provider_code?: string | null } | null) {
  const message = error?.message ?? 'The operation failed';
  // What the request itself would have been refused with, had it been known then.
  const own = known.find((one) => one === error?.code);
  return new AppError(own ?? code, message, {
    details: [{ message, code: error?.provider_code ?? error?.code ?? 'failed' }],
  });
}
