import type { OwnTx } from '../platform/ledger/tx.ts';
import type { DailyRates } from '../providers/exchange-rates/provider.ts';
import { isCurrency } from './currencies.ts';
import { addMissingRates, type TimedRate } from './rates.ts';
import { inverse, one, type Ratio, ratioOf, rounded, times } from './ratio.ts';

/** Of a stored rate. */
const scale = 10n ** 12n;
const largest = 10n ** 24n;

/** When the day's rates are published, so that a second run of the day adds nothing. */
const momentOf = (day: string) => `${day}T16:00:00Z`;

/**
 * The day's rates against the home currency, since others are crossed over it. The stronger currency is the base: a rate above 1 has 12
 * exact decimals and more. None when the feed does not have the home currency.
 */
export function ratesAtHome({ base, day, rates }: DailyRates, home: string): TimedRate[] {
  const inBase = new Map([[base, one], ...rates.map(({ currency, rate }) => [currency, ratioOf(rate)] as const)]);
  const ofHome = inBase.get(home);
  if (!ofHome) return [];
  return [...inBase]
    .filter(([currency]) => currency !== home && isCurrency(currency))
    .flatMap(([currency, ratio]) => {
      const atHome = times(ofHome, inverse(ratio));
      const isStrong = atHome.over >= atHome.under;
      const rate = decimalOf(isStrong ? atHome : inverse(atHome));
      const pair = isStrong ? { base: currency, quote: home } : { base: home, quote: currency };
      return rate === undefined ? [] : [{ ...pair, rate, effective_at: momentOf(day) }];
    });
}

/** Undefined: too large to be stored. */
function decimalOf({ over, under }: Ratio): string | undefined {
  const scaled = rounded({ over: over * scale, under });
  if (scaled >= largest) return undefined;
  const text = String(scaled).padStart(13, '0');
  return `${text.slice(0, -12)}.${text.slice(-12)}`;
}

/** Stores what is new of them. SQL: the organization's own row is found by `id`. */
export async function storeDailyRates(tx: OwnTx, daily: DailyRates): Promise<number> {
  const [row] = await tx.sql<{ home: string }>(
    `select home_currency as home
       from organizations
      where id = $1`,
  );
  const rates = row ? ratesAtHome(daily, row.home) : [];
  return rates.length === 0 ? 0 : addMissingRates(tx, rates, 'feed');
}
