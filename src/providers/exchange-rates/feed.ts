import sax from 'sax';
import { ProviderFailed } from '../errors.ts';
import type { DailyRates } from './provider.ts';

/** What such a feed counts in. */
const base = 'EUR';
const day = /^\d{4}-\d\d-\d\d$/;
const rate = /^(?=.*[1-9])\d{1,12}(\.\d{1,12})?$/;
const currency = /^[A-Z]{3}$/;

/**
 * The daily reference rates as the European Central Bank publishes them: `<Cube time="…">` with a `<Cube currency="…" rate="…"/>` for each
 * currency. Entities are not expanded. Throws ProviderFailed for anything else.
 */
export function readFeed(text: string): DailyRates {
  const days: DailyRates[] = [];
  const parser = sax.parser(true);
  parser.onerror = (error) => {
    throw new ProviderFailed('The feed of exchange rates is no XML', { cause: error });
  };
  parser.onopentag = ({ name, attributes }) => {
    if (!/^(\w+:)?Cube$/.test(name)) return;
    const { time, currency: code, rate: value } = attributes as Record<string, string | undefined>;
    if (time !== undefined && day.test(time)) days.push({ base, day: time, rates: [] });
    if (code === undefined || value === undefined) return;
    if (currency.test(code) && rate.test(value)) days.at(-1)?.rates.push({ currency: code, rate: value });
  };
  parser.write(text).close();
  const [newest] = days.sort((one, other) => (one.day < other.day ? 1 : -1));
  if (!newest || newest.rates.length === 0) throw new ProviderFailed('The feed of exchange rates has none');
  return newest;
}
