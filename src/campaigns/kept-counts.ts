import type { Own } from '../platform/database/own.ts';
import { AppError } from '../platform/errors.ts';
import { countsIn, countsOfRecipients, figuresOfRecipients } from '../platform/retention/campaign-figures.ts';

/** Above so many recipients what was counted a moment ago is shown. */
export const maxCounted = 50_000;

/** Above so many their figures are counted one after the other: each of 20 who asked for those of 150,000 at once counted them, for 26 s in all. */
const maxAtOnce = 5_000;

/** What was counted, and when. */
export type Snapshot<Value> = { value: Value; at: string };

/** A reader that dies leaves its claim: the next one counts after this. */
const claimMs = 30_000;

/** SQL: of several readers one counts, and nobody waits for its row. */
const claimOf = (due: string) => `
  update campaigns
     set ${due} = statement_timestamp() + interval '${claimMs} ms'
   where organization_id = $1
     and id = any(array(
       select id
         from campaigns
        where organization_id = $1
          and id = $2
          and frozen_at is null
          and coalesce(${due} <= statement_timestamp(), true)
          for no key update skip locked))
  returning 1`;
const countBy = (counted: string) => `
  select (${counted}) as value, statement_timestamp() as at`;
/** Counted with the look where nothing was kept and `isFew`. */
const lookOf = (value: string, at: string, due: string, counted: string, isFew: string) => `
  select ${value} as kept, ${at} as kept_at, frozen_at is not null as is_frozen,
         coalesce(${due} <= statement_timestamp(), true) as is_due,
         case when ${value} is null and ${isFew} then (${counted}) end as value, statement_timestamp() as at
    from campaigns
   where organization_id = $1
     and id = $2`;
const atMost = (count: number) => `
             not exists (
               select 1
                 from campaign_recipients
                where organization_id = $1
                  and campaign_id = $2
               offset ${count})`;
const keepOf = (value: string, at: string, due: string) => `
  update campaigns
     set ${value} = $3::jsonb,
         ${at} = $4::timestamptz,
         ${due} = clock_timestamp() + greatest(5 * interval '1 s', $5::float8 * (clock_timestamp() - $4::timestamptz))
   where organization_id = $1
     and id = $2
     and frozen_at is null`;

type Columns = [value: string, at: string, due: string];
const statementsOf = (columns: Columns, counted: string, isFew = 'true') => ({
  look: lookOf(...columns, counted, isFew),
  claim: claimOf(columns[2]),
  count: countBy(counted),
  keep: keepOf(...columns),
});
/** `rest`: so many times as long as it takes nobody counts again; at least 5 seconds. */
const kinds = {
  counts: { ...statementsOf(['counts', 'counted_at', 'counts_due_at'], countsOfRecipients), rest: 0 },
  figures: { ...statementsOf(['figures', 'figured_at', 'figures_due_at'], figuresOfRecipients, atMost(maxAtOnce)), rest: 20 },
};

type Look<Value> = { kept: Value | null; kept_at: string; is_frozen: boolean; is_due: boolean; value: Value | null; at: string };

type Counting<Value> = () => Promise<Snapshot<Value> | undefined>;
type Asked<Value> = {
  kind: keyof typeof kinds;
  totalOf(value: Value): number;
  /** For what is neither few nor kept: `join` runs once for all who ask for it, `rest` where it may take long. */
  many?: Record<'join' | 'rest', (count: Counting<Value>) => ReturnType<Counting<Value>>>;
};

/** Counted now, or a few seconds ago where the recipients are many (`totalOf`). Once they are purged, as they were. Undefined: no campaign. */
export async function countedNow<Value>(
  own: Own,
  id: string,
  { kind, totalOf, many = { join: (count) => count(), rest: (count) => count() } }: Asked<Value>,
): Promise<Snapshot<Value> | undefined> {
  const { look, claim, count, keep, rest } = kinds[kind];
  const isMany = (value: Value | null) => value !== null && totalOf(value) > maxCounted;
  const store = ({ value, at }: Snapshot<Value>) => own.sql(keep, [id, JSON.stringify(value), at, rest]);

  /** `shown`: what needs no count of its own. */
  async function seen(): Promise<{ row?: Look<Value>; shown?: Snapshot<Value> }> {
    const [row] = await own.sql<Look<Value>>(look, [id]);
    if (!row) return {};
    const { kept, kept_at, is_frozen, is_due, value, at } = row;
    if (kept !== null && (is_frozen || (isMany(kept) && !is_due))) return { row, shown: { value: kept, at: kept_at } };
    if (value === null) return { row };
    const shown = { value, at };
    if (isMany(value)) await store(shown);
    return { row, shown };
  }

  async function counted(isKept = false): Promise<Snapshot<Value>> {
    const [fresh] = await own.sql<Snapshot<Value>>(count, [id]);
    if (isKept || isMany(fresh!.value)) await store(fresh!);
    return fresh!;
  }

  const { row, shown } = await seen();
  if (!row || shown) return shown;
  if (isMany(row.kept)) {
    // Of its readers one counts again. The others see what is kept, and so does that one where there is no place.
    const kept = { value: row.kept!, at: row.kept_at };
    const isClaimed = (await own.sql(claim, [id])).length > 0;
    return isClaimed ? many.rest(() => counted(true)).catch((error) => orKept(error, kept)) : kept;
  }
  return many.join(async () => {
    // Those who were before may have kept it.
    const again = await seen();
    return !again.row || again.shown ? again.shown : many.rest(() => counted());
  });
}

function orKept<Value>(error: unknown, kept: Snapshot<Value>): Snapshot<Value> {
  if (error instanceof AppError && error.code === 'unavailable') return kept;
  throw error;
}

/** SQL: a range of the index for each campaign that keeps no count. */
const togetherStatement = `
  select c.id, case when c.counts is null then (${countsIn('c.id')}) end as counted, c.counts as kept, c.counted_at as kept_at,
         c.frozen_at is not null as is_frozen, statement_timestamp() as at
    from campaigns c
   where c.organization_id = $1
     and c.id = any($2::uuid[])`;

/** By campaign, but for those of many recipients: whoever asks for one of these keeps what is counted. */
export async function countedTogether<Value>(
  own: Own,
  ids: string[],
  totalOf: (value: Value) => number,
): Promise<Map<string, Snapshot<Value>>> {
  type Row = { id: string; counted: Value | null; kept: Value | null; kept_at: string; is_frozen: boolean; at: string };
  const rows = await own.sql<Row>(togetherStatement, [ids]);
  const found = new Map<string, Snapshot<Value>>();
  for (const { id, counted, kept, kept_at, is_frozen, at } of rows) {
    if (counted !== null && totalOf(counted) <= maxCounted) found.set(id, { value: counted, at });
    else if (kept !== null && is_frozen) found.set(id, { value: kept, at: kept_at });
  }
  return found;
}
