import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Discount, DiscountKind } from './discount.entity.ts';

export type DiscountUse = { contactId: string | null; code: string; currency: string; subtotal: bigint };
export type TakenDiscount = { id: string; code: string; kind: DiscountKind; value: bigint };

const columns = ['id', 'code', 'kind', 'value', 'currency', 'min_subtotal', 'max_uses_per_contact'] as const;

type Known = RowOf<typeof Discount, (typeof columns)[number]> & {
  is_active: boolean;
  has_begun: boolean;
  has_ended: boolean;
  is_used_up: boolean;
  contact_uses: number;
};

/** SQL: found by the index of `upper(code)`, judged by the database's clock, with a count of a second table; the same text with the row's lock. */
const findByCode = (lock: '' | 'for no key update of d') => `
  select ${columns.map((column) => `d.${column}`).join(', ')}, d.active as is_active,
         coalesce(d.starts_at <= clock_timestamp(), true) as has_begun,
         coalesce(d.ends_at <= clock_timestamp(), false) as has_ended,
         coalesce(d.uses >= d.max_uses, false) as is_used_up,
         (select count(*)::int
            from discount_uses u
           where u.organization_id = $1 and u.contact_id = $3 and u.discount_id = d.id) as contact_uses
    from discounts d
   where d.organization_id = $1 and upper(d.code) = upper($2)
   ${lock}`;

const statements = { look: findByCode(''), lock: findByCode('for no key update of d') };

/** Undefined: it may be used. */
function refusalOf(found: Known | undefined, { contactId, currency, subtotal }: DiscountUse): string | undefined {
  if (!found?.is_active) return 'The code is not valid';
  if (!found.has_begun) return 'The code is not valid yet';
  if (found.has_ended) return 'The code has expired';
  if (found.currency !== null && found.currency !== currency) return `The code is for orders in ${found.currency}`;
  if (subtotal < BigInt(found.min_subtotal)) return `The code is for orders from ${found.min_subtotal} minor units on`;
  if (found.is_used_up) return 'The code is used up';
  if (found.max_uses_per_contact === null) return undefined;
  if (contactId === null) return 'The code is for known contacts';
  return found.contact_uses >= found.max_uses_per_contact ? 'The contact has used the code already' : undefined;
}

const invalid = (message: string) =>
  new AppError('discount_invalid', message, {
    details: [{ field: 'discount_code', location: 'body', code: 'discount_invalid', message }],
  });

const usable = (found: Known | undefined, use: DiscountUse): TakenDiscount => {
  const refusal = refusalOf(found, use);
  if (refusal !== undefined || !found) throw invalid(refusal ?? 'The code is not valid');
  return { id: found.id, code: found.code, kind: found.kind, value: BigInt(found.value) };
};

/** What it would take off, counted by nobody yet. Throws 422 `discount_invalid` at `discount_code`. */
export async function checkDiscount(own: Own, use: DiscountUse): Promise<TakenDiscount> {
  const [found] = await own.sql<Known>(statements.look, [use.code, use.contactId]);
  return usable(found, use);
}

/**
 * Counts one use. The row's lock makes both limits exact; the uses of the contact are read by a second statement, since the first one's
 * snapshot is older than its wait. Throws 422 `discount_invalid` at `discount_code`.
 */
export async function takeDiscount(tx: OwnTx, { orderId, ...use }: DiscountUse & { orderId: string }): Promise<TakenDiscount> {
  const [locked] = await tx.sql<Known>(statements.lock, [use.code, use.contactId]);
  const found =
    locked && locked.max_uses_per_contact !== null
      ? (await tx.sql<Known>(statements.look, [use.code, use.contactId]))[0]
      : locked;
  const taken = usable(found, use);
  // SQL: the count and its row in one round trip, under the row's lock.
  await tx.sql(
    `with used as (
       update discounts
          set uses = uses + 1
        where organization_id = $1 and id = $2)
     insert into discount_uses (organization_id, discount_id, order_id, contact_id)
     values ($1, $2, $3, $4)`,
    [taken.id, orderId, use.contactId],
  );
  return taken;
}

/** The order is cancelled: its use counts no more. SQL: the delete says whose count goes down. */
export async function giveBackDiscount(tx: OwnTx, orderId: string): Promise<void> {
  await tx.sql(
    `with gone as (
       delete from discount_uses
        where organization_id = $1 and order_id = $2
       returning discount_id)
     update discounts d
        set uses = d.uses - 1
       from gone g
      where d.organization_id = $1 and d.id = g.discount_id`,
    [orderId],
  );
}
