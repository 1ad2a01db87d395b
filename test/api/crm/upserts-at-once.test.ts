import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';

const app = useApp();

test('20 concurrent upserts of one value create one record and refuse no caller', async () => {
  await objectType(app, app.tenant.organizationId, {
    kind: 'part',
    fields: [{ name: 'code', type: 'text', isUnique: true, isIndexed: true }],
  });
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      app.call('crm.records.upsert', {
        params: { objectKind: 'part', fieldName: 'code', value: index % 2 ? 'Same' : 'SAME' },
        body: { metadata: { index } },
      }),
    ),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(replies.map(({ body }: { body: Body }) => body.id)).size).toBe(1);
  expect(Math.max(...replies.map(({ body }: { body: Body }) => body.revision))).toBe(20);
});
