import type { Own } from '../../platform/database/own.ts';
import { quotedRate } from '../delivery/quoted-rate.ts';
import type { Around } from './around.ts';
import type { NewOrder } from './content.ts';
import { faultsOf } from './faults.ts';
import type { Quoted } from './priced.ts';

/** Undefined: the order names no quote. A rate that is not to be had is a fault, not an error. */
export async function quotedFor(
  own: Own,
  { variants }: Around,
  { quote_id, rate_id = '', shipping_address, items = [] }: NewOrder,
): Promise<Quoted | undefined> {
  if (quote_id === undefined) return undefined;
  const sent = items.filter(({ variant_id }) => variants.some(({ id, kind }) => id === variant_id && kind === 'physical'));
  try {
    const rate = await quotedRate(own, {
      quoteId: quote_id,
      rateId: rate_id,
      areaId: shipping_address?.area_id ?? '',
      items: sent,
    });
    return { rate, faults: [] };
  } catch (error) {
    return { faults: faultsOf(error) };
  }
}
