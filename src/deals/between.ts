/** A decimal text as a whole number of units of 10^-digits. */
function scaled(text: string, digits: number): bigint {
  const [whole = '0', part = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + part.padEnd(digits, '0'));
  return text.startsWith('-') ? -size : size;
}

const digitsIn = (text: string) => text.split('.')[1]?.length ?? 0;

function asText(value: bigint, digits: number): string {
  const size = String(value < 0n ? -value : value).padStart(digits + 1, '0');
  const whole = size.slice(0, size.length - digits);
  const part = size.slice(size.length - digits).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${part && `.${part}`}`;
}

/** Undefined: there is no room. Of the numbers with the fewest digits between two, one that is near their middle. */
export function between(low: string, high: string): string | undefined {
  const digits = Math.max(digitsIn(low), digitsIn(high)) + 1;
  const [least, most] = [scaled(low, digits), scaled(high, digits)];
  if (least >= most) return undefined;
  const middle = (least + most) / 2n;
  for (let kept = 0; kept <= digits; kept++) {
    const unit = 10n ** BigInt(digits - kept);
    const near = (middle / unit) * unit;
    const found = [near, near + unit, near - unit].find((value) => value > least && value < most);
    if (found !== undefined) return asText(found, digits);
  }
  return undefined;
}

const floored = (value: bigint, unit: bigint) => value - (((value % unit) + unit) % unit);

/** So many numbers between two, evenly and with as few digits as that allows. Undefined: there is no room. */
export function spread(low: string, high: string, count: number): string[] | undefined {
  const digits = Math.max(digitsIn(low), digitsIn(high)) + String(count).length + 1;
  const [least, most] = [scaled(low, digits), scaled(high, digits)];
  const gap = (most - least) / BigInt(count + 1);
  if (gap < 1n) return undefined;
  // Rounding by less than the gap leaves them in order.
  const unit = 10n ** BigInt(Math.min(digits, String(gap).length - 1));
  return Array.from({ length: count }, (_, index) => asText(floored(least + gap * BigInt(index + 1), unit), digits));
}

/** The next whole number below. */
export function below(text: string): string {
  const digits = digitsIn(text);
  const unit = 10n ** BigInt(digits);
  const value = scaled(text, digits);
  const floor = value / unit - (value < 0n && value % unit !== 0n ? 1n : 0n);
  return String(value % unit === 0n ? floor - 1n : floor);
}

/** Of a position: one that is longer is made anew, with those around it. */
export const maxDigits = 300;
export const isFine = (text: string) => digitsIn(text) > maxDigits;
