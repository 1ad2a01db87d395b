import { randomBytes } from 'node:crypto';
import { flowId } from '../ids.ts';
import { Tallies } from '../tallies.ts';
import type { FlowDocument } from './document.ts';

export const flowStatuses = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'] as const;
export type FlowStatus = (typeof flowStatuses)[number];

export interface Flow {
  id: string;
  wabaId: string;
  name: string;
  status: FlowStatus;
  categories: string[];
  endpointUri: string | null;
  document: FlowDocument | null;
  preview: { token: string; expiresAt: number };
}

/** A message that opens a flow, for whoever answers it. */
export interface SentFlow {
  phoneNumberId: string;
  user: { wa_id?: string; user_id?: string };
  flowId: string | null;
  token: string | null;
}

const previewLivesMs = 30 * 24 * 60 * 60 * 1_000;
const linkLivesMs = 5 * 60 * 1_000;

export class Flows {
  #byId = new Map<string, Flow>();
  #links = new Map<string, { text: string; expiresAt: number }>();
  /** By the id of the message. */
  readonly sent = new Map<string, SentFlow>();
  /** Calls that manage flows, by business account. */
  readonly calls = new Tallies();
  /** When each throttled flow was sent, to count the last hour. */
  readonly sentWhileThrottled = new Map<string, number[]>();

  add(flow: Omit<Flow, 'id' | 'preview'> & { id?: string }): Flow {
    const added = { ...flow, id: flow.id ?? flowId(), preview: newPreview() };
    this.#byId.set(added.id, added);
    return added;
  }

  get(id: string): Flow | undefined {
    return this.#byId.get(id);
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  all(): Flow[] {
    return [...this.#byId.values()];
  }

  ofWaba(wabaId: string): Flow[] {
    return this.all().filter((flow) => flow.wabaId === wabaId);
  }

  renewPreview(flow: Flow): void {
    flow.preview = newPreview();
  }

  /** The document as it is at this moment, and for who has the address. */
  linkFor(text: string): string {
    const link = randomBytes(24).toString('base64url');
    this.#links.set(link, { text, expiresAt: Date.now() + linkLivesMs });
    return link;
  }

  textBehind(link: string, now = Date.now()): string | undefined {
    const found = this.#links.get(link);
    return found && found.expiresAt > now ? found.text : undefined;
  }
}

const newPreview = () => ({ token: randomBytes(18).toString('hex'), expiresAt: Date.now() + previewLivesMs });
