import { actorOf, type Caller } from '../../src/organizations/caller.ts';
import type { Scope } from '../../src/organizations/scopes.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { notFound } from '../../src/platform/errors.ts';
import { callOff, controlOf, pauseOperation, resumeOperation } from '../../src/platform/ledger/control.ts';
import { findOperation } from '../../src/platform/ledger/operations.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { endpoint, type Input, ok, type Reply } from '../http/endpoint.ts';
import { refusal } from '../http/middleware/authenticate.ts';
import { operationView, toOperationView } from './operations.ts';

/** The scope that asks for such work also calls it off. The console shows its buttons by the same (client/operation-control.js). */
const scopeOfSubject: Record<string, Scope> = {
  automation_runs: 'automation:write',
  campaign: 'campaigns:write',
  campaign_import: 'campaigns:write',
  contact_export: 'contacts:read',
  contact_import: 'contacts:write',
  crm_import: 'crm:write',
  deal_revaluation: 'crm:write',
  flow: 'flows:write',
  onboarding: 'onboarding:write',
  webhook_replay: 'webhooks:write',
};
/** Work for a channel is asked for with different scopes. */
const scopeOfName: Record<string, Scope> = { 'flows.import': 'flows:write', 'flows.upload-key': 'channels:write' };
const scope = 'messages:write' as const;

const about = {
  method: 'post' as const,
  tag: 'Operations',
  scope,
  otherScopes: [...new Set([...Object.values(scopeOfSubject), ...Object.values(scopeOfName)])],
  subject: 'Operation',
  audit: 'operation',
  errors: [409],
  responses: { 200: operationView },
};
const neededScopes =
  'It takes the scope that asks for such work: `webhooks:write` for a replay; `contacts:write`, `crm:write` or `campaigns:write` for an import; `contacts:read` for an export; `automation:write` for a change of many runs; `campaigns:write` for work for a campaign; `crm:write` for a revaluation; `flows:write` for work for flows; `channels:write` for a key of a channel; `onboarding:write` for a step of an onboarding; and `messages:write` for all others.';

type Controlled = { name: string; subject_type: string };
export const scopeToControl = ({ name, subject_type }: Controlled): Scope =>
  scopeOfName[name] ?? scopeOfSubject[subject_type] ?? scope;

async function mayControl(caller: Caller, own: Own, id: string) {
  const row = await findOperation(own, id);
  const needed = row ? scopeToControl(row) : scope;
  if (!caller.scopes.has(needed)) throw refusal(caller, needed);
  if (!row) throw notFound('Operation');
  return row;
}

type Control = (tx: TenantTx, id: string, caller: Caller) => Promise<unknown>;

async function controlled({ caller, own, write }: Input<unknown, unknown>, id: string, control: Control): Promise<Reply> {
  const { name } = await mayControl(caller, own, id);
  // It may delete the file of an import.
  await write({ ...controlOf(own, id), isLong: true }, async (tx) => {
    await control(tx, id, caller);
    return { status: 200, audit: { details: { name } } };
  });
  const row = await findOperation(own, id);
  if (!row) throw notFound('Operation');
  return ok(toOperationView(row));
}

export const cancelOperation = endpoint({
  ...about,
  path: '/v1/operations/:operationID/cancel',
  operationId: 'operations.cancel',
  summary: 'Call off an operation',
  description: `A replay, or an import or export of contacts: it ends at its next step as \`cancelled\`. What it has done stays done; the file of an export is deleted. Called off before, it stays so; an operation that has ended, or of another kind, is a 409.\n\n${neededScopes}`,
  handler: (input) => controlled(input, input.params.operationID, (tx, id, caller) => callOff(tx, id, actorOf(caller))),
});

export const pauseOneOperation = endpoint({
  ...about,
  path: '/v1/operations/:operationID/pause',
  operationId: 'operations.pause',
  summary: 'Pause an operation',
  description: `A replay: it stops at its next step until it is resumed. Other operations, and those that have ended, are a 409.\n\n${neededScopes}`,
  handler: (input) => controlled(input, input.params.operationID, (tx, id) => pauseOperation(tx, id)),
});

export const resumeOneOperation = endpoint({
  ...about,
  path: '/v1/operations/:operationID/resume',
  operationId: 'operations.resume',
  summary: 'Let a paused operation go on',
  description: `It goes on where it stopped. One that is not paused stays as it is.\n\n${neededScopes}`,
  handler: (input) => controlled(input, input.params.operationID, (tx, id) => resumeOperation(tx, id)),
});
