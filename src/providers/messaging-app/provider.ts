import type { Readable } from 'node:stream';
import type { Account } from './account.ts';
import type { FlowCalls } from './flow-calls.ts';

export type { Account };

/** How a number comes to us, in the order of the steps. */
export type OnboardingCalls = {
  /** The token of whoever got the code. A code is good once, and for a short time. */
  exchangeCode(code: string): Promise<string>;
  /** The installation's app hears of the account. Idempotent. */
  subscribeApp(account: Account): Promise<void>;
  isAppSubscribed(account: Account): Promise<boolean>;
  /** Idempotent with the same PIN, six digits. */
  registerNumber(account: Account, pin: string): Promise<void>;
};

/** Throws only the errors of providers/errors.ts, and what `take` and `open` throw. */
export type MessagingApp = OnboardingCalls &
  FlowCalls & {
    /** Refuses a token that may not use the number. */
    readNumber(account: Account): Promise<{ displayPhone: string; verifiedName: string }>;
    ownsNumber(account: Account): Promise<boolean>;
    readHealth(account: Account): Promise<NumberHealth>;
    /** Whether the account's webhooks come to the app of this token. */
    isSubscribed(account: Account): Promise<boolean>;
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
    /** A received file, or one that was uploaded. The link lives 5 minutes, so each call asks for a new one. `take` reads the stream to its end. */
    fetchMedia<Taken>(account: Account, file: MediaWanted, take: (file: MediaStream) => Promise<Taken>): Promise<Taken>;
    /** The provider's id of the file, good for 30 days. A lost answer means another upload: an unused one harms nobody. */
    uploadMedia(account: Account, file: MediaFile): Promise<string>;
  };

export type MediaWanted = { mediaId: string; maxBytes: number };
export type MediaStream = { mimeType: string; stream: Readable };
/** `open` gives exactly so many bytes. */
export type MediaFile = { mimeType: string; bytes: number; open(): Promise<Readable> };

/** The code of a `ProviderRefused` for a file that is larger than wanted. */
export const mediaTooLarge = 'media_too_large';

/** In the provider's words, in small letters; empty where it says nothing. */
export type NumberHealth = {
  verifiedName: string;
  nameStatus: string;
  quality: string;
  messagingLimit: string;
  throughput: string;
};

/** The phone, in digits, is used where both are given. */
export type Address = { phone?: string; userId?: string };

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
