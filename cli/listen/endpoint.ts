import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { identityOf } from '../start/identity.ts';
import { type Api, Refused } from './api.ts';
import { machineOf } from './machine.ts';

const path = '/v1/settings/developer/webhooks/endpoints';

export type Registered = { id: string; secret: string };

/** Another machine may have the same host name, and its processes the same pids. */
const prefix = `kanal webhooks listen on ${hostname()} (${machineOf()}), process `;
const mark = (pid: number) => `${pid}.${fingerprint(identityOf(pid))}`;
/** A later process may have the same pid. */
const fingerprint = (identity: string | undefined) =>
  createHash('sha256')
    .update(identity ?? '')
    .digest('hex')
    .slice(0, 8);

/** Removes what killed runs on this machine have left. A run beside this one keeps its endpoint. */
export async function removeLeftovers(api: Api): Promise<number> {
  const { items } = await api<{ items: { id: string; description: string }[] }>('GET', `${path}?limit=100`);
  const left = items.filter(({ description }) => {
    const [, pid] = description.startsWith(prefix) ? (/^(\d+)\./.exec(description.slice(prefix.length)) ?? []) : [];
    return pid !== undefined && description !== prefix + mark(Number(pid));
  });
  for (const { id } of left) await removeEndpoint(api, id);
  return left.length;
}

/** `events` undefined: every type, those of a Kanal newer than this code too. */
export function register(api: Api, url: string, events = ['*']): Promise<Registered> {
  const body = { url, event_types: events, description: prefix + mark(process.pid) };
  return api<Registered>('POST', path, { body });
}

/** Done too when somebody else has removed it. */
export async function removeEndpoint(api: Api, id: string): Promise<void> {
  await api('DELETE', `${path}/${id}`).catch((error) => {
    if (!(error instanceof Refused && error.status === 404)) throw error;
  });
}

/** Asks for a test and waits for how it went. Throws Refused with what the receiver's side did wrong. */
export const testEndpoint = (api: Api, id: string) => api('POST', `${path}/${id}/test`, { headers: { prefer: 'wait=10' } });

/** Has Kanal send an event to the endpoint once more. */
export async function replay(api: Api, endpointId: string, eventId: string): Promise<void> {
  const { items } = await api<{ items: { id: string; endpoint_id: string }[] }>('GET', `/v1/events/${eventId}/deliveries`);
  const delivery = items.find(({ endpoint_id }) => endpoint_id === endpointId);
  if (!delivery) throw new Error(`Kanal knows no delivery of ${eventId} to this endpoint`);
  await api('POST', `/v1/settings/developer/webhooks/deliveries/${delivery.id}/replay`);
}
