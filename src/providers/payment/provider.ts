/**
 * What we need of a payment provider, in our words. Every call throws a ProviderError. Amounts are decimal texts, `150000.00`: each provider
 * counts in units of its own.
 */

export const paymentProviders = ['stripe', 'xendit'] as const;
export type PaymentProviderName = (typeof paymentProviders)[number];

/** Of a connection: `secret_key`. */
export type PaymentCredentials = Record<string, string>;

/** Everything that the provider compares when a call is repeated: the same session always asks for the same. */
export type NewPage = {
  /** Ours; also the key under which the provider repeats the answer, where it can. */
  reference: string;
  orderNo: string;
  amount: string;
  currency: string;
  customer: { name: string; email: string; phone: string };
  successUrl: string;
  cancelUrl: string;
  expiresAt: Date;
};

/**
 * `processing`: the page is used up and the money is on its way, which takes days with some methods. `failed`: it is not coming. An open page
 * on which a try failed stays open.
 */
export type PageStatus = 'open' | 'processing' | 'completed' | 'expired' | 'cancelled' | 'failed';

export type Received = {
  /** The provider's id, by which it is refunded. The currency is in capitals. */
  paymentId: string;
  amount: string;
  currency: string;
  method: string;
};

export type Page = {
  id: string;
  status: PageStatus;
  /** Empty: the provider does not show it any more. */
  url: string;
  reference: string;
  /** What was really paid; null: nothing. */
  received: Received | null;
};

export type NewRefund = {
  /** Ours: the provider repeats its answer under it. */
  key: string;
  paymentId: string;
  amount: string;
  currency: string;
};

/** `key`: ours. */
export type RefundThere = { id: string; key: string; status: 'pending' | 'succeeded' | 'failed'; reason: string };

export type PaymentProvider = {
  /** One call that reads. Refused credentials are ProviderRefused with `stopsChannel`. */
  verify(credentials: PaymentCredentials): Promise<{ account: string }>;
  createPage(credentials: PaymentCredentials, page: NewPage): Promise<Page>;
  /** Undefined: the provider has none of this id. */
  readPage(credentials: PaymentCredentials, id: string): Promise<Page | undefined>;
  /** Ends an open page. One that has ended otherwise meanwhile is given back as it is. */
  closePage(credentials: PaymentCredentials, id: string): Promise<Page | undefined>;
  refund(credentials: PaymentCredentials, refund: NewRefund): Promise<RefundThere>;
  readRefund(credentials: PaymentCredentials, id: string): Promise<RefundThere | undefined>;
  [call: string]: (...given: never[]) => Promise<unknown>;
};

/** What the provider does differently when an answer was lost. */
export const repeatsUnderKey: Record<PaymentProviderName, { createPage: boolean }> = {
  stripe: { createPage: true },
  xendit: { createPage: false },
};

/** What a webhook is about; all of it is a hint. */
export type PaymentHint = { pageId?: string; reference?: string; paymentId?: string; refundId?: string; refundKey?: string };
