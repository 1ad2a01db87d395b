import { raw } from '@mikro-orm/core';
import { AppError, invalidField } from '../platform/errors.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { below, between, isFine, spread } from './between.ts';

/** Held by a move to a place between two deals of the stage. The end of a stage needs no lock: each deal there has its own number. */
export const stageLock = (stageId: string) => subjectLock('stage', stageId);

/** One of them: before or behind that deal of the stage. */
export type Place = { before_id?: string; after_id?: string };

export const isPlace = ({ before_id, after_id }: Place) => before_id !== undefined || after_id !== undefined;

export const atEnd = () => raw(`nextval('deals_position_seq')`) as unknown as string;

type Neighbours = { low: string | null; high: string | null };

/** SQL: a row beside another one. Without the deal that moves. */
const neighbours = (isBefore: boolean) => `
  select ${isBefore ? 'o.position as low, d.position as high' : 'd.position as low, o.position as high'}
    from deals d
    left join lateral (
      select o.position
        from deals o
       where o.organization_id = $1
         and o.stage_id = $2
         and o.deleted_at is null
         and o.id <> $4
         and (o.position, o.id) ${isBefore ? '<' : '>'} (d.position, d.id)
       order by ${isBefore ? 'o.position desc, o.id desc' : 'o.position, o.id'}
       limit 1) o on true
   where d.organization_id = $1
     and d.stage_id = $2
     and d.id = $3
     and d.id <> $4
     and d.deleted_at is null`;
const statements = { before: neighbours(true), after: neighbours(false) };

/** SQL: two ranges of the stage's order, up to a deal and behind it. */
const around = `
  with here as (
    select position, id
      from deals
     where organization_id = $1 and id = $3)
  select *
    from ((select d.id, d.position, true as is_before
             from deals d, here h
            where d.organization_id = $1
              and d.stage_id = $2
              and d.deleted_at is null
              and d.id <> $4
              and (d.position, d.id) <= (h.position, h.id)
            order by d.position desc, d.id desc
            limit $5)
          union all
          (select d.id, d.position, false
             from deals d, here h
            where d.organization_id = $1
              and d.stage_id = $2
              and d.deleted_at is null
              and d.id <> $4
              and (d.position, d.id) > (h.position, h.id)
            order by d.position, d.id
            limit $5)) k
   order by position, id`;
type Around = { id: string; position: string; is_before: boolean };

/** SQL: a set. A deal that left the stage meanwhile has its place elsewhere. */
const renumber = `
  update deals d
     set position = n.position
    from unnest($3::uuid[], $4::numeric[]) as n(id, position)
   where d.organization_id = $1
     and d.id = n.id
     and d.stage_id = $2`;

/** Deals on each side: far more than were put at one place, so that the next ones on both sides are far apart. */
const widths = [500, 5_000];

type Moving = { id: string; stage_id: string | null; position: string };

/**
 * Where a deal goes in a stage. Undefined: it is there already. When there is no room left between two, the deals around them get new
 * positions in the same order. Needs the stage's lock. Throws 422 for a deal that is not in the stage.
 */
export async function placeIn(tx: OwnTx, stageId: string, deal: Moving, place: Place): Promise<string | undefined> {
  tx.assertLocked(stageLock(stageId));
  const found = await neighboursOf(tx, stageId, deal.id, place);
  if (deal.stage_id === stageId && isBetween(deal.position, found)) return undefined;
  if (found.high === null) return atEnd();
  const position = positionIn(found);
  if (hasRoom(position)) return position;
  for (const width of widths) {
    await makeRoom(tx, stageId, deal.id, place, width);
    const made = positionIn(await neighboursOf(tx, stageId, deal.id, place));
    if (hasRoom(made)) return made;
  }
  throw new AppError('conflict', 'There is no room left at this place of the stage: move the deal to its end');
}

const hasRoom = (position: string | undefined): position is string => position !== undefined && !isFine(position);

/** The last one keeps its position: what is added to the stage goes behind it. */
async function makeRoom(tx: OwnTx, stageId: string, id: string, place: Place, width: number): Promise<void> {
  const found = await tx.sql<Around>(around, [stageId, place.before_id ?? place.after_id, id, width + 1]);
  const reachesStart = found.filter(({ is_before }) => is_before).length <= width;
  const moved = found.slice(reachesStart ? 0 : 1, -1);
  const [first, last] = [found[0]!, found.at(-1)!];
  const low = reachesStart ? String(BigInt(below(first.position)) - BigInt(moved.length)) : first.position;
  const positions = spread(low, last.position, moved.length);
  if (!positions) return;
  await tx.sql(renumber, [stageId, moved.map((one) => one.id), positions]);
}

async function neighboursOf(tx: OwnTx, stageId: string, id: string, { before_id, after_id }: Place): Promise<Neighbours> {
  const isBefore = before_id !== undefined;
  const [found] = await tx.sql<Neighbours>(isBefore ? statements.before : statements.after, [stageId, before_id ?? after_id, id]);
  if (found) return found;
  throw invalidField(isBefore ? 'before_id' : 'after_id', 'No other deal of the stage has this id', 'reference.unknown');
}

const isBetween = (position: string, { low, high }: Neighbours) =>
  (low === null || between(low, position) !== undefined) && (high === null || between(position, high) !== undefined);

const positionIn = ({ low, high }: Neighbours) => (low === null ? below(high!) : between(low, high!));
