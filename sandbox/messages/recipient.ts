import { type Account, digitsOf } from '../accounts.ts';
import { GraphError } from '../graph/errors.ts';
import { type Fields, invalid, optionalText } from './checks.ts';

export interface Recipient {
  /** As the caller wrote it. */
  input: string;
  /** The phone in digits, or the user id where no phone was given. */
  user: string;
  waId: string | null;
}

/** The phone wins where both are given. A user id in `to` is refused: the real one loses such a message without a word. */
export function readRecipient(body: Fields, account: Account): Recipient {
  const to = optionalText(body, 'to', 'to');
  const recipient = optionalText(body, 'recipient', 'recipient');
  if (to) {
    if (!/^\+?[\d\s().-]+$/.test(to) || !/^\d{7,15}$/.test(digitsOf(to)))
      throw invalid("Parameter 'to' is not a valid phone number");
    const waId = digitsOf(to);
    if (waId === digitsOf(account.display_phone_number)) throw new GraphError(131021);
    return { input: to, user: waId, waId };
  }
  if (!recipient) throw new GraphError(100, { message: '(#100) The parameter to is required.' });
  if (!/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(recipient)) throw invalid("Parameter 'recipient' is not a valid user id");
  return { input: recipient, user: recipient, waId: null };
}
