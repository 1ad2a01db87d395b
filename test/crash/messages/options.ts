import { given } from '../options.ts';

export const messagesSizes = {
  /** Each way. */
  messages: given('MESSAGES', 240),
  conversations: given('CONVERSATIONS', 20),
  kills: given('FAULTS', 3),
  maxPauseMs: given('PAUSE', 1_500),
};
