import { beforeEach, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { stockedVariant } from '../../support/factories/shop.ts';
import { stockOfVariant } from '../../support/stored/commerce.ts';

const app = useApp();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await app.organization();
});

const variant = (onHand: number, reserved = 0) => stockedVariant(app, tenant.organizationId, { onHand, reserved });
const change = (variantID: string, body: object) =>
  app.call('commerce.variants.stock', { key: tenant.key, params: { variantID }, body });
const movements = async (variantID: string) =>
  (await app.call('commerce.variants.movements', { key: tenant.key, params: { variantID } })).body.items;

test('changed by a difference and to a count, each a movement with who and why', async () => {
  const id = await variant(5, 2);
  expect((await change(id, { delta: 3, reason: 'a box' })).body).toMatchObject({ on_hand: 8, reserved: 2, available: 6 });
  expect((await change(id, { on_hand: 2, reason: 'counted' })).body).toMatchObject({ on_hand: 2, available: 0 });
  expect((await change(id, { on_hand: 2 })).status).toBe(200);
  const shown = (await movements(id)).map(({ kind, quantity, reason, actor }: Body) => ({ kind, quantity, reason, actor }));
  const actor = `key:${tenant.keyId}`;
  expect(shown).toEqual([
    { kind: 'adjust', quantity: -6, reason: 'counted', actor },
    { kind: 'adjust', quantity: 3, reason: 'a box', actor },
  ]);
});

test('below what is reserved it is a 409 with what is reserved, and nothing changes', async () => {
  const id = await variant(5, 4);
  for (const body of [{ delta: -2 }, { on_hand: 3 }])
    expect(await change(id, body)).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', details: [{ field: Object.keys(body)[0], value: '4' }] } },
    });
  expect(await movements(id)).toEqual([]);
});

test.each([{}, { delta: 1, on_hand: 1 }, { delta: 1.5 }, { on_hand: -1 }, { delta: 2 ** 53 }, { delta: '1' }])(
  '%j is a 422',
  async (body) => expect((await change(await variant(1), body)).status).toBe(422),
);

test('more than a number of JSON holds is refused', async () => {
  const id = await variant(1);
  expect(await change(id, { delta: Number.MAX_SAFE_INTEGER })).toMatchObject({
    status: 422,
    body: { error: { code: 'limit_reached' } },
  });
  expect((await change(id, { delta: Number.MAX_SAFE_INTEGER - 1 })).body.on_hand).toBe(Number.MAX_SAFE_INTEGER);
});

test('40 differences at once all count', async () => {
  const id = await variant(0);
  await Promise.all(Array.from({ length: 40 }, () => change(id, { delta: 2 })));
  expect((await stockOfVariant(app, id)).on_hand).toBe(80);
  expect(await movements(id)).toHaveLength(25);
});

test('a foreign variant is missing', async () => {
  const id = await variant(1);
  tenant = await app.organization();
  expect((await change(id, { delta: 1 })).status).toBe(404);
  expect((await app.call('commerce.variants.movements', { key: tenant.key, params: { variantID: id } })).status).toBe(404);
});
