import { inForceSql } from '../../platform/database/in-force.ts';
import { AppError } from '../../platform/errors.ts';
import type { ConsentStatus } from './permission.entity.ts';

export type Permission = {
  /** Its reason; null: not suppressed. */
  suppression: string | null;
  consent: ConsentStatus | null;
  /** The template's, in the provider's spelling; null: no template. */
  category: string | null;
};

/** `reason`: the suppression's, or the consent's status (`missing` without one). */
export type Refusal = { code: 'suppressed' | 'consent_required'; reason: string; message: string };

const onThisChannel = (of: string) => `${of}.channel in ('all', 'messaging_app') and ${inForceSql(`${of}.expires_at`)}`;

type PermissionOf = Record<'organization' | 'contact' | 'channel', string>;

/**
 * SQL: `Permission` without the category, for other statements (bench: POST, send). A null contact has none. Two contacts with one phone in two
 * forms are one person until they are merged: a suppression of either counts for both.
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
      limit 1),
    (select s.reason
       from contact_duplicates d
       join contact_suppressions s
         on s.organization_id = d.organization_id
        and s.contact_id = case when d.contact_id = ${contact} then d.other_id else d.contact_id end
      where d.organization_id = ${organization}
        and ${contact} in (d.contact_id, d.other_id)
        and d.reason = 'same_phone'
        and ${onThisChannel('s')}
      limit 1)) as suppression,
  (select n.status
     from contact_consents n
    where n.organization_id = ${organization}
      and n.contact_id = ${contact}
      and n.channel = 'messaging_app') as consent`;

/** SQL: an unknown person who was suppressed before their erasure. `hashes`: of their address, in both forms of a phone. */
export const rememberedSuppression = (organization: string, hashes: string) => `
  (select a.reason
     from suppressed_addresses a
    where a.organization_id = ${organization}
      and a.hash = any(${hashes}::bytea[])
      and ${onThisChannel('a')}
    limit 1)`;

export function refusalOf({ suppression, consent, category }: Permission): Refusal | undefined {
  if (suppression) return { code: 'suppressed', reason: suppression, message: `The contact is suppressed: ${suppression}` };
  if (category?.toLowerCase() !== 'marketing' || consent === 'granted') return undefined;
  const reason = consent ?? 'missing';
  return { code: 'consent_required', reason, message: `Marketing needs the contact's consent on messaging_app: it is ${reason}` };
}

export const refused = ({ code, reason, message }: Refusal) =>
  new AppError(code, message, { details: [{ code: reason, message }] });
