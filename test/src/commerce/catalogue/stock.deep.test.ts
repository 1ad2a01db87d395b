import { beforeEach, expect, test } from '@jest/globals';
import { ProductVariant } from '../../../../src/commerce/catalogue/product.entity.ts';
import { commitStock, releaseStock, reserveStock, restockOrder } from '../../../../src/commerce/catalogue/stock.ts';
import { StockMovement } from '../../../../src/commerce/catalogue/stock-movement.entity.ts';
import { orderLock } from '../../../../src/commerce/orders/order-row.ts';
import type { AppError } from '../../../../src/platform/errors.ts';
import type { OwnTx } from '../../../../src/platform/ledger/tx.ts';
import { useApp } from '../../../support/app.ts';
import { type BareOrder, bareOrder, stockedVariant } from '../../../support/factories/shop.ts';

const app = useApp();
let organizationId: string;

beforeEach(async () => {
  ({ organizationId } = await app.organization());
});

const within = <Result>(work: (tx: OwnTx) => Promise<Result>, locks: string[] = []): Promise<Result> =>
  app.web.deps.ledger.transact({ locks }, (tx) => work(tx.of(organizationId)));
const reserve = ({ id, items }: BareOrder) => within((tx) => reserveStock(tx, id, items));
const counts = async (id: string) => {
  const { on_hand, reserved } = await app.em().findOneOrFail(ProductVariant, { organization_id: organizationId, id });
  return { on_hand: Number(on_hand), reserved: Number(reserved) };
};
const movements = async (id: string) => {
  const where = { organization_id: organizationId, variant_id: id };
  const moves = await app.em().find(StockMovement, where, { orderBy: { created_at: 'asc', id: 'asc' } });
  return moves.map(({ kind, quantity }) => `${kind} ${quantity}`);
};
const order = (...lines: { variantId: string; quantity: number }[]) => bareOrder(app, organizationId, lines);
const refused = (asked: Promise<unknown>): Promise<AppError> =>
  asked.then(
    () => {
      throw new Error('It was not refused');
    },
    (error) => error,
  );

test('reserved, then committed: the pieces leave both counts, each movement once', async () => {
  const variantId = await stockedVariant(app, organizationId, { onHand: 5 });
  const made = await order({ variantId, quantity: 2 }, { variantId, quantity: 1 });
  await reserve(made);
  expect(await counts(variantId)).toEqual({ on_hand: 5, reserved: 3 });
  for (let time = 0; time < 2; time += 1) {
    await within((tx) => commitStock(tx, made.id));
    expect(await counts(variantId)).toEqual({ on_hand: 2, reserved: 0 });
  }
  await within((tx) => releaseStock(tx, made.id));
  expect(await counts(variantId)).toEqual({ on_hand: 2, reserved: 0 });
  expect((await movements(variantId)).sort()).toEqual(['commit 1', 'commit 2', 'reserve 1', 'reserve 2']);
});

test('released pieces can be sold again, and are released once', async () => {
  const variantId = await stockedVariant(app, organizationId, { onHand: 3 });
  const made = await order({ variantId, quantity: 3 });
  await reserve(made);
  for (let time = 0; time < 2; time += 1) await within((tx) => releaseStock(tx, made.id));
  await within((tx) => commitStock(tx, made.id));
  expect(await counts(variantId)).toEqual({ on_hand: 3, reserved: 0 });
  await reserve(await order({ variantId, quantity: 3 }));
  expect(await counts(variantId)).toEqual({ on_hand: 3, reserved: 3 });
});

test('what came back is on hand again, once, and only what had left', async () => {
  const variantId = await stockedVariant(app, organizationId, { onHand: 3 });
  const [sold, live] = [await order({ variantId, quantity: 1 }), await order({ variantId, quantity: 1 })];
  await reserve(sold);
  await reserve(live);
  await within((tx) => commitStock(tx, sold.id));
  for (const { id } of [sold, live, sold]) await within((tx) => restockOrder(tx, id, 'user:somebody'));
  expect(await counts(variantId)).toEqual({ on_hand: 3, reserved: 1 });
});

