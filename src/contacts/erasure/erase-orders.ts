import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Identity } from '../identities/identity.ts';

/* SQL: tables of commerce, which stands above contacts. */

/** Number, items, amounts and payments stay: a shop keeps its books. Empty texts in the place of the person. */
const blankOrders = `
  update orders
     set customer_name = '',
         customer_email = '',
         customer_phone = '',
         shipping_address = null,
         notes = '',
         fulfillment_notes = '',
         checkout_uploads = case when checkout_uploads is not null then '{}'::uuid[] end,
         checkout_token = null,
         checkout_token_hash = null,
         cancel_reason = '',
         revision = revision + 1,
         updated_at = clock_timestamp()
   where organization_id = $1
     and contact_id = $2
  returning id, old.checkout_uploads as uploads, old.customer_email as email, old.customer_phone as phone`;

const blankBookings = `
  update bookings
     set checkin_token_hash = null,
         updated_at = clock_timestamp()
   where organization_id = $1
     and order_id = any($2::uuid[])
     and checkin_token_hash is not null`;

/** What a person wrote beside a payment and a refund. */
const blankNotes = `
  with noted as (
    update payments
       set note = ''
     where organization_id = $1
       and order_id = any($2::uuid[])
       and note <> '')
  update refunds
     set reason = ''
   where organization_id = $1
     and order_id = any($2::uuid[])
     and reason <> ''`;

type Blanked = { id: string; uploads: string[] | null; email: string; phone: string };

/** `buyers`: addresses that only an order had, and that its payment provider and shipper were told. */
export type ErasedOrders = { orders: string[]; uploads: string[]; buyers: Identity[] };

const buyersOf = (blanked: Blanked[]): Identity[] =>
  blanked
    .flatMap(({ email, phone }) => [
      { type: 'email' as const, source: '', value: email },
      { type: 'phone' as const, source: '', value: phone },
    ])
    .filter(({ value }) => value !== '');

/** The orders of the person, and the files that came with them. A job then takes the person out of calendars. Before the contact goes. */
export async function blankOrdersOf(tx: OwnTx, contactId: string): Promise<ErasedOrders> {
  const blanked = await tx.sql<Blanked>(blankOrders, [contactId]);
  const orders = blanked.map(({ id }) => id);
  if (orders.length === 0) return { orders, uploads: [], buyers: [] };
  await tx.sql(blankBookings, [orders]);
  await tx.sql(blankNotes, [orders]);
  return { orders, uploads: blanked.flatMap(({ uploads }) => uploads ?? []), buyers: buyersOf(blanked) };
}
