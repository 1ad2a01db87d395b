/** What a person must look at; docs/commerce.md says what to do about each. */
export const attentions = [
  'paid_after_cancel',
  'overpaid',
  'amount_mismatch',
  'payment_unanswered',
  'refund_unanswered',
  'shipment_failed',
  'price_changed',
  'calendar_failed',
] as const;
export type Attention = (typeof attentions)[number];

/** Of which only a person can say that it is dealt with; the others go with what raised them. */
export const settledByHand = [
  'amount_mismatch',
  'payment_unanswered',
  'shipment_failed',
  'price_changed',
] as const satisfies readonly Attention[];
export type SettledByHand = (typeof settledByHand)[number];
