import { asDecimal, type Money } from '../money/amounts.ts';
import { digitsOf } from '../money/currencies.ts';
import { exchange } from '../money/exchange.ts';
import type { Own } from '../platform/database/own.ts';
import type { DealRow } from './deal-row.ts';

export type DealMoney = Pick<DealRow, 'amount_minor' | 'currency_code'>;
export type FrozenMoney = DealMoney & Pick<DealRow, 'home_currency_at_write' | 'amount_in_home_currency'>;

const frozenAt = (home: string, amount: Money | undefined) => ({
  home_currency_at_write: home,
  amount_in_home_currency: amount ? asDecimal(amount) : null,
});

/** At this moment's rates, all in one statement; without a rate there is no home amount. */
export async function frozenMoneys(own: Own, deals: DealMoney[]): Promise<FrozenMoney[]> {
  const asks = deals.map(({ amount_minor, currency_code }) => ({ minor: amount_minor, currency: currency_code, to: 'home' }));
  const { home, amounts } = await exchange(own, asks);
  return deals.map(({ amount_minor, currency_code }, index) => ({
    amount_minor,
    currency_code,
    ...frozenAt(home, amounts[index]),
  }));
}

export async function frozenMoney(own: Own, amount: string, currency: string): Promise<FrozenMoney> {
  const [money] = await frozenMoneys(own, [{ amount_minor: amount, currency_code: currency }]);
  return money!;
}

const shownAs = ({ minor, currency }: Money): DisplayMoney => ({
  display_currency: currency,
  display_currency_unit: digitsOf(currency),
  display_currency_minor: String(minor),
});

/** Of a new deal: what is stored, and how the organization reads it. */
export async function newMoney(
  own: Own,
  amount: string,
  currency?: string,
): Promise<{ money: FrozenMoney; display: DisplayMoney }> {
  if (currency === undefined) return newMoney(own, amount, (await exchange(own, [])).home);
  const given = { minor: amount, currency };
  const { home, amounts } = await exchange(own, [
    { ...given, to: 'home' },
    { ...given, to: 'display' },
  ]);
  const [atHome, shown] = amounts;
  const money = { amount_minor: amount, currency_code: currency, ...frozenAt(home, atHome) };
  return { money, display: shownAs(shown ?? { minor: BigInt(amount), currency }) };
}

export type DisplayMoney = { display_currency: string; display_currency_unit: number; display_currency_minor: string };

/**
 * In the reader's currency, all deals of a page in one statement: at the newest rate for an open deal, at that of its closing for a closed
 * one. Without a rate in the deal's own currency.
 */
export async function displayMoney(own: Own, rows: DealRow[], reader?: string): Promise<DisplayMoney[]> {
  if (rows.length === 0) return [];
  const asks = rows.map(({ amount_minor, currency_code, status, closed_at }) => ({
    minor: amount_minor,
    currency: currency_code,
    to: 'display',
    at: status === 'open' ? null : closed_at,
  }));
  const { amounts } = await exchange(own, asks, reader);
  return rows.map(({ amount_minor, currency_code }, index) =>
    shownAs(amounts[index] ?? { minor: BigInt(amount_minor), currency: currency_code }),
  );
}
