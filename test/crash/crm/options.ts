import { given } from '../options.ts';

export const crmSizes = {
  deals: given('DEALS', 50),
  moves: given('MOVES', 200),
  records: given('RECORDS', 20_000),
  kills: given('FAULTS', 4),
  maxPauseMs: given('PAUSE', 700),
};
