import { isDeepStrictEqual } from 'node:util';
import type { Remains } from '../../contacts/erasure/erase.ts';
import { removed, tracesOf } from '../../contacts/erasure/traces.ts';
import type { Own } from '../../platform/database/own.ts';
import { nilUuid } from '../../platform/ids.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import { slices } from '../../platform/load/slices.ts';

type Defined = { rule_id: string; number: number | null; definition: object };

/** Of 256 kB each. All that an organization may keep is larger than a worker's memory. */
const batch = 20;

/** SQL: a page by the key; deleted rules too, which the purge has not reached. `number`: of a version; null: the draft. */
const readDrafts = `
  select id as rule_id, null::int as number, draft as definition
    from automation_rules
   where organization_id = $1
     and (id, 0) > ($2::uuid, $3::int)
   order by id
   limit ${batch}`;
const readVersions = `
  select rule_id, number, definition
    from automation_rule_versions
   where organization_id = $1
     and (rule_id, number) > ($2::uuid, $3::int)
   order by rule_id, number
   limit ${batch}`;
/** The revision stays: nobody changed what the rule is. */
const writeDraft = `
  update automation_rules
     set draft = $3::jsonb, updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and draft = $4::jsonb`;
/** With the rule's time: workers that keep the version read it again. */
const writeVersion = `
  with changed as (
    update automation_rule_versions
       set definition = $3::jsonb
     where organization_id = $1
       and rule_id = $2
       and definition = $4::jsonb
       and number = $5
    returning rule_id)
  update automation_rules
     set updated_at = clock_timestamp()
   where organization_id = $1
     and id = any(array(select rule_id from changed))`;

/**
 * Blanks the person's addresses and whole name in what rules ask and say, as in segments: a version too, which nobody else may change. A single word
 * of a name stays: it is of others too. Idempotent. Returns how many definitions it changed.
 */
export async function forgetInRules(transact: TenantTransact, own: Own, { identities, names }: Remains): Promise<number> {
  const whole = names
    .filter((name) => /\S\s+\S/.test(name))
    .map((value) => ({ type: 'external_id' as const, source: '', value }));
  const clean = tracesOf([...identities, ...whole], []);
  let changed = 0;
  const pause = slices();
  for await (const { rule_id, number, definition } of definitionsOf(own)) {
    await pause();
    const left = withoutNulls(definition, clean(definition));
    if (isDeepStrictEqual(left, definition)) continue;
    const params = [rule_id, JSON.stringify(left), JSON.stringify(definition)];
    await transact({}, ({ own: tx }) =>
      number === null ? tx.sql(writeDraft, params) : tx.sql(writeVersion, [...params, number]),
    );
    changed += 1;
  }
  return changed;
}

async function* definitionsOf(own: Own): AsyncGenerator<Defined> {
  for (const text of [readDrafts, readVersions]) {
    for (let after = { id: nilUuid, number: 0 }, isMore = true; isMore; ) {
      const page = await own.sql<Defined>(text, [after.id, after.number]);
      yield* page;
      isMore = page.length === batch;
      if (isMore) after = { id: page.at(-1)!.rule_id, number: page.at(-1)!.number ?? 0 };
    }
  }
}

/** A number that is an address became null, which no condition takes. */
function withoutNulls(before: unknown, after: unknown): unknown {
  if (after === null) return before === null ? null : removed;
  if (typeof after !== 'object') return after;
  if (Array.isArray(after)) return after.map((one, index) => withoutNulls((before as unknown[])[index], one));
  const values = Object.values(before as object);
  return Object.fromEntries(Object.entries(after).map(([name, one], index) => [name, withoutNulls(values[index], one)]));
}
