import { isDeepStrictEqual } from 'node:util';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { assertRevision } from '../../platform/revision.ts';
import type { RuleMode } from '../states.ts';
import type { GivenDefinition } from './create.ts';
import { readGiven } from './faults.ts';
import { getRule, type RuleRow } from './rule-row.ts';
import { assertAllowed, changeRule } from './rule-tx.ts';
import { assertMayUse, type MaySave } from './scopes.ts';
import { getVersion } from './versions.ts';

export type RulePatch = GivenDefinition & { name?: string; mode?: RuleMode; revision?: number };

/**
 * What is not given stays; a member that is given replaces the one before. Of a live rule the draft changes, and what it does only when it is published; its
 * name and its mode change at once. Needs the rule's lock. Throws 404; 409 for a stale revision; 422 and 403 as createRule.
 */
export async function patchRule(
  own: OwnTx,
  author: MaySave,
  id: string,
  { revision, name, mode, ...given }: RulePatch,
): Promise<RuleRow> {
  const before = await getRule(own, id);
  assertAllowed('change', before);
  assertRevision('rule', before.revision, revision);
  const draft = Object.keys(given).length > 0 ? readGiven(own, { ...before.draft, ...given }) : before.draft;
  await assertMayUse(own, author, draft);
  // From `log` to `live` it begins to act: as a publication.
  if (mode !== undefined && mode !== before.mode && before.version > 0)
    await assertMayUse(own, author, (await getVersion(own, id, before.version)).definition);
  const set = { name: name ?? before.name, mode: mode ?? before.mode, draft };
  if (isDeepStrictEqual(set, { name: before.name, mode: before.mode, draft: before.draft })) return before;
  return changeRule(own, before, set);
}
