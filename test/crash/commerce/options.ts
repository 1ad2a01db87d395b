import { given } from '../options.ts';

export const commerceSizes = {
  orders: given('ORDERS', 40),
  /** Of the last pieces: drafts that become orders at once. */
  buyers: given('BUYERS', 200),
  kills: given('FAULTS', 3),
  maxPauseMs: given('PAUSE', 2_500),
};
