/** Rates of one day: what one unit of `base` is worth in each currency, as decimal texts. */
export type DailyRates = { base: string; day: string; rates: { currency: string; rate: string }[] };

export type ExchangeRates = {
  /** The newest day. Throws a ProviderError. */
  latest(): Promise<DailyRates>;
};
