import { storeDailyRates } from '../../src/money/daily-rates.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { createTransact } from '../../src/platform/ledger/transact.ts';
import { ProviderFailed } from '../../src/providers/errors.ts';
import { feedOfRates } from '../../src/providers/exchange-rates/client.ts';
import type { ExchangeRates } from '../../src/providers/exchange-rates/provider.ts';
import { until } from './until.ts';

type Where = { database: Database; organizationId: string; url: string; timeoutMs: number; signal: AbortSignal };

/** Stores the feed's rates, as the worker's job does within minutes: the first deals need a home currency amount. */
export async function prepareRates({ database, organizationId, url, timeoutMs, signal }: Where): Promise<void> {
  const feed = feedOfRates({ url, timeoutMs });
  const daily = await until('The answer of the feed of exchange rates', signal, () => answerOf(feed));
  const transact = transactFor(
    createTransact(database, () => undefined),
    organizationId,
  );
  await transact({}, ({ own }) => storeDailyRates(own, daily));
}

/** Undefined while the sandbox is not up yet. */
const answerOf = (feed: ExchangeRates) =>
  feed.latest().catch((error: unknown) => {
    if (error instanceof ProviderFailed) return undefined;
    throw error;
  });
