import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { now } from '../../platform/time/clock.ts';
import { momentMs } from '../../platform/time/moment.ts';
import { Quote, type QuoteItem, type TakenRate } from './quote.entity.ts';

const quoteById = statement((select, { id }: { id: string }) =>
  select(Quote).select(['connection_id', 'status', 'destination', 'items', 'rates', 'expires_at']).where('id', '=', id),
);

export type ChosenRate = { quoteId: string; rateId: string; areaId: string; items: Pick<QuoteItem, 'variant_id' | 'quantity'>[] };

/** The price that the shipper named, for this address and these pieces. Throws 422 `quote_expired` where it names none any more. */
export async function quotedRate(own: Own, { quoteId, rateId, areaId, items }: ChosenRate): Promise<TakenRate> {
  const [quote] = isUuid(quoteId) ? await quoteById(own, { id: quoteId }) : [];
  if (!quote) throw expired('quote_id', 'There is no such quote', quoteId);
  if (quote.status !== 'ready') throw expired('quote_id', `The quote is ${quote.status}`, quoteId);
  if (momentMs(quote.expires_at) <= now()) throw expired('quote_id', `The quote was good until ${quote.expires_at}`, quoteId);
  if (quote.destination.area_id !== areaId) throw expired('quote_id', 'The quote is for another area', quoteId);
  if (countsOf(quote.items) !== countsOf(items)) throw expired('quote_id', 'The quote is for other items', quoteId);
  const rate = quote.rates.find(({ id }) => id === rateId);
  if (!rate) throw expired('rate_id', 'The quote has no such rate', rateId);
  return { ...rate, connection_id: quote.connection_id };
}

/** Several lines of one variant are as many as one. */
function countsOf(items: Pick<QuoteItem, 'variant_id' | 'quantity'>[]): string {
  const counts = new Map<string, number>();
  for (const { variant_id, quantity } of items) counts.set(variant_id, (counts.get(variant_id) ?? 0) + quantity);
  return [...counts]
    .map(([id, count]) => `${id} ${count}`)
    .sort()
    .join();
}

const expired = (field: string, message: string, value: string) =>
  new AppError('quote_expired', `${message}: ask for a new one`, {
    details: [{ field, location: 'body', code: 'quote_expired', message, value }],
  });
