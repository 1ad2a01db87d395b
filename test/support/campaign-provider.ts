import { ProviderUnknown } from '../../src/providers/errors.ts';
import { sortedError } from '../../src/providers/messaging-app/error-codes.ts';
import type { Account, OutboundMessage } from '../../src/providers/messaging-app/provider.ts';

/** `accepted`, `lost` (taken, and the answer never comes), or a code of the provider's. */
export type Answer = 'accepted' | 'lost' | number;
export type Sent = { messageId: string; phone: string; isTaken: boolean };

export const providerIdOf = (messageId: string) => `wamid.${messageId}`;

/** Answers as it is told, in the words that the product sorts, and hears of each send before it answers. */
export function scriptedProvider(hear: (sent: Sent) => void) {
  let answer: Answer = 'accepted';
  return {
    next(given: Answer) {
      answer = given;
    },
    async send(_account: Account, { callbackData: messageId, toPhone: phone = '' }: OutboundMessage) {
      const isTaken = typeof answer === 'string';
      hear({ messageId: messageId!, phone, isTaken });
      if (answer === 'lost') throw new ProviderUnknown('No answer came');
      if (typeof answer === 'number') throw sortedError({ code: answer, message: 'Refused by the test' });
      return { providerMessageId: providerIdOf(messageId!), phoneId: phone };
    },
  };
}
