import type { DemoFile } from '../start/demo-file.ts';
import { ask } from '../start/local-http.ts';
import { request, type Stage } from './stage.ts';

const path = '/v1/settings/developer/webhooks/endpoints';
const description = 'npm run demo';
const event_types = [
  'message.sent',
  'message.status_update',
  'message.failed',
  'message.new',
  'deal.*',
  'flow.*',
  'commerce.*',
  'campaign.*',
  'task.created',
];
/** Longer than a demo takes: what is older was left by one that was killed. */
const leftMs = 120_000;
const limitMs = 10_000;

export async function createEndpoint(stage: Stage): Promise<string> {
  const { receiver } = stage;
  const { id, secret } = await request<{ id: string; secret: string }>(
    stage,
    path,
    201,
    // In order, so that the statuses of a message read as they happened.
    { method: 'POST', body: { url: receiver.url, event_types, description, ordering: 'per_subject' } },
    ({ status }) => ({ what: `${status}`, note: 'with a secret that signs every webhook' }),
  );
  receiver.verifyWith(secret);
  return id;
}

type Listed = { items?: { id: string; description: string; created_at: string }[] };

/** An endpoint without a receiver would be tried for three days. A demo beside this one keeps its own. */
export async function removeEndpoints({ base_url, api_key: key }: DemoFile, current?: string) {
  const call = <Body>(rest: string, method?: string) =>
    ask<Body>(`${base_url}${path}${rest}`, { method, key, signal: AbortSignal.timeout(limitMs) });
  const listed = await call<Listed>('?limit=100');
  const isLeft = (created: string) => Date.parse(created) < Date.now() - leftMs;
  for (const { id, description: what, created_at } of listed?.body.items ?? [])
    if (what === description && (id === current || isLeft(created_at))) await call(`/${id}`, 'DELETE');
}
