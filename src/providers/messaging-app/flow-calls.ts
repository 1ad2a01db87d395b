import type { Account } from './account.ts';

export type FlowStatus = 'draft' | 'published' | 'deprecated' | 'blocked' | 'throttled';

/** As the provider writes it, one a line of its list; a place it does not name is null. */
export type ProviderFlowFault = {
  error: string;
  errorType: string;
  message: string;
  /** Of the property; empty where the provider names none. */
  path: string;
  lineStart: number | null;
  lineEnd: number | null;
  columnStart: number | null;
  columnEnd: number | null;
};

/** Categories in small letters. */
export type FlowSummary = { id: string; name: string; status: FlowStatus; categories: string[] };

/** Texts are empty where the provider has none. */
export type ProviderFlow = FlowSummary & {
  validationErrors: ProviderFlowFault[];
  jsonVersion: string;
  dataApiVersion: string;
  endpointUri: string;
  previewUrl: string | null;
  previewExpiresAt: Date | null;
};

export type FlowMetadata = { name: string; categories: string[]; endpointUri?: string };

/** The public key of a number, PEM; null: it has none. `isTrusted`: the provider could verify its signature. */
export type FlowKey = { publicKey: string | null; isTrusted: boolean };

/** Flows of an account. A refusal is a `FlowRefused` (flow-refusals.ts), which says why. */
export type FlowCalls = {
  /** One page of the account's flows; `after`: where the next one begins, null at the end. */
  listFlows(account: Account, page?: { after?: string | null }): Promise<{ flows: FlowSummary[]; after: string | null }>;
  /** All of exactly this name, for a creation whose answer was lost. */
  findFlows(account: Account, name: string): Promise<FlowSummary[]>;
  /** A draft without a document. */
  createFlow(account: Account, flow: FlowMetadata): Promise<{ id: string; validationErrors: ProviderFlowFault[] }>;
  /** `isPreviewRenewed`: the addresses given before end, and the flow gets another. */
  readFlow(account: Account, id: string, options?: { isPreviewRenewed?: boolean }): Promise<ProviderFlow>;
  /** May turn a published flow into a draft. Idempotent. */
  updateFlow(account: Account, id: string, change: Partial<FlowMetadata>): Promise<void>;
  /** Kept by the provider even with errors, which a publication then meets. Idempotent; may turn a published flow into a draft. */
  uploadFlowDocument(account: Account, id: string, json: string): Promise<{ validationErrors: ProviderFlowFault[] }>;
  /** What the provider has, parsed; undefined: the flow has no document. */
  downloadFlowDocument(account: Account, id: string): Promise<unknown>;
  publishFlow(account: Account, id: string): Promise<void>;
  deprecateFlow(account: Account, id: string): Promise<void>;
  /** A draft only. */
  deleteFlow(account: Account, id: string): Promise<void>;
  readFlowKey(account: Account): Promise<FlowKey>;
  /** Takes the place of the number's key. Idempotent. */
  uploadFlowKey(account: Account, publicKeyPem: string): Promise<void>;
};
