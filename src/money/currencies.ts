/**
 * The currencies of ISO 4217 by their number of digits, as the standard has them: committed, since the tables of Node's ICU differ and
 * move with its version. Codes without a minor unit there are not currencies here: metals, bond units, XDR, tests, XXX. A currency that
 * is withdrawn stays, because amounts are written in it.
 */
const byDigits: Record<number, string> = {
  0: `
    BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
  2: `
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY
    COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR
    IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN
    NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB
    TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: `
    BHD IQD JOD KWD LYD OMR TND`,
  4: `
    CLF UYW`,
};

const digits = new Map(
  Object.entries(byDigits).flatMap(([count, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, Number(count)] as const),
  ),
);

export const currencyCodes = [...digits.keys()].sort();

export const isCurrency = (code: string) => digits.has(code);

/** How many decimals an amount of the currency has: USD 2, JPY 0. */
export function digitsOf(code: string): number {
  const count = digits.get(code);
  if (count === undefined) throw new Error(`${code} is not in the table of currencies`);
  return count;
}

/**
 * Where the least that anybody can pay is more than one minor unit. ISO 4217 gives the rupiah two decimals; sen are neither minted nor
 * taken by any payment service.
 */
const steps = new Map([['IDR', 100n]]);

/** In minor units: each price, fee and discount is a multiple of it, so that what can be ordered can be paid. */
export function stepOf(code: string): bigint {
  digitsOf(code);
  return steps.get(code) ?? 1n;
}
