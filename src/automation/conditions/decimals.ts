type Parts = { isNegative: boolean; whole: string; part: string };

function partsOf(text: string): Parts {
  const [, sign, whole = '', part = ''] = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(text) ?? [];
  return { isNegative: sign === '-' && (whole !== '' || part !== ''), whole, part };
}

/** Decimal numbers as text, of any length. Below 0: the first is smaller. */
export function compareDecimals(first: string, second: string): number {
  const [one, other] = [partsOf(first), partsOf(second)];
  if (one.isNegative !== other.isNegative) return one.isNegative ? -1 : 1;
  const size = one.whole.length - other.whole.length || compared(one.whole, other.whole) || compared(one.part, other.part);
  // Not `-size`: of two that are the same it would be -0.
  return one.isNegative ? 0 - size : size;
}

const compared = (first: string, second: string) => (first < second ? -1 : first > second ? 1 : 0);
