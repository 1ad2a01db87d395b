import { usableConnection } from '../../connections/use.ts';
import { minorOf } from '../../money/amounts.ts';
import { fromNow } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { RatesAsked, ShipperRate } from '../../providers/shipper/provider.ts';
import { DeliveryMethod } from './method.entity.ts';
import { Quote, type QuoteDestination, type QuoteRate } from './quote.entity.ts';
import { quoteShippingJob } from './quote-jobs.ts';
import { type Given, quotedItems } from './quoted-items.ts';
import { shipperPool } from './shipper-pool.ts';
import { shippingOrigin } from './shipping-origin.ts';

/** As long as the shipper's price is taken for good. */
const validMinutes = 30;

const columns = [
  'id',
  'connection_id',
  'status',
  'destination',
  'items',
  'rates',
  'failure',
  'expires_at',
  'created_at',
] as const;
export type QuoteRow = RowOf<typeof Quote, (typeof columns)[number]>;

const byId = statement((select, { id }: { id: string }) => select(Quote).select(columns).where('id', '=', id));

/** Throws 404. */
export async function getQuote(own: Own, id: string): Promise<QuoteRow> {
  const [row] = await byId(own, { id });
  if (!row) throw notFound('Quote');
  return row;
}

export type QuoteWish = {
  connection_id?: string;
  delivery_method_id?: string;
  destination: QuoteDestination;
  items: Given[];
  /** Where the items were named: `items`, or `draft_order_id`. */
  field: 'items' | 'draft_order_id';
};

/** The shipper is asked by a job. Throws 422 for what it could not be asked; 409 for a connection that is not connected. */
export async function askForQuote(
  tx: OwnTx,
  { destination, items: given, field, ...wish }: QuoteWish,
): Promise<{ id: string; operationId: string }> {
  const connectionId = wish.connection_id ?? (await connectionOfMethod(tx, wish.delivery_method_id));
  const connection = await usableConnection(tx, { kind: 'shipper', id: connectionId });
  await shippingOrigin(tx);
  const items = await quotedItems(tx, given, field);
  const id = uuidv7();
  await tx.insert(Quote, { id, connection_id: connection.id, destination, items, expires_at: fromNow(validMinutes, 'minute') });
  const pool = await shipperPool(tx, connection.id);
  return { id, operationId: tx.enqueue(quoteShippingJob, { quote_id: id }, { pool }) };
}

async function connectionOfMethod(own: Own, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const [method] = await own.find(DeliveryMethod, { id });
  if (!method) throw invalidField('delivery_method_id', 'No delivery method has this id', 'reference.unknown');
  if (method.kind !== 'live')
    throw invalidField(
      'delivery_method_id',
      `Its kind is ${method.kind}: only the price of a live one is asked for`,
      'method.kind',
    );
  return method.connection_id ?? undefined;
}

export type PendingQuote = { connection_id: string; asked: Omit<RatesAsked, 'couriers'> };

/** Undefined: nothing is left to do. */
export async function pendingQuote(own: Own, id: string): Promise<PendingQuote | undefined> {
  const [quote] = await byId(own, { id });
  if (quote?.status !== 'pending') return undefined;
  const { area_id, postal_code } = await shippingOrigin(own);
  const { destination, items } = quote;
  return {
    connection_id: quote.connection_id,
    asked: {
      origin: { areaId: area_id, postalCode: postal_code },
      destination: { areaId: destination.area_id, postalCode: destination.postal_code },
      items: items
        .filter(({ is_shipped }) => is_shipped)
        .map(({ name, quantity, weight_grams, value_idr }) => ({
          name,
          quantity,
          weightGrams: weight_grams,
          valueIdr: value_idr,
        })),
    },
  };
}

/** Good from now on. Whole rupiah become minor units. */
export async function settleQuote(tx: OwnTx, id: string, rates: ShipperRate[]): Promise<void> {
  await tx.update(
    Quote,
    { id, status: 'pending' },
    { status: 'ready', rates: rates.flatMap(toRate), expires_at: fromNow(validMinutes, 'minute') },
  );
}

function toRate(rate: ShipperRate): QuoteRate[] {
  const fee = Number(minorOf(String(rate.priceIdr), 'IDR'));
  if (!Number.isSafeInteger(fee)) return [];
  return [
    {
      id: uuidv7(),
      courier_code: rate.courierCode,
      courier_name: rate.courierName,
      courier_service_code: rate.serviceCode,
      courier_service_name: rate.serviceName,
      duration: rate.duration,
      shipper_price_idr: rate.priceIdr,
      fee_amount: fee,
      currency: 'IDR',
    },
  ];
}
