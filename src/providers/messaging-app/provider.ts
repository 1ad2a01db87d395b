/** Throws only the errors of providers/errors.ts. */
export type MessagingApp = {
  /** Refuses a token that may not use the number. */
  readNumber(account: Account): Promise<{ displayPhone: string; verifiedName: string }>;
  ownsNumber(account: Account): Promise<boolean>;
  listTemplates(account: Account): Promise<ProviderTemplate[]>;
  findTemplate(account: Account, which: { name: string; language: string }): Promise<ProviderTemplate | undefined>;
  createTemplate(account: Account, template: NewTemplate): Promise<Pick<ProviderTemplate, 'id' | 'status' | 'category'>>;
  editTemplate(account: Account, id: string, change: Partial<Pick<NewTemplate, 'category' | 'components'>>): Promise<void>;
  /** Of one language. Refused where the provider does not have it. */
  deleteTemplate(account: Account, which: { id: string; name: string }): Promise<void>;
  send(account: Account, message: OutboundMessage): Promise<Accepted>;
  /** Idempotent. With `isTyping` the person sees for some seconds that an answer is being written. */
  markRead(account: Account, message: { providerMessageId: string; isTyping: boolean }): Promise<void>;
  /** Idempotent. Only for a person who wrote within 24 hours. */
  blockUser(account: Account, who: Address): Promise<void>;
  unblockUser(account: Account, who: Address): Promise<void>;
};

/** The phone, in digits, is used where both are given. */
export type Address = { phone?: string; userId?: string };

export type Account = { phoneNumberId: string; accountId: string; accessToken: string };

export type OutboundMessage = {
  /** Ours; comes back with every status of this message. */
  callbackData: string;
  toPhone?: string;
  toUserId?: string;
  type: string;
  /** In the provider's form, but `{ name, language, components }` of a template and `{ contacts }`. */
  content: Record<string, unknown>;
  /** The provider's id of the message it answers, or that a reaction is about. */
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
  /** Where the provider tells them. */
  quality?: string;
  reason?: string;
};

export type NewTemplate = {
  name: string;
  language: string;
  category: string;
  parameterFormat: 'positional' | 'named';
  components: unknown[];
};
