import { sql } from 'kysely';
import { Connection } from '../../connections/connection.entity.ts';
import { assertAmountsWithCurrency } from '../../money/change-currency.ts';
import { isPayable, notPayable } from '../../money/steps.ts';
import { now } from '../../platform/database/columns.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, invalidField, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { DeliveryMethod } from './method.entity.ts';
import { getMethod, type MethodRow } from './methods.ts';
import { assertLabels, type GivenTimeslot, setTimeslots } from './timeslots.ts';

export const maxMethods = 100;
export const maxTimeslots = 50;

const countOf = statement((select) => select(DeliveryMethod).select(sql<number>`count(*)::int`.as('total')));
const shipperById = statement((select, { id }: { id: string }) =>
  select(Connection).select('id').where('id', '=', id).where('kind', '=', 'shipper').where('deleted_at', 'is', null),
);

/** Held by whoever makes a delivery method: the limit is exact. */
export const methodsLock = (organizationId: string) => subjectLock('delivery_methods', organizationId);

type Terms = Pick<MethodRow, 'name' | 'kind' | 'currency' | 'lead_days' | 'active' | 'connection_id'> & {
  fee_amount: number;
  free_from_amount: number | null;
};
export type NewMethod = Terms & { timeslots: GivenTimeslot[] };
export type MethodPatch = Partial<NewMethod>;

const amounts = ['fee_amount', 'free_from_amount'] as const;

/** Throws 422 for what does not go together. */
function assertTerms(terms: Terms): void {
  const { kind, currency, fee_amount } = terms;
  if (kind !== 'flat' && kind !== 'pickup' && fee_amount > 0)
    throw invalidField('fee_amount', `A method of kind ${kind} has no fee of its own`, 'method.fee');
  for (const field of amounts) {
    const amount = terms[field];
    if (!amount) continue;
    if (currency === null) throw invalidField('currency', 'An amount needs its currency', 'any.required');
    if (!isPayable(BigInt(amount), currency)) throw invalidField(field, notPayable(currency), 'amount.step');
  }
}

async function assertConnection(tx: OwnTx, { kind, connection_id }: Pick<Terms, 'kind' | 'connection_id'>): Promise<void> {
  if (connection_id === null) return;
  if (kind !== 'live') throw invalidField('connection_id', 'Only a method of kind live has a shipper', 'method.connection');
  const [connection] = await shipperById(tx, { id: connection_id });
  if (!connection) throw invalidField('connection_id', 'No connection to a shipper has this id', 'reference.unknown');
}

const texts = ({ fee_amount, free_from_amount, ...terms }: Terms) => ({
  ...terms,
  fee_amount: String(fee_amount),
  free_from_amount: free_from_amount === null ? null : String(free_from_amount),
});

/** Needs `methodsLock`. Throws 422. */
export async function createMethod(tx: OwnTx, { timeslots, ...terms }: NewMethod): Promise<MethodRow> {
  tx.assertLocked(methodsLock(tx.organizationId));
  assertTerms(terms);
  assertLabels(timeslots);
  const [counted] = await countOf(tx, {});
  if (counted!.total >= maxMethods)
    throw new AppError('limit_reached', `An organization has at most ${maxMethods} delivery methods`);
  await assertConnection(tx, terms);
  const id = uuidv7();
  await tx.insert(DeliveryMethod, { id, ...texts(terms) });
  await setTimeslots(tx, id, timeslots);
  return getMethod(tx, id);
}

/** What is not given stays; time slots are given together. Throws 404, 422. SQL: `for no key update`, so that two changes come one after the other. */
export async function changeMethod(tx: OwnTx, id: string, { timeslots, ...patch }: MethodPatch): Promise<MethodRow> {
  const [locked] = await tx.sql(
    `select 1
       from delivery_methods
      where organization_id = $1 and id = $2
        for no key update`,
    [id],
  );
  if (!locked) throw notFound('Delivery method');
  const before = await getMethod(tx, id);
  const terms: Terms = {
    name: before.name,
    kind: before.kind,
    currency: before.currency,
    fee_amount: Number(before.fee_amount),
    free_from_amount: before.free_from_amount === null ? null : Number(before.free_from_amount),
    lead_days: before.lead_days,
    active: before.active,
    connection_id: before.connection_id,
    ...patch,
  };
  assertAmountsWithCurrency(
    { from: before.currency, to: patch.currency },
    amounts.map((field) => ({ field, stored: before[field], isNamed: patch[field] !== undefined })),
  );
  assertTerms(terms);
  if (terms.connection_id !== before.connection_id || terms.kind !== before.kind) await assertConnection(tx, terms);
  await tx.update(DeliveryMethod, { id }, { ...texts(terms), updated_at: now() });
  if (timeslots) {
    assertLabels(timeslots);
    await setTimeslots(tx, id, timeslots);
  }
  return getMethod(tx, id);
}

/** Orders keep its name and fee. Throws 404. */
export async function deleteMethod(tx: OwnTx, id: string): Promise<void> {
  if ((await tx.delete(DeliveryMethod, { id })) === 0) throw notFound('Delivery method');
}
