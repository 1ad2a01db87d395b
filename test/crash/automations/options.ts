import { given } from '../options.ts';

export const automationSizes = {
  runs: given('RUNS', 240),
  kills: given('KILLS', 6),
  maxPauseMs: given('PAUSE', 300),
};
