import { storeDailyRates } from '../../src/money/daily-rates.ts';
import { fetchRatesJob } from '../../src/money/jobs.ts';
import { handle } from '../handler.ts';

/** A day that is stored already is not stored again. */
export const fetchRates = handle(fetchRatesJob, async (_payload, context) => {
  const { exchangeRates } = context.providers;
  // The installation's feed was taken away since.
  if (!exchangeRates) return context.finish();
  const daily = await context.outside(() => exchangeRates.latest());
  return context.finish(async ({ own }) => {
    context.facts.rates = await storeDailyRates(own, daily);
  });
});
