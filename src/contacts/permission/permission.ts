import { inForceSql } from '../../platform/database/in-force.ts';
import { AppError } from '../../platform/errors.ts';
import type { ConsentStatus } from './permission.entity.ts';

/** What decides whether a person may receive a message over a messaging app. */
export type Permission = {
  /** Why nothing may go out at all. */
  suppression: string | null;
  consent: ConsentStatus | null;
  /** Of the template, in the provider's spelling; none: no template. */
  category: string | null;
};

/** `reason`: of the suppression, or the consent's status, `missing` when there is none. */
export type Refusal = { code: 'suppressed' | 'consent_required'; reason: string; message: string };

const onThisChannel = (of: string) => `${of}.channel in ('all', 'messaging_app') and ${inForceSql(`${of}.expires_at`)}`;

type PermissionOf = Record<'organization' | 'contact' | 'channel', string>;

/**
 * SQL: the columns of `Permission` but the category, read by the statement that finds whom a message is for (bench: POST, send). Given as
 * SQL expressions; a contact that is null has none.
 */
export const permissionColumns = ({ organization, contact, channel }: PermissionOf) => `
  coalesce(
    (select s.reason
       from contact_suppressions s
      where s.organization_id = ${organization}
        and s.contact_id = ${contact}
        and ${onThisChannel('s')}
      order by s.channel
      limit 1),
    (select 'blocked'
       from contact_blocks b
      where b.organization_id = ${organization}
        and b.contact_id = ${contact}
        and b.channel_id = ${channel}
        and b.blocked_at is not null
      limit 1)) as suppression,
  (select n.status
     from contact_consents n
    where n.organization_id = ${organization}
      and n.contact_id = ${contact}
      and n.channel = 'messaging_app') as consent`;

/** SQL: why an unknown person must not receive messages: they opted out before they were erased. `hash` is that of their address. */
export const rememberedSuppression = (organization: string, hash: string) => `
  (select a.reason
     from suppressed_addresses a
    where a.organization_id = ${organization}
      and a.hash = ${hash}
      and ${onThisChannel('a')}
    limit 1)`;

/** Whether a message may go out, wherever it comes from. */
export function refusalOf({ suppression, consent, category }: Permission): Refusal | undefined {
  if (suppression) return { code: 'suppressed', reason: suppression, message: `The contact is suppressed: ${suppression}` };
  if (category?.toLowerCase() !== 'marketing' || consent === 'granted') return undefined;
  const reason = consent ?? 'missing';
  return { code: 'consent_required', reason, message: `Marketing needs the contact's consent on messaging_app: it is ${reason}` };
}

export const refused = ({ code, reason, message }: Refusal) =>
  new AppError(code, message, { details: [{ code: reason, message }] });
