import { given } from '../options.ts';

export const matrixSizes = {
  events: given('EVENTS', 400),
  endpoints: given('ENDPOINTS', 10),
  recovered: given('RECOVERED', 200),
  reminders: given('REMINDERS', 150),
  faults: given('FAULTS', 6),
  maxPauseMs: given('PAUSE', 500),
};
