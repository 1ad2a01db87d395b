import { writeHistories } from '../../history/history.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Deal } from '../deal.entity.ts';
import { frozenMoneys } from '../money.ts';
import { changesBetween, shownFields } from '../shown.ts';
import type { State } from './fold.ts';

/* SQL: one statement a table for all deals of a batch (bench: crm import). */

const given = `
  jsonb_to_recordset($2::jsonb) as x(
    n int, id uuid, is_moved boolean, title text, status text, amount_minor bigint, currency_code text,
    home_currency_at_write text, amount_in_home_currency numeric, expected_close_at timestamptz, owner_user_id uuid,
    pipeline_id uuid, stage_id uuid, stage_entered_at timestamptz, closed_at timestamptz, lost_reason text,
    custom_fields jsonb, metadata jsonb, revision int)`;
const columns = `
  title, status, amount_minor, currency_code, home_currency_at_write, amount_in_home_currency, expected_close_at, owner_user_id,
  pipeline_id, stage_id, stage_entered_at, closed_at, lost_reason, custom_fields, metadata, revision`;
const values = `
  x.title, x.status, x.amount_minor, x.currency_code, x.home_currency_at_write, x.amount_in_home_currency, x.expected_close_at,
  x.owner_user_id, x.pipeline_id, x.stage_id, x.stage_entered_at, x.closed_at, x.lost_reason, x.custom_fields, x.metadata,
  x.revision`;

/** The end of a stage is the next number: in the order of the file. */
const insertDeals = `
  insert into deals (organization_id, id, ${columns})
  select $1, x.id, ${values}
    from ${given}
   order by x.n
  returning id, position::text`;

const updateDeals = `
  update deals k
     set (${columns}) = row(${values}),
         position = case when x.is_moved then nextval('deals_position_seq') else k.position end,
         updated_at = clock_timestamp()
    from ${given}
   where k.organization_id = $1
     and k.id = x.id
  returning k.id, k.position::text`;

const linkContacts = `
  insert into deal_contacts (organization_id, deal_id, contact_id, role, is_primary)
  select $1, x.deal_id, x.contact_id, '', x.is_primary
    from unnest($2::uuid[], $3::uuid[], $4::boolean[]) as x(deal_id, contact_id, is_primary)`;

async function writeDeals(tx: OwnTx, statement: string, states: State[]): Promise<void> {
  if (states.length === 0) return;
  const rows = states.map(({ row: { contacts: _, ...row }, isMoved }, n) => ({ ...row, n, is_moved: isMoved }));
  const written = await tx.sql<RowOf<typeof Deal, 'id' | 'position'>>(statement, [JSON.stringify(rows)]);
  const positions = new Map(written.map(({ id, position }) => [id, position]));
  for (const { row } of states) row.position = positions.get(row.id)!;
}

function changesOf({ stored, row, added }: State) {
  const links = added.length > 0 && { contacts: { from: [], to: added } };
  return { ...changesBetween(stored ? shownFields(stored) : {}, shownFields(row)), ...links };
}

/** Writes what the rows have changed: deals with their contacts and history. Needs the locks of those that are there. */
export async function writeFolded(tx: OwnTx, states: State[], actor: string): Promise<void> {
  const frozen = states.filter(({ isFrozenAnew }) => isFrozenAnew);
  const moneys =
    frozen.length === 0
      ? []
      : await frozenMoneys(
          tx,
          frozen.map(({ row }) => row),
        );
  for (const [index, { row }] of frozen.entries()) Object.assign(row, moneys[index]);
  for (const { row } of states) row.revision += 1;
  await writeDeals(
    tx,
    insertDeals,
    states.filter(({ stored }) => !stored),
  );
  await writeDeals(
    tx,
    updateDeals,
    states.filter(({ stored }) => stored),
  );
  const linked = states.flatMap(({ row, added }) => added.map((contact) => ({ ...contact, deal_id: row.id })));
  if (linked.length > 0)
    await tx.sql(linkContacts, [
      linked.map(({ deal_id }) => deal_id),
      linked.map(({ contact_id }) => contact_id),
      linked.map(({ is_primary }) => is_primary),
    ]);
  const lines = states.map((state) => ({
    object_id: state.row.id,
    revision: state.row.revision,
    changes: changesOf(state),
  }));
  await writeHistories(tx, { kind: 'deal', actor }, lines);
}
