import { stepOf } from './currencies.ts';
import { rounded } from './ratio.ts';

/** What a number of JSON holds exactly. */
export const maxWireAmount = 2n ** 53n - 1n;

/** 100 %. */
export const wholeInBasisPoints = 10_000n;

export const isPayable = (minor: bigint, currency: string) => minor % stepOf(currency) === 0n;
export const notPayable = (currency: string) => `An amount in ${currency} must be a multiple of ${stepOf(currency)} minor units`;

/** Half up to the currency's step, once. 250 basis points are 2.5 %. */
export function percentOf(minor: bigint, basisPoints: bigint, currency: string): bigint {
  const step = stepOf(currency);
  return rounded({ over: minor * basisPoints, under: wholeInBasisPoints * step }) * step;
}

/**
 * In the proportion of the weights, each share a multiple of the currency's step, and together exactly `minor`: by the largest remainder,
 * of equal ones the first. No share is above its weight where `minor` is not above their sum.
 */
export function spread(minor: bigint, weights: bigint[], currency: string): bigint[] {
  const step = stepOf(currency);
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  if (minor % step !== 0n) throw new RangeError(`${minor} ${currency} cannot be spread in steps of ${step}`);
  if (sum === 0n) {
    if (minor !== 0n) throw new RangeError('Nothing to spread it over');
    return weights.map(() => 0n);
  }
  const steps = minor / step;
  const parts = weights.map((weight, position) => ({
    position,
    whole: (steps * weight) / sum,
    rest: (steps * weight) % sum,
  }));
  const left = steps - parts.reduce((total, { whole }) => total + whole, 0n);
  const byRest = [...parts].sort((one, other) =>
    one.rest === other.rest ? one.position - other.position : one.rest > other.rest ? -1 : 1,
  );
  const raised = new Set(byRest.slice(0, Number(left)).map(({ position }) => position));
  return parts.map(({ whole, position }) => (whole + (raised.has(position) ? 1n : 0n)) * step);
}
