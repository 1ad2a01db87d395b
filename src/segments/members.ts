import { listContacts } from '../contacts/list.ts';
import { type ContactRow, contactColumns } from '../contacts/queries.ts';
import type { Own } from '../platform/database/own.ts';
import { AppError, maxDetails, notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { bindTo } from '../platform/listing/bind.ts';
import type { ListPage, ListRows } from '../platform/listing/page.ts';
import type { Reads } from '../platform/listing/reads.ts';
import { SegmentMember } from './segment.entity.ts';
import { getSegment, type SegmentRow, segmentLock } from './segments.ts';
import { readSelection } from './selection.ts';

export const maxMembers = 5_000_000;

type MembersPage = ListPage & { includeTotal?: boolean };

/** Of a dynamic segment: the page of the list of contacts. */
export const listSelected = (reads: Reads, own: Own, segment: SegmentRow, page: MembersPage): Promise<ListRows<ContactRow>> =>
  listContacts(reads, own.organizationId, readSelection(segment), page);

/** Of a static one, by the contact's id, newest first. SQL: the page is taken from the key before the contacts are read. */
export async function listMembers(
  reads: Reads,
  { organizationId }: Own,
  segmentId: string,
  { limit, after, includeTotal }: MembersPage,
): Promise<ListRows<ContactRow>> {
  const params: unknown[] = [organizationId, segmentId];
  const bind = bindTo(params);
  const text = `
    select ${contactColumns}
      from (
        select m.contact_id
          from segment_members m
         where m.organization_id = $1 and m.segment_id = $2 ${after ? `and m.contact_id < ${bind(after[0])}::uuid` : ''}
         order by m.contact_id desc
         limit ${bind(limit + 1)}) page
      join contacts k on k.organization_id = $1 and k.id = page.contact_id
     order by k.id desc`;
  if (!includeTotal) return { rows: await reads.plain<ContactRow>(text, params) };
  return reads.dear(organizationId, async (ask) => {
    const [counted] = await ask<{ total: number }>(countMembers, [organizationId, segmentId]);
    return { rows: await ask<ContactRow>(text, params), total: counted!.total };
  });
}

const countMembers = `
  select count(*)::int as total
    from segment_members
   where organization_id = $1
     and segment_id = $2`;

/** SQL: a set. The contacts are held in the order of ids, as a merge of two of them does. */
const insertMembers = `
  with known as materialized (
    select id
      from contacts
     where organization_id = $1
       and id = any($3::uuid[])
     order by id
       for key share),
  added as (
    insert into segment_members (organization_id, segment_id, contact_id)
    select $1, $2::uuid, id
      from known
    on conflict do nothing
    returning contact_id)
  select array(select id from known) as known, (select count(*)::int from added) as added`;

/** SQL: an upper bound, so that no request counts millions: erasure and removal do not lower it. */
const raiseBound = `
  update segments
     set members_bound = members_bound + $3
   where organization_id = $1
     and id = $2
  returning members_bound as bound`;
const setBound = `
  update segments
     set members_bound = $3
   where organization_id = $1
     and id = $2`;

/** Needs `segmentLock`. All or none. Throws 404, 409 for a dynamic segment, 422 for unknown contacts and at the limit. */
export async function addMembers(tx: OwnTx, segmentId: string, contactIds: string[], max = maxMembers) {
  tx.assertLocked(segmentLock(segmentId));
  await assertStatic(tx, segmentId);
  const ids = [...new Set(contactIds)];
  const [done] = await tx.sql<{ known: string[]; added: number }>(insertMembers, [segmentId, ids]);
  const { known, added } = done!;
  if (known.length < ids.length) throw unknownContacts(contactIds, new Set(known));
  if (added > 0) await assertRoom(tx, segmentId, added, max);
  return { added, already: ids.length - added };
}

async function assertRoom(tx: OwnTx, segmentId: string, added: number, max: number): Promise<void> {
  const [raised] = await tx.sql<{ bound: number }>(raiseBound, [segmentId, added]);
  if (raised!.bound <= max) return;
  const [counted] = await tx.sql<{ total: number }>(countMembers, [segmentId]);
  if (counted!.total > max) throw new AppError('limit_reached', `A segment has at most ${max} members`);
  await tx.sql(setBound, [segmentId, counted!.total]);
}

/** Throws 404 for who is no member, 409 for a dynamic segment. */
export async function removeMember(tx: OwnTx, segmentId: string, contactId: string): Promise<void> {
  await assertStatic(tx, segmentId);
  const removed = await tx.delete(SegmentMember, { segment_id: segmentId, contact_id: contactId });
  if (removed === 0) throw notFound('Member');
}

async function assertStatic(tx: OwnTx, segmentId: string): Promise<void> {
  const { kind } = await getSegment(tx, segmentId);
  if (kind === 'static') return;
  const message = 'The members of a dynamic segment follow from its filters';
  throw new AppError('conflict', message, {
    details: [{ field: 'segmentID', location: 'path', code: 'segment.dynamic', message }],
  });
}

function unknownContacts(contactIds: string[], known: Set<string>): AppError {
  const message = 'There is no such contact';
  const details = contactIds.flatMap((id, index) =>
    known.has(id) ? [] : [{ field: `contact_ids[${index}]`, location: 'body', code: 'contact.unknown', message, value: id }],
  );
  return new AppError('invalid_request', `${details.length} of the contacts are unknown`, {
    details: details.slice(0, maxDetails),
  });
}
