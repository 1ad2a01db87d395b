import { contactLock } from '../../contacts/events.ts';
import { type Customer, findCustomer, makeCustomer } from '../../contacts/identities/customer.ts';
import { identityTaken } from '../../contacts/identities/resolve.ts';
import { brokenReference } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import { orderCreated } from '../../platform/events/commerce-events.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Look } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { confirmBookingOf, holdBooking } from '../bookings/of-order.ts';
import { takeDiscount } from '../catalogue/discount-uses.ts';
import { reserveStock } from '../catalogue/stock.ts';
import type { TakenRate } from '../delivery/quote.entity.ts';
import { takeSlot } from '../delivery/slot-usage.ts';
import { type Around, lookAround } from '../drafts/around.ts';
import type { NewOrder } from '../drafts/content.ts';
import { assertNoFault } from '../drafts/faults.ts';
import { type Priced, type PricedLine, paymentFaults, priced } from '../drafts/priced.ts';
import { quotedFor } from '../drafts/quoted.ts';
import { totalsOf } from '../totals.ts';
import { newCheckoutToken } from './checkout-token.ts';
import { enqueueExpiry } from './expiry.ts';
import { insertOrder } from './insert-order.ts';
import { orderState, tellUpdated } from './order-tx.ts';
import { refusedReference } from './patch.ts';

/** What a new order is made of, read before its transaction. */
export type Seen = {
  given: NewOrder;
  around: Around;
  priced: Priced;
  rate: TakenRate | null;
  customer: Customer;
  /** Undefined: nobody has the phone or the email yet. */
  contactId: string | undefined;
};

/** Throws 422, 409 for what cannot be sold so. */
export async function lookAtOrder(own: Own, given: NewOrder): Promise<Seen> {
  const around = await lookAround(own, [given]);
  const quoted = await quotedFor(own, around, given);
  const sum = priced(around, given, quoted);
  assertNoFault(sum.faults);
  const contact = around.contacts.find(({ id }) => id === given.contact_id);
  const customer = {
    name: given.customer_name ?? contact?.name ?? '',
    phone: given.customer_phone ?? contact?.phone_number ?? '',
    email: given.customer_email ?? contact?.email ?? '',
  };
  const contactId = contact?.id ?? (await findCustomer(own, customer));
  return { given, around, priced: sum, rate: quoted?.rate ?? null, customer, contactId };
}

/** A contact that is erased or merged meanwhile, and one that somebody else makes, are found by another look. */
export const creationOf = (own: Own, given: NewOrder): Look<Seen> => ({
  look: () => lookAtOrder(own, given),
  locks: locksOf,
  ...onCreation,
});

export const locksOf = ({ contactId }: Pick<Seen, 'contactId'>) => (contactId ? [contactLock(contactId)] : []);

export const onCreation = {
  retryOn: [identityTaken],
  outdatedBy: (error: unknown) => brokenReference(error) !== undefined,
  refusal: refusedReference,
};

const minuteMs = 60_000;

/**
 * The whole order or nothing: the use of its discount, its slot, its booking, its stock, and last its number. Returns its id. Throws 422 and
 * 409 for what others were faster to take.
 */
export async function createOrder(
  tx: OwnTx,
  secrets: Secrets,
  { given, around, priced: sum, rate, customer, contactId }: Seen,
  { actor, draftId = null, id = uuidv7() }: { actor: string; draftId?: string | null; id?: string },
): Promise<string> {
  tx.isNew('order', id);
  if (contactId !== undefined) tx.assertLocked(contactLock(contactId));
  const contact = contactId ?? (await makeCustomer(tx, secrets, customer));
  const { currency, subtotal, fee, method, slot } = sum;
  const lines = sum.lines.map((line, index) => ({ ...(line as PricedLine), id: uuidv7(), field: `items[${index}].quantity` }));
  const discount =
    given.discount_code === undefined
      ? undefined
      : await takeDiscount(tx, { orderId: id, contactId: contact, code: given.discount_code, currency, subtotal });
  const totals = totalsOf({ currency, lines, reduction: discount, fee });
  assertNoFault(paymentFaults(around, totals, currency));
  if (slot) await takeSlot(tx, { timeslotId: slot.id, day: given.delivery_date! });
  if (given.booking) await holdBooking(tx, { orderId: id, contactId: contact, source: 'api', field: 'booking' }, given.booking);
  const counted = lines.filter(({ variant }) => variant.tracks_stock);
  if (counted.length > 0)
    await reserveStock(
      tx,
      id,
      counted.map(({ id: itemId, variant, quantity, field }) => ({ itemId, variantId: variant.id, quantity, field })),
    );
  const isConfirmed = totals.total === 0n && around.confirm_on === 'payment';
  const made = await insertOrder(
    tx,
    {
      id,
      draft_order_id: draftId,
      contact_id: contact,
      status: isConfirmed ? 'confirmed' : 'pending',
      payment_status: totals.total === 0n ? 'paid' : 'unpaid',
      customer_name: customer.name,
      customer_email: customer.email,
      customer_phone: customer.phone,
      checkout_uploads: given.checkout_uploads ?? null,
      delivery_date: given.delivery_date ?? null,
      delivery_timeslot: slot?.label ?? '',
      delivery_timeslot_id: slot?.id ?? null,
      delivery_method: method?.name ?? '',
      delivery_method_id: method?.id ?? null,
      delivery_kind: sum.deliveryKind,
      currency,
      delivery_fee_amount: String(totals.fee),
      discount_amount: String(totals.discount),
      subtotal_amount: String(totals.subtotal),
      total_amount: String(totals.total),
      discount_id: discount?.id ?? null,
      discount_code: discount?.code ?? '',
      payment_method: given.payment_method ?? '',
      referral_code: given.referral_code ?? '',
      notes: given.notes ?? '',
      fulfillment_notes: given.fulfillment_notes ?? '',
      source_reference: given.source_reference ?? null,
      shipping_address: given.shipping_address ?? null,
      quote_id: rate ? given.quote_id! : null,
      rate,
      prepaid_deliveries_total: sum.prepaidDeliveries,
      prepaid_deliveries_remaining: sum.prepaidDeliveries,
      ...newCheckoutToken(secrets, tx.organizationId).columns,
    },
    { prefix: around.order_no_prefix, reservedMinutes: isConfirmed ? null : around.reservation_minutes, lines, totals, actor },
  );
  if (isConfirmed) await confirmBookingOf(tx, id);
  else enqueueExpiry(tx, id, around.reservation_minutes * minuteMs);
  tx.emit(orderCreated, { ...orderState(tx, made), changed: [] });
  tellUpdated(tx, made as Parameters<typeof tellUpdated>[1], undefined);
  return id;
}