test('a refusal names each variant that is short with what is available, and reserves nothing of the others', async () => {
  const [scarce, plenty, none] = await Promise.all([2, 9, 0].map((onHand) => stockedVariant(app, organizationId, { onHand })));
  const made = await order(
    { variantId: scarce!, quantity: 2 },
    { variantId: plenty!, quantity: 1 },
    { variantId: scarce!, quantity: 1 },
    { variantId: none!, quantity: 1 },
  );
  const error = await refused(reserve(made));
  expect(error).toMatchObject({ code: 'out_of_stock', status: 409 });
  expect(error.details!.map(({ code, value }) => [code, value]).sort()).toEqual([
    ['out_of_stock', '0'],
    ['out_of_stock', '2'],
  ]);
  for (const id of [scarce!, plenty!, none!]) {
    expect((await counts(id)).reserved).toBe(0);
    expect(await movements(id)).toEqual([]);
  }
});

test('a variant that does not track stock is passed over', async () => {
  const variantId = await stockedVariant(app, organizationId, { tracksStock: false });
  const made = await order({ variantId, quantity: 10_000 });
  await reserve(made);
  await within((tx) => commitStock(tx, made.id));
  expect(await counts(variantId)).toEqual({ on_hand: 0, reserved: 0 });
  expect(await movements(variantId)).toEqual([]);
});

test('a variant that stops tracking stock still gives back what it had reserved', async () => {
  const variantId = await stockedVariant(app, organizationId, { onHand: 2 });
  const made = await order({ variantId, quantity: 2 });
  await reserve(made);
  await app.em().nativeUpdate(ProductVariant, { id: variantId }, { tracks_stock: false });
  await within((tx) => releaseStock(tx, made.id));
  expect(await counts(variantId)).toEqual({ on_hand: 2, reserved: 0 });
});

test('a variant of another organization is not touched', async () => {
  const other = await app.organization();
  const variantId = await stockedVariant(app, other.organizationId, { onHand: 2 });
  const made = await order();
  await reserve({ ...made, items: [{ itemId: made.id, variantId, quantity: 1 }] });
  const { reserved } = await app.em().findOneOrFail(ProductVariant, { id: variantId });
  expect(Number(reserved)).toBe(0);
});

test('200 at once of 100 pieces, in either order of two variants: 100 are sold, the others refused, nobody waits for ever', async () => {
  const variants = await Promise.all([1, 2].map(() => stockedVariant(app, organizationId, { onHand: 100 })));
  const orders = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      const both = index % 2 === 0 ? variants : variants.toReversed();
      return order(...both.map((variantId) => ({ variantId, quantity: 1 })));
    }),
  );
  const results = await Promise.allSettled(orders.map(reserve));
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refusals).toHaveLength(100);
  for (const error of refusals) {
    expect(error.code).toBe('out_of_stock');
    expect(error.details.map(({ value }: { value: string }) => value)).toEqual(['0', '0']);
  }
  for (const id of variants) expect(await counts(id)).toEqual({ on_hand: 100, reserved: 100 });

  const taken = orders.filter((_, index) => results[index]!.status === 'fulfilled');
  const settled = taken.flatMap(({ id }, index) =>
    [1, 2].map(() => within((tx) => (index % 3 === 0 ? releaseStock(tx, id) : commitStock(tx, id)), [orderLock(id)])),
  );
  await Promise.all(settled);
  for (const id of variants) expect(await counts(id)).toEqual({ on_hand: 34, reserved: 0 });
});

test('without the lock of the order two at once are not both done: one of them is undone', async () => {
  const variantId = await stockedVariant(app, organizationId, { onHand: 9 });
  const made = await order({ variantId, quantity: 1 });
  await reserve(made);
  await reserve(await order({ variantId, quantity: 5 }));
  await Promise.allSettled(Array.from({ length: 8 }, () => within((tx) => commitStock(tx, made.id))));
  expect(await counts(variantId)).toEqual({ on_hand: 8, reserved: 5 });
});
