import { Webhook } from 'standardwebhooks';
import { catalogue } from '../../src/platform/events/catalogue.ts';
import type { Arrival } from './receiver.ts';

export type Envelope = { id: string; type: string; timestamp: string; organization_id: string; data: Record<string, unknown> };
export type Verified = { event: Envelope; fault?: undefined } | { event?: undefined; fault: string };

/** With a library that is not ours: what it takes, the libraries of receivers take. */
export function verified(secret: string, { headers, body }: Pick<Arrival, 'headers' | 'body'>): Verified {
  try {
    return { event: new Webhook(secret).verify(body, headers) as Envelope };
  } catch (error) {
    return { fault: (error as Error).message.toLowerCase() };
  }
}

/** What an event is about. Undefined for a type that this code does not know. */
export function subjectOf({ type, data }: Envelope): { type: string; id: string } | undefined {
  const subject = catalogue.find((contract) => contract.type === type)?.subject;
  return subject && { type: subject.type, id: String(data[subject.id]) };
}
