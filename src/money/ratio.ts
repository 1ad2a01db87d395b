/** An exact positive fraction: what one unit of a currency is worth in units of another. */
export type Ratio = { over: bigint; under: bigint };

export const one: Ratio = { over: 1n, under: 1n };

/** Of a decimal text, as the database gives a numeric. */
export function ratioOf(decimal: string): Ratio {
  const [whole = '', part = ''] = decimal.split('.');
  return { over: BigInt(whole + part), under: 10n ** BigInt(part.length) };
}

export const inverse = ({ over, under }: Ratio): Ratio => ({ over: under, under: over });

export const times = (left: Ratio, right: Ratio): Ratio => ({ over: left.over * right.over, under: left.under * right.under });

/** Rounded half away from zero. */
export function rounded({ over, under }: Ratio): bigint {
  const [size, sign] = over < 0n ? [-over, -1n] : [over, 1n];
  return (sign * (2n * size + under)) / (2n * under);
}
