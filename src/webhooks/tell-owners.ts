import type { NoticeKind } from '../mails/mail.entity.ts';
import { requestNotice } from '../mails/request.ts';
import { ownersOf } from '../organizations/owners.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { WebhookEndpoint } from './endpoint.entity.ts';

type About = RowOf<typeof WebhookEndpoint, 'url' | 'failing_since'> & { endpointId: string; more: Record<string, string> };

export const isoOf = (time: string) => new Date(time).toISOString();

/** A mail to each owner. It names the host alone: path and query of a receiver may be its secret. */
export async function tellOwners(own: OwnTx, kind: NoticeKind, { url, failing_since, endpointId, more }: About) {
  for (const { email: recipient, organization } of await ownersOf(own, {})) {
    const data = { organization, host: new URL(url).host, endpoint_id: endpointId, ...more };
    await requestNotice(own, {
      kind,
      recipient,
      data: { ...data, ...(failing_since && { failing_since: isoOf(failing_since) }) },
    });
  }
}
