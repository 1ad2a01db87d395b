import { assertAmountsWithCurrency } from '../../money/change-currency.ts';
import { isPayable, notPayable, wholeInBasisPoints } from '../../money/steps.ts';
import { now } from '../../platform/database/columns.ts';
import { violatedConstraint } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, invalidField, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import { momentMs } from '../../platform/time/moment.ts';
import { Discount } from './discount.entity.ts';

export const maxDiscounts = 10_000;

/** Held by whoever makes a discount: the limit is exact. */
export const discountsLock = (organizationId: string) => subjectLock('discounts', organizationId);

const columns = [
  'id',
  'code',
  'kind',
  'value',
  'currency',
  'starts_at',
  'ends_at',
  'min_subtotal',
  'max_uses',
  'max_uses_per_contact',
  'uses',
  'active',
  'created_at',
  'updated_at',
] as const;
export type DiscountRow = RowOf<typeof Discount, (typeof columns)[number]>;

type Terms = Pick<
  DiscountRow,
  'code' | 'kind' | 'currency' | 'starts_at' | 'ends_at' | 'max_uses' | 'max_uses_per_contact' | 'active'
>;
export type NewDiscount = Terms & { value: number; min_subtotal: number };
export type DiscountPatch = Partial<NewDiscount>;

const byId = statement((select, { id }: { id: string }) => select(Discount).select(columns).where('id', '=', id));
const ofOrganization = list((select) => select(Discount).select(columns));

export const listDiscounts = (own: Own, page: Page) => ofOrganization(own, {}, page);

/** Throws 404. */
export async function getDiscount(own: Own, id: string): Promise<DiscountRow> {
  const [row] = await byId(own, { id });
  if (!row) throw notFound('Discount');
  return row;
}

type Whole = Pick<DiscountRow, 'kind' | 'currency' | 'starts_at' | 'ends_at' | 'max_uses'> & {
  value: bigint;
  min_subtotal: bigint;
};

/** Throws 422 for what does not go together. */
function assertTerms({ kind, value, currency, min_subtotal, starts_at, ends_at }: Whole): void {
  if (kind === 'percent' && (value < 1n || value > wholeInBasisPoints))
    throw invalidField('value', `A percentage is from 1 to ${wholeInBasisPoints} basis points`, 'discount.percent');
  if (kind === 'fixed' && value < 1n) throw invalidField('value', 'A fixed discount is at least 1', 'discount.fixed');
  if (kind === 'free_delivery' && value !== 0n)
    throw invalidField('value', 'Free delivery has no value', 'discount.free_delivery');
  if (currency === null && (kind === 'fixed' || min_subtotal > 0n))
    throw invalidField('currency', 'An amount needs its currency', 'any.required');
  if (currency !== null) {
    const refusal = notPayable(currency);
    if (kind === 'fixed' && !isPayable(value, currency)) throw invalidField('value', refusal, 'amount.step');
    if (!isPayable(min_subtotal, currency)) throw invalidField('min_subtotal', refusal, 'amount.step');
  }
  if (starts_at !== null && ends_at !== null && momentMs(starts_at) >= momentMs(ends_at))
    throw invalidField('ends_at', 'It must end after it has started', 'discount.ends_at');
}

const wholeOf = (given: NewDiscount): Whole => ({
  ...given,
  value: BigInt(given.value),
  min_subtotal: BigInt(given.min_subtotal),
});

/** Needs `discountsLock`. Throws 409 for a code that is there in any case, 422. */
export async function createDiscount(tx: OwnTx, given: NewDiscount): Promise<DiscountRow> {
  tx.assertLocked(discountsLock(tx.organizationId));
  assertTerms(wholeOf(given));
  // SQL: reads no further than the limit; a plain count goes through all rows.
  const [counted] = await tx.sql<{ count: number }>(
    `select count(*)::int as count
       from (select 1
               from discounts
              where organization_id = $1
              limit ${maxDiscounts}) known`,
  );
  if (counted!.count >= maxDiscounts)
    throw new AppError('limit_reached', `An organization has at most ${maxDiscounts} discounts`);
  const id = uuidv7();
  await tx
    .insert(Discount, { ...given, id, value: String(given.value), min_subtotal: String(given.min_subtotal) })
    .catch(codeTaken);
  return getDiscount(tx, id);
}

/** What is not given stays. Throws 404, 409 below the uses so far, 422. SQL: `for no key update`, since an order may count a use meanwhile. */
export async function changeDiscount(tx: OwnTx, id: string, patch: DiscountPatch): Promise<DiscountRow> {
  await tx.sql(
    `select 1
       from discounts
      where organization_id = $1 and id = $2
        for no key update`,
    [id],
  );
  const before = await getDiscount(tx, id);
  const { value = Number(before.value), min_subtotal = Number(before.min_subtotal), ...terms } = patch;
  assertAmountsWithCurrency({ from: before.currency, to: patch.currency }, [
    { field: 'value', stored: before.kind === 'fixed' ? before.value : null, isNamed: patch.value !== undefined },
    { field: 'min_subtotal', stored: before.min_subtotal, isNamed: patch.min_subtotal !== undefined },
  ]);
  const after: NewDiscount = { ...before, ...terms, value, min_subtotal };
  assertTerms(wholeOf(after));
  if (after.max_uses !== null && after.max_uses < before.uses) {
    const message = `It was used ${before.uses} times`;
    throw new AppError('conflict', message, {
      details: [{ field: 'max_uses', location: 'body', code: 'discount.uses', message, value: String(before.uses) }],
    });
  }
  await tx
    .update(Discount, { id }, { ...terms, value: String(value), min_subtotal: String(min_subtotal), updated_at: now() })
    .catch(codeTaken);
  return getDiscount(tx, id);
}

/** Orders keep what it took off. Throws 404. */
export async function deleteDiscount(tx: OwnTx, id: string): Promise<void> {
  if ((await tx.delete(Discount, { id })) === 0) throw notFound('Discount');
}

function codeTaken(error: unknown): never {
  if (violatedConstraint(error) !== 'discounts_code') throw error;
  const message = 'Another discount has this code';
  throw new AppError('conflict', message, { details: [{ field: 'code', location: 'body', code: 'code.taken', message }] });
}
