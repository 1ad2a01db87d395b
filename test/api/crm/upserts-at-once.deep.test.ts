import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';

const lockMs = 2_000;
const app = useApp({ env: { REQUEST_LOCK_TIMEOUT_MS: String(lockMs) } });

/** Longer in all than a request waits for one lock. */
const [callers, delayMs] = [50, 100];

test('50 upserts of one value at once make one record and refuse nobody, however slow each write is', async () => {
  await objectType(app, app.tenant.organizationId, {
    kind: 'part',
    fields: [{ name: 'code', type: 'text', isUnique: true, isIndexed: true }],
  });
  await app.rows(
    `create function slow_record() returns trigger language plpgsql as $$
     begin
       perform pg_sleep(${delayMs / 1_000});
       return new;
     end $$;
     create trigger slow_record before insert or update on records for each row execute function slow_record()`,
  );
  const startedAt = performance.now();
  const replies = await Promise.all(
    Array.from({ length: callers }, (_, index) =>
      app.call('crm.records.upsert', {
        params: { objectKind: 'part', fieldName: 'code', value: index % 2 ? 'Same' : 'SAME' },
        body: { metadata: { index } },
      }),
    ),
  );
  expect(performance.now() - startedAt).toBeGreaterThan(lockMs);
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(callers - 1).fill(200), 201]);
  expect(new Set(replies.map(({ body }: { body: Body }) => body.id)).size).toBe(1);
  expect(Math.max(...replies.map(({ body }: { body: Body }) => body.revision))).toBe(callers);
});
