import { given } from '../options.ts';

export const answersSizes = {
  answers: given('ANSWERS', 120),
  conversations: given('CONVERSATIONS', 20),
  kills: given('FAULTS', 3),
  maxPauseMs: given('PAUSE', 1_500),
};
