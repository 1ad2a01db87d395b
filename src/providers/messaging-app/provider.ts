/** What the product needs of a messaging app, in our words. Every call may throw the errors of providers/errors.ts and nothing else. */
export type MessagingApp = {
  /** The number as the provider knows it; refuses a token that may not use it. */
  readNumber(account: Account): Promise<{ displayPhone: string; verifiedName: string }>;
  /** Whether the number belongs to the account; refuses an account that the token may not see. */
  ownsNumber(account: Account): Promise<boolean>;
  /** All templates of the account the number belongs to. */
  listTemplates(account: Account): Promise<ProviderTemplate[]>;
  send(account: Account, message: OutboundMessage): Promise<Accepted>;
  /** Nothing this person writes arrives any more. Asked twice it is done once; only for one who wrote within 24 hours. */
  blockUser(account: Account, who: Address): Promise<void>;
  unblockUser(account: Account, who: Address): Promise<void>;
};

/** A phone (digits) or the provider's own user id; the phone is used where both are given. */
export type Address = { phone?: string; userId?: string };

export type Account = { phoneNumberId: string; accountId: string; accessToken: string };

export type OutboundMessage = {
  /** Ours; comes back with every status of this message. */
  callbackData: string;
  toPhone?: string;
  toUserId?: string;
  type: string;
  /** The provider-neutral content, `{ body }` of a text, `{ name, language, components }` of a template. */
  content: Record<string, unknown>;
  contextId?: string;
};

export type Accepted = { providerMessageId: string; phoneId?: string; userId?: string };

export type ProviderTemplate = {
  id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  components: unknown[];
};
