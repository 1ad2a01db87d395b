import type { TakenRate } from '../delivery/quote.entity.ts';
import type { OrderDeliveryKind } from '../orders/order.entity.ts';
import { inexpressible } from '../payments/amounts.ts';
import { type Reduction, type Totals, totalsOf } from '../totals.ts';
import type { Around, AroundMethod, AroundSlot, AroundVariant } from './around.ts';
import type { NewOrder } from './content.ts';
import { type Fault, fault, faultsOf } from './faults.ts';

export type PricedLine = { variant: AroundVariant; quantity: number; unit: bigint; name: string };

/** An order as it would be sold now, as far as it can be. */
export type Priced = {
  currency: string;
  /** In the order of the items; undefined where one cannot be sold. */
  lines: (PricedLine | undefined)[];
  subtotal: bigint;
  fee: bigint;
  method: AroundMethod | undefined;
  slot: AroundSlot | undefined;
  deliveryKind: OrderDeliveryKind;
  prepaidDeliveries: number | null;
  faults: Fault[];
};

/** What was read of a quote, or why it is not to be had. */
export type Quoted = { rate?: TakenRate; faults: Fault[] };

/** Pure. `quoted`: for an order that names a quote. Without the discount, which is taken by its own condition. */
export function priced(around: Around, order: NewOrder, quoted: Quoted | undefined): Priced {
  const currency = order.currency ?? around.currency;
  const { items = [] } = order;
  const faults: Fault[] = items.length === 0 ? [fault('items', 'An order has at least one item', 'array.min')] : [];
  const lines = items.map(({ variant_id, quantity }, index) => {
    const variant = around.variants.find(({ id }) => id === variant_id);
    const refusal = refusalOf(variant, currency);
    if (refusal) faults.push(fault(`items[${index}].variant_id`, refusal.message, refusal.code));
    if (refusal || !variant) return undefined;
    return { variant, quantity, unit: BigInt(variant.prices[currency]!), name: nameOf(variant) };
  });
  const subtotal = lines.reduce((sum, line) => sum + (line ? line.unit * BigInt(line.quantity) : 0n), 0n);
  const delivery = deliveryOf(around, order, { currency, subtotal, quoted, lines });
  faults.push(
    ...delivery.faults,
    ...bookingFaults(order, lines),
    ...uploadFaults(around, order),
    ...contactFaults(around, order),
  );
  const prepaid = lines.flatMap((line) =>
    line && line.variant.prepaid_deliveries !== null ? [line.variant.prepaid_deliveries * line.quantity] : [],
  );
  return {
    currency,
    lines,
    subtotal,
    fee: delivery.fee,
    method: delivery.method,
    slot: delivery.slot,
    deliveryKind: delivery.method?.kind ?? 'none',
    prepaidDeliveries: prepaid.length > 0 ? prepaid.reduce((sum, count) => sum + count, 0) : null,
    faults,
  };
}

const nameOf = ({ product_name, name }: AroundVariant) =>
  name === '' || name === product_name ? product_name : `${product_name}, ${name}`;

function refusalOf(variant: AroundVariant | undefined, currency: string) {
  if (!variant) return { message: 'No variant has this id', code: 'reference.unknown' };
  if (!variant.is_active) return { message: 'It is not sold now', code: 'variant.inactive' };
  if (variant.prices[currency] === undefined) return { message: `It has no price in ${currency}`, code: 'variant.currency' };
  return undefined;
}

type Sum = { currency: string; subtotal: bigint; quoted: Quoted | undefined; lines: (PricedLine | undefined)[] };

function deliveryOf(around: Around, order: NewOrder, { currency, subtotal, quoted, lines }: Sum) {
  const faults: Fault[] = [];
  const method = around.methods.find(({ id }) => id === order.delivery_method_id);
  const slot = around.slots.find(({ id }) => id === order.delivery_timeslot_id);
  if (order.delivery_method_id !== undefined && !method?.active)
    faults.push(
      method
        ? fault('delivery_method_id', 'It is not offered now', 'method.inactive')
        : fault('delivery_method_id', 'No delivery method has this id', 'reference.unknown'),
    );
  if (order.quote_id !== undefined && method?.kind !== 'live')
    faults.push(fault('quote_id', 'A quote is for a delivery method of kind live', 'quote.method'));
  faults.push(...dayFaults(around, order, method, slot));
  const isSent = (method?.kind === 'flat' || method?.kind === 'live') && lines.some((line) => line?.variant.kind === 'physical');
  if (isSent && !order.shipping_address)
    faults.push(fault('shipping_address', 'The delivery method needs an address', 'any.required'));
  const { fee, faults: ofFee } = method ? feeOf(method, order, { currency, subtotal, quoted }) : { fee: 0n, faults: [] };
  return { fee, method, slot, faults: [...faults, ...ofFee] };
}

