/** A body of the provider's field `flows`. */
export const flowChange = (value: object, time: unknown = 1_700_000_000, accountId = '2') => ({
  object: 'whatsapp_business_account',
  entry: [{ id: accountId, time, changes: [{ field: 'flows', value }] }],
});
