import { beforeEach, expect, test } from '@jest/globals';
import { checkDiscount, giveBackDiscount, takeDiscount } from '../../../../src/commerce/catalogue/discount-uses.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import type { OwnTx } from '../../../../src/platform/ledger/tx.ts';
import { useApp } from '../../../support/app.ts';
import { contact } from '../../../support/factories/contact.ts';
import { bareOrder } from '../../../support/factories/shop.ts';

const app = useApp();
let organizationId: string;

beforeEach(async () => {
  ({ organizationId } = await app.organization());
});

async function discount(more: Record<string, unknown> = {}): Promise<string> {
  const row: Record<string, unknown> = {
    organization_id: organizationId,
    id: uuidv7(),
    code: 'Spring',
    kind: 'percent',
    value: 1000,
    ...more,
  };
  const names = Object.keys(row);
  await app.rows(
    `insert into discounts (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
  return row.id as string;
}

const within = <Result>(work: (tx: OwnTx) => Promise<Result>): Promise<Result> =>
  app.web.deps.ledger.transact({}, (tx) => work(tx.of(organizationId)));
const asked = { code: 'SPRING', contactId: null as string | null, currency: 'USD', subtotal: 5000n };
async function take(more: Partial<typeof asked> = {}) {
  const { id: orderId } = await bareOrder(app, organizationId);
  return within((tx) => takeDiscount(tx, { ...asked, ...more, orderId }));
}
const uses = async (id: string) => (await app.one('select uses from discounts where id = $1', [id])).uses;

test('a code is found in any case, and each use counts', async () => {
  const id = await discount();
  expect(await take({ code: 'sprinG' })).toEqual({ id, code: 'Spring', kind: 'percent', value: 1000n });
  await take();
  expect(await uses(id)).toBe(2);
});

test('looking counts nothing', async () => {
  const id = await discount();
  expect((await checkDiscount(ownRows(app.web.deps.database, organizationId), asked)).id).toBe(id);
  expect(await uses(id)).toBe(0);
});

const yesterday = new Date(Date.now() - 86_400_000);
const tomorrow = new Date(Date.now() + 86_400_000);
test.each([
  ['expired', { ends_at: yesterday }],
  ['not begun', { starts_at: tomorrow }],
  ['switched off', { active: false }],
  ['used up', { max_uses: 2, uses: 2 }],
  ['of another currency', { kind: 'fixed', currency: 'IDR' }],
  ['below its minimum', { currency: 'USD', min_subtotal: 5001 }],
  ['limited a contact, without a contact', { max_uses_per_contact: 1 }],
  ['of another code', { code: 'AUTUMN' }],
])('%s: 422 discount_invalid at discount_code, and nothing is counted', async (_, more) => {
  const id = await discount(more);
  const before = await uses(id);
  await expect(take()).rejects.toMatchObject({ code: 'discount_invalid', details: [{ field: 'discount_code' }] });
  expect(await uses(id)).toBe(before);
});

test('at its minimum and within its time it is valid', async () => {
  await discount({ currency: 'USD', min_subtotal: 5000, starts_at: yesterday, ends_at: tomorrow, max_uses: 1 });
  await take();
});

test('a cancelled order gives its use back, once', async () => {
  const id = await discount({ max_uses: 1 });
  const { id: orderId } = await bareOrder(app, organizationId);
  await within((tx) => takeDiscount(tx, { ...asked, orderId }));
  await expect(take()).rejects.toMatchObject({ code: 'discount_invalid' });
  for (let time = 0; time < 2; time += 1) await within((tx) => giveBackDiscount(tx, orderId));
  expect(await uses(id)).toBe(0);
  await take();
});

test('of 30 at once no more than the limit succeed, and no more than the limit of a contact', async () => {
  const id = await discount({ max_uses: 5 });
  const all = await Promise.allSettled(Array.from({ length: 30 }, () => take()));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(await uses(id)).toBe(5);

  const { id: contactId } = await contact(app.em(), organizationId);
  const perContact = await discount({ code: 'EACH', max_uses_per_contact: 2 });
  const each = await Promise.allSettled(Array.from({ length: 30 }, () => take({ code: 'each', contactId })));
  expect(each.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(await uses(perContact)).toBe(2);
});
