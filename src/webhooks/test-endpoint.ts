import { AppError } from '../platform/errors.ts';
import { catalogue } from '../platform/events/catalogue.ts';
import { webhookTest } from '../platform/events/endpoint-events.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { endpointToChange } from './endpoints.ts';

/** In the list of events a test is one, whatever it sends: who reads on from a cursor must not take an example for what has happened. */
export type TestData = { endpoint_id: string; organization_id: string; sends?: { type: string; data: Record<string, unknown> } };

/** What the receiver gets: the event that a test sends, in place of the test. */
export const sentBy = <Stored extends { type: string; data: Record<string, unknown> }>(event: Stored): Stored => {
  const { sends } = event.data as Partial<TestData>;
  return sends ? { ...event, ...sends } : event;
};

/**
 * One attempt, whatever the endpoint subscribes to, with the example of an event's type. Returns the operation's id. Needs the endpoint's
 * lock. Throws 404, 422.
 */
export async function testEndpoint(tx: OwnTx, endpointId: string, type: string = webhookTest.type): Promise<string> {
  const { enabled } = await endpointToChange(tx, endpointId);
  if (!enabled) throw new AppError('endpoint_disabled', 'The webhook endpoint is disabled');
  const jobId = uuidv7();
  const { organizationId } = tx;
  const data: TestData = { endpoint_id: endpointId, organization_id: organizationId };
  if (type !== webhookTest.type) data.sends = { type, data: exampleOf(type, organizationId) };
  tx.emit(webhookTest, data, { test: { endpointId, jobId } });
  return jobId;
}

/** The ids in it are those of the documentation; only the organization is the receiver's own. */
function exampleOf(type: string, organizationId: string): Record<string, unknown> {
  const { example } = catalogue.find((event) => event.type === type)!;
  return 'organization_id' in example ? { ...example, organization_id: organizationId } : example;
}
