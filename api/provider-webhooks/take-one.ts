import { AppError } from '../../src/platform/errors.ts';
import type { Quota } from '../../src/platform/rate-limits/quota.ts';

/** Call it after the signature check, so that only the provider uses it up. The provider repeats refused calls. */
export async function takeOne(quota: Quota | undefined, of: 'channel' | 'connection', id: string): Promise<void> {
  if (!quota) return;
  const { isAllowed, resetSeconds } = await quota.take(`${of}:${id}`);
  if (!isAllowed) throw new AppError('rate_limited', `Too many webhooks for this ${of}`, { retryAfterSeconds: resetSeconds });
}
