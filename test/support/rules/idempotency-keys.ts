import type { Em } from '../../../src/platform/database/database.ts';
import { IdempotencyKey } from '../../../src/platform/idempotency/idempotency-key.entity.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { inMs } from './clock.ts';
import { storeRows, times } from './rows.ts';

/** Keys of requests that were answered so long ago. */
export const storeIdempotencyKeys = (em: Em, organizationId: string, count: number, ageMs: number) =>
  storeRows(
    em,
    organizationId,
    IdempotencyKey,
    times(count, () => ({
      method: 'POST',
      path: '/v1/messages',
      key: uuidv7(),
      body_hash: Buffer.alloc(0),
      status: 201,
      reply: '',
      created_at: inMs(-ageMs),
    })),
  );
