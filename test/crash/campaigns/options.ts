import { given } from '../options.ts';

export const campaignSizes = {
  recipients: given('RECIPIENTS', 1_200),
  channels: 4,
  kills: given('KILLS', 4),
  pauses: given('PAUSES', 3),
  maxPauseMs: given('PAUSE', 800),
};
