import { couriersOf } from '../../../src/commerce/delivery/couriers.ts';
import { quoteShippingJob } from '../../../src/commerce/delivery/quote-jobs.ts';
import { pendingQuote, settleQuote } from '../../../src/commerce/delivery/quotes.ts';
import { connectionDeleted } from '../../../src/connections/deleted.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { withConnection } from '../../connections/with-connection.ts';
import { handleCalls } from '../../handler.ts';
import { orRefusal } from './refusal.ts';

/** Reads only, so it may run twice. */
export const quoteShipping = handleCalls(quoteShippingJob, async ({ quote_id: id }, context) => {
  const quote = await pendingQuote(context.own, id).catch(orRefusal);
  if (!quote) return context.finish();
  if (quote instanceof AppError) return context.fail({ code: quote.code, message: quote.message });
  return withConnection(context, quote.connection_id, {
    gone: () => context.fail(connectionDeleted),
    async work({ account, call }) {
      const asked = { ...quote.asked, couriers: couriersOf(account.settings) };
      const rates = await call(() => context.providers.shipper.rates(account.credentials, asked));
      return context.finish(({ own }) => settleQuote(own, id, rates));
    },
  });
});
