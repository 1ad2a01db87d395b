import { sql } from 'kysely';
import { now } from '../platform/database/columns.ts';
import type { Own, Runs, Select } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, maxDetails, notFound } from '../platform/errors.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { slices } from '../platform/load/slices.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Definition } from './definition/definition.ts';
import { maxSecrets } from './limits.ts';
import { AutomationRule, AutomationRuleVersion, AutomationSecret } from './rule.entity.ts';
import { secretNamesIn } from './secret-names.ts';

/** Held by whoever changes a secret, and by whoever publishes a rule, which may name one: the limit is exact, and no rule loses its secret. */
export const secretsLock = (organizationId: string) => subjectLock('automation_secrets', organizationId);

/** Never the value. */
const columns = ['id', 'name', 'hosts', 'created_by', 'created_at', 'updated_at'] as const;
export type SecretRow = RowOf<typeof AutomationSecret, (typeof columns)[number]>;

const shown = (select: Select) => select(AutomationSecret).select(columns);
const byName = statement((select, { name }: { name: string }) => shown(select).where('name', '=', name));
const sealedByName = statement((select, { name }: { name: string }) =>
  select(AutomationSecret).select(['value', 'hosts']).where('name', '=', name),
);
const countAll = statement((select) => select(AutomationSecret).select(sql<number>`count(*)::int`.as('total')));
const all = list(shown);

export const listSecrets = (own: Runs, page: Page) => all(own, {}, page);

/** Throws 404. */
export async function getSecret(own: Runs, name: string): Promise<SecretRow> {
  const [row] = await byName(own, { name });
  if (!row) throw notFound('Secret');
  return row;
}

export type OpenedSecret = { value: string; hosts: string[] };

/** Undefined: there is none of this name. */
export async function openSecret(own: Runs, secrets: Secrets, name: string): Promise<OpenedSecret | undefined> {
  const [row] = await sealedByName(own, { name });
  return row && { value: secrets.open(row.value), hosts: row.hosts };
}

/** As a URL has it: in lower case, international names encoded. Undefined: not a host name or an address alone. */
export function hostIn(text: string): string | undefined {
  const url = URL.parse(`https://${text}`);
  const isAlone = url && url.port === '' && url.username === '' && url.pathname === '/' && !/[*/?#@\\\s]/.test(text);
  return isAlone && !text.endsWith(':443') ? url.hostname : undefined;
}

/** The port and the scheme aside. Undefined: not a URL, or Liquid says it later. */
export const hostOfUrl = (text: string): string | undefined => URL.parse(text)?.hostname;

/** Made, or its value replaced: steps that run from now on have the new one. Needs `secretsLock`. Throws 422 at the limit. */
export async function putSecret(
  tx: OwnTx,
  actor: string,
  { name, sealed, hosts }: { name: string; sealed: string; hosts: string[] },
): Promise<SecretRow> {
  tx.assertLocked(secretsLock(tx.organizationId));
  if ((await tx.update(AutomationSecret, { name }, { value: sealed, hosts, updated_at: now() })) === 0) {
    const [counted] = await countAll(tx, {});
    if (counted!.total >= maxSecrets)
      throw new AppError('limit_reached', `An organization has at most ${maxSecrets} secrets: delete one first`);
    await tx.insert(AutomationSecret, { name, value: sealed, hosts, created_by: actor });
  }
  return getSecret(tx, name);
}

/** Needs `secretsLock`. Throws 404, and 409 with the rules that name it. */
export async function deleteSecret(tx: OwnTx, name: string): Promise<void> {
  tx.assertLocked(secretsLock(tx.organizationId));
  if ((await tx.delete(AutomationSecret, { name })) === 0) throw notFound('Secret');
  const users = await rulesWith(tx, name);
  if (users.length === 0) return;
  const isWhole = users.length <= maxDetails;
  const many = `${isWhole ? users.length : `more than ${maxDetails}`} rules`;
  const message = `The secret is named by ${users.length === 1 ? 'a rule' : many}: publish without it, or delete them`;
  throw new AppError('conflict', message, {
    details: users
      .slice(0, maxDetails)
      .map((value) => ({ field: 'secretName', location: 'path', code: 'secret.used', message: 'This rule names it', value })),
  });
}

/** Definitions, of up to 256 kB each. */
const readAtOnce = 20;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** What they do now, and a paused one may again. */
const published = statement((select, { pattern, after }: { pattern: string; after: string }) =>
  select(AutomationRule, AutomationRuleVersion)
    .innerJoin('automation_rule_versions', (join) =>
      join
        .onRef('automation_rule_versions.rule_id', '=', 'automation_rules.id')
        .onRef('automation_rule_versions.number', '=', 'automation_rules.version'),
    )
    .select(['automation_rules.id', 'automation_rule_versions.definition'])
    .where('automation_rules.deleted_at', 'is', null)
    .where('automation_rules.status', '<>', 'draft')
    .where(sql<boolean>`automation_rule_versions.definition::text like ${pattern}`)
    .where('automation_rules.id', '>', after)
    .orderBy('automation_rules.id')
    .limit(readAtOnce),
);

/** One more than a refusal shows, at most. */
async function rulesWith(own: Own, name: string): Promise<string[]> {
  const pattern = `%${name.replaceAll('_', '\\_')}%`;
  const turnOfOthers = slices();
  const users: string[] = [];
  let after: string | undefined = beforeAll;
  while (after !== undefined && users.length <= maxDetails) {
    const page: { id: string; definition: Definition }[] = await published(own, { pattern, after });
    for (const { id, definition } of page) {
      if (secretNamesIn(definition).has(name)) users.push(id);
      await turnOfOthers();
    }
    after = page.length < readAtOnce ? undefined : page.at(-1)!.id;
  }
  return users.slice(0, maxDetails + 1);
}
