import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../src/platform/log.ts';

/** So long the process is left to the first requests before each part: a part takes some ms of the event loop. */
const pauseMs = 10;

/** In parts, so that requests are answered between them. The first take what most of the others share. */
const endpoints = [
  () => import('./contacts/contacts.ts'),
  () => import('./contacts/list.ts'),
  () => import('./contacts/import.ts'),
  () => import('./contacts/exports.ts'),
  () => import('./contacts/merge.ts'),
  () => import('./contacts/block.ts'),
  () => import('./contacts/suppressions.ts'),
  () => import('./contacts/tag-catalogue.ts'),
  () => import('./channels/channels.ts'),
  () => import('./messaging/conversations.ts'),
  () => import('./messaging/conversation-messages.ts'),
  () => import('./messaging/conversation-notes.ts'),
  () => import('./messaging/timeline.ts'),
  () => import('./messaging/mark-read.ts'),
  () => import('./messaging/fetch-file.ts'),
  () => import('./webhooks/endpoints.ts'),
  () => import('./webhooks/replay.ts'),
  () => import('./webhooks/deliveries.ts'),
  () => import('./webhooks/stats.ts'),
  () => import('./events/cursors.ts'),
  () => import('./events/events.ts'),
  () => import('./organizations/keys.ts'),
  () => import('./organizations/members.ts'),
  () => import('./organizations/invitations.ts'),
  () => import('./organizations/audit-log.ts'),
  () => import('./auth/session.ts'),
  () => import('./auth/password.ts'),
  () => import('./operations/control.ts'),
  () => import('./others.ts'),
];

const validation = [
  () => import('./http/middleware/validated.ts'),
  async () => (await import('../src/contacts/identities/phone.ts')).toE164('+12125550100'),
];

/** Loads what the start left out and clients need, before a request waits for it. Rejects when an endpoint cannot be loaded. */
export async function warmUp(log: Log) {
  for (const load of endpoints) {
    await sleep(pauseMs, undefined, { ref: false });
    await load();
  }
  for (const load of validation) {
    await sleep(pauseMs, undefined, { ref: false });
    // A fault shows at the first use.
    await load().catch((error: unknown) => log.warn({ err: error }, 'could not be loaded ahead'));
  }
}
