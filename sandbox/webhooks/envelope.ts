import { type Account, digitsOf } from '../accounts.ts';

/** Wraps what happened on one number as a webhook of the field `messages`. */
export function envelope(account: Account, value: object): object {
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: account.waba_id,
        changes: [
          {
            value: {
              messaging_product: 'whatsapp',
              metadata: {
                display_phone_number: digitsOf(account.display_phone_number),
                phone_number_id: account.phone_number_id,
              },
              ...value,
            },
            field: 'messages',
          },
        ],
      },
    ],
  };
}

export function unixSeconds(at = Date.now()): string {
  return String(Math.floor(at / 1_000));
}