function feeOf(method: AroundMethod, order: NewOrder, { currency, subtotal, quoted }: Omit<Sum, 'lines'>) {
  const inCurrency = method.currency === null || method.currency === currency;
  const isFree = inCurrency && method.free_from_amount !== null && subtotal >= BigInt(method.free_from_amount);
  if (method.kind === 'live') {
    if (order.quote_id === undefined)
      return { fee: 0n, faults: [fault('quote_id', 'The delivery method needs a rate of a quote', 'any.required')] };
    const { rate, faults = [] } = quoted ?? {};
    if (!rate) return { fee: 0n, faults };
    if (rate.currency !== currency)
      return { fee: 0n, faults: [fault('rate_id', `The rate is in ${rate.currency}`, 'rate.currency')] };
    return { fee: isFree ? 0n : BigInt(rate.fee_amount), faults };
  }
  if (method.kind === 'none' || isFree) return { fee: 0n, faults: [] };
  if (method.fee_amount > 0 && !inCurrency)
    return { fee: 0n, faults: [fault('delivery_method_id', `Its fee is in ${method.currency}`, 'method.currency')] };
  return { fee: BigInt(method.fee_amount), faults: [] };
}

const dayMs = 86_400_000;

export function dayFaults(
  { today }: Around,
  order: NewOrder,
  method: AroundMethod | undefined,
  slot: AroundSlot | undefined,
): Fault[] {
  const { delivery_date: day, delivery_timeslot_id: slotId } = order;
  const kind = slotId === undefined ? 'invalid_request' : 'conflict';
  if (slotId !== undefined && !slot) return [fault('delivery_timeslot_id', 'No time slot has this id', 'reference.unknown')];
  if (slot && slot.method_id !== order.delivery_method_id)
    return [fault('delivery_timeslot_id', 'The time slot is of another delivery method', 'timeslot.method', 'conflict')];
  if (day === undefined) return slot ? [fault('delivery_date', 'A time slot needs its day', 'any.required')] : [];
  if (day < today) return [fault('delivery_date', 'The day has passed', 'date.past', kind)];
  const earliest = new Date(Date.parse(today) + (method?.lead_days ?? 0) * dayMs).toISOString().slice(0, 10);
  if (day < earliest) return [fault('delivery_date', `The first day is ${earliest}`, 'date.lead', kind)];
  const weekday = new Date(day).getUTCDay() || 7;
  if (slot && !slot.weekdays.includes(weekday))
    return [fault('delivery_timeslot_id', 'The time slot is not offered on that day', 'timeslot.weekday', 'conflict')];
  return [];
}

function bookingFaults({ booking }: NewOrder, lines: (PricedLine | undefined)[]): Fault[] {
  if (!booking || lines.some((line) => line?.variant.service_id === booking.service_id)) return [];
  return [fault('booking.service_id', 'No item of the order is of this service', 'service.item')];
}

export const uploadFaults = ({ assets }: Around, { checkout_uploads = [] }: NewOrder): Fault[] =>
  checkout_uploads.flatMap((id, index) =>
    assets.includes(id) ? [] : [fault(`checkout_uploads[${index}]`, 'No media asset has this id', 'reference.unknown')],
  );

const contactFaults = ({ contacts }: Around, { contact_id }: NewOrder): Fault[] =>
  contact_id === undefined || contact_id === null || contacts.some(({ id }) => id === contact_id)
    ? []
    : [fault('contact_id', 'No contact has this id', 'reference.unknown')];

/** Of a draft: as it would be sold now. Its discount counts if it could be used; each fault is said. */
export function totalsOfDraft(around: Around, order: NewOrder, draft: Priced): { totals: Totals; faults: Fault[] } {
  const { reduction, faults } = reductionOf(around, order, draft);
  const lines = draft.lines.flatMap((line) => (line ? [{ unit: line.unit, quantity: line.quantity }] : []));
  try {
    const totals = totalsOf({ currency: draft.currency, lines, reduction, fee: draft.fee });
    return { totals, faults: [...faults, ...paymentFaults(around, totals, draft.currency)] };
  } catch (error) {
    const none: Totals = {
      subtotal: 0n,
      discount: 0n,
      fee: 0n,
      total: 0n,
      lines: lines.map(() => ({ discount: 0n, total: 0n })),
    };
    return { totals: none, faults: [...faults, ...faultsOf(error)] };
  }
}

/** A total that none of the connected payment providers of its currency can express. */
export function paymentFaults({ payment_providers }: Around, { total }: Totals, currency: string): Fault[] {
  const refusal = inexpressible(payment_providers, total, currency);
  return refusal ? [fault('items', refusal, 'payment.amount')] : [];
}

function reductionOf(
  { discounts }: Around,
  { discount_code, contact_id }: NewOrder,
  { currency, subtotal }: Priced,
): { reduction?: Reduction; faults: Fault[] } {
  if (discount_code === undefined) return { faults: [] };
  const discount = discounts.find(({ code }) => code.toUpperCase() === discount_code.toUpperCase());
  const invalid = (message: string) => ({ faults: [fault('discount_code', message, 'discount_invalid', 'discount_invalid')] });
  if (!discount?.is_usable) return invalid('The code is not valid');
  if (discount.currency !== null && discount.currency !== currency) return invalid(`The code is for ${discount.currency}`);
  if (subtotal < BigInt(discount.min_subtotal)) return invalid('The order is below the minimum of the code');
  if (contact_id !== undefined && discount.used_up_by.includes(contact_id))
    return invalid('The contact has used the code already');
  return { reduction: { kind: discount.kind, value: BigInt(discount.value) }, faults: [] };
}
