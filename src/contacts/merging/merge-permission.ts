import type { MergeTx } from './merge-tx.ts';

/* SQL: sets (`s` survivor, `o` other), compared by the database: a Date would lose the microseconds of `changed_at`. */

/** The later decision is kept; of two at the same time, the stricter one. */
const dropEarlierConsents = `
  delete from contact_consents s
   using contact_consents o
   where s.organization_id = $1
     and s.contact_id = $2
     and o.organization_id = $1
     and o.contact_id = $3
     and s.channel = o.channel
     and (o.changed_at, array_position(array['pending', 'granted', 'denied'], o.status))
       > (s.changed_at, array_position(array['pending', 'granted', 'denied'], s.status))`;

// SQL: the history is written from what moves.
const recordConsents = `
  insert into contact_permission_history (id, organization_id, contact_id, kind, channel, state, source, proof, actor)
  select uuidv7(), $1::uuid, $2::uuid, 'consent', o.channel, o.status, 'merge', o.proof, $4
    from contact_consents o
   where o.organization_id = $1
     and o.contact_id = $3
     and not exists (
       select 1
         from contact_consents s
        where s.organization_id = $1 and s.contact_id = $2 and s.channel = o.channel)`;

// SQL: a set.
const moveConsents = `
  update contact_consents o
     set contact_id = $2
   where o.organization_id = $1
     and o.contact_id = $3
     and not exists (
       select 1
         from contact_consents s
        where s.organization_id = $1 and s.contact_id = $2 and s.channel = o.channel)
  returning o.id`;

// SQL: two rows compared; the longer one stays.
const dropShorterSuppressions = `
  delete from contact_suppressions s
   using contact_suppressions o
   where s.organization_id = $1
     and s.contact_id = $2
     and o.organization_id = $1
     and o.contact_id = $3
     and s.channel = o.channel
     and coalesce(o.expires_at, 'infinity') > coalesce(s.expires_at, 'infinity')`;

// SQL: the history, as above.
const recordSuppressions = `
  insert into contact_permission_history
    (id, organization_id, contact_id, kind, channel, state, reason, source, expires_at, actor)
  select uuidv7(), $1::uuid, $2::uuid, 'suppression', o.channel, 'suppressed', o.reason, 'merge', o.expires_at, $4
    from contact_suppressions o
   where o.organization_id = $1
     and o.contact_id = $3
     and not exists (
       select 1
         from contact_suppressions s
        where s.organization_id = $1 and s.contact_id = $2 and s.channel = o.channel)`;

// SQL: a set.
const moveSuppressions = `
  update contact_suppressions o
     set contact_id = $2
   where o.organization_id = $1
     and o.contact_id = $3
     and not exists (
       select 1
         from contact_suppressions s
        where s.organization_id = $1 and s.contact_id = $2 and s.channel = o.channel)
  returning o.id`;

/** Returns how many consents of the survivor changed. */
export async function mergeConsents(tx: MergeTx): Promise<number> {
  await tx.sql(dropEarlierConsents, [tx.survivor, tx.merged]);
  await tx.sql(recordConsents, [tx.survivor, tx.merged, tx.actor]);
  return (await tx.sql(moveConsents, [tx.survivor, tx.merged])).length;
}

export async function mergeSuppressions(tx: MergeTx): Promise<number> {
  await tx.sql(dropShorterSuppressions, [tx.survivor, tx.merged]);
  await tx.sql(recordSuppressions, [tx.survivor, tx.merged, tx.actor]);
  return (await tx.sql(moveSuppressions, [tx.survivor, tx.merged])).length;
}
