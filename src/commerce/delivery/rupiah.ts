import { asDecimal } from '../../money/amounts.ts';

/** In whole rupiah, which is how the shipper counts; another currency is not converted, and the parcel is not insured by it. */
export const rupiahOf = (minor: string, currency: string): number =>
  currency === 'IDR' ? Number(asDecimal({ minor: BigInt(minor), currency }).split('.')[0]) : 0;
