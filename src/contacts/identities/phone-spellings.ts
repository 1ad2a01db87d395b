/**
 * Phone numbers that are written in two ways, in digits: the provider's id of a phone may be an older or a longer form than the number people
 * dial. Each pair of forms is one phone. `20261205000000-phone-spellings.ts` has the same forms in SQL.
 */
const forms: { long: RegExp; short: RegExp; shortened: (long: string) => string; lengthened: (short: string) => string }[] = [
  // Brazil: mobile numbers got a ninth digit; only those that began with 6 to 9 existed before it.
  {
    long: /^55[1-9][1-9]9[6-9]\d{7}$/,
    short: /^55[1-9][1-9][6-9]\d{7}$/,
    shortened: (long) => long.slice(0, 4) + long.slice(5),
    lengthened: (short) => `${short.slice(0, 4)}9${short.slice(4)}`,
  },
  // Mexico: 1 for mobile numbers, until 2019.
  {
    long: /^521[2-9]\d{9}$/,
    short: /^52[2-9]\d{9}$/,
    shortened: (long) => `52${long.slice(3)}`,
    lengthened: (short) => `521${short.slice(2)}`,
  },
  // Argentina: 9 for mobile numbers that are called from abroad.
  {
    long: /^549[1-3]\d{9}$/,
    short: /^54[1-3]\d{9}$/,
    shortened: (long) => `54${long.slice(3)}`,
    lengthened: (short) => `549${short.slice(2)}`,
  },
  // Ivory Coast: since 2021 two more digits, by the network, which the second digit of a mobile number named before.
  {
    long: /^225(?:01[04-9][0-3]|05[04-9][4-6]|07[04-9][7-9])\d{6}$/,
    short: /^225[04-9]\d{7}$/,
    shortened: (long) => `225${long.slice(5)}`,
    lengthened: (short) => `225${networkOf(Number(short[4]))}${short.slice(3)}`,
  },
  // Benin: 01 before all numbers since 2024.
  {
    long: /^22901[2-9]\d{7}$/,
    short: /^229[2-9]\d{7}$/,
    shortened: (long) => `229${long.slice(5)}`,
    lengthened: (short) => `22901${short.slice(3)}`,
  },
];

const networkOf = (digit: number) => (digit < 4 ? '01' : digit < 7 ? '05' : '07');

/** The other form of a phone, in digits; undefined: it has one form only. Its own inverse. */
export function otherSpelling(digits: string): string | undefined {
  for (const { long, short, shortened, lengthened } of forms) {
    if (long.test(digits)) return shortened(digits);
    if (short.test(digits)) return lengthened(digits);
  }
  return undefined;
}

/** One text for all forms of a phone: the longest. `text`: with or without +. */
export function phoneKey(text: string): string {
  const digits = text.replace(/\D/g, '');
  const other = otherSpelling(digits);
  return other !== undefined && other.length > digits.length ? other : digits;
}
