import { issueKey, listKeysOf, withdrawKey } from '../src/operator/keys.ts';
import { scopes } from '../src/organizations/scopes.ts';
import { ownRows } from '../src/platform/database/own.ts';
import { daysArgument, idArgument, nameArgument, scopesArgument } from './arguments.ts';
import { withDatabase, withTransact } from './connect.ts';
import { type ListOptions, printList, time } from './print-list.ts';

type Create = { name: string; scopes?: string; expiresInDays?: string };

/** Prints the key and nothing else on standard output: it can go through a pipe. */
export async function createKeyCommand(organizationId: string, options: Create) {
  const id = idArgument(organizationId, 'an organization');
  const wanted = {
    name: nameArgument(options.name),
    scopes: options.scopes === undefined ? scopes : scopesArgument(options.scopes),
    ...(options.expiresInDays !== undefined && { expiresAt: daysArgument(options.expiresInDays) }),
  };
  const { key } = await withTransact((transact) => issueKey(transact, id, wanted));
  console.log(key);
  if (options.scopes === undefined) console.error('The key has every scope; --scopes grants fewer.');
}

export async function listKeysCommand(organizationId: string, options: ListOptions) {
  const id = idArgument(organizationId, 'an organization');
  printList(
    await withDatabase((database) => listKeysOf(ownRows(database, id))),
    [
      ['id', (key) => key.id],
      ['begins', (key) => key.hint || '-'],
      ['name', (key) => key.name],
      ['last used', (key) => time(key.last_used_at)],
      ['expires', (key) => time(key.expires_at)],
      ['revoked', (key) => time(key.revoked_at)],
      ['scopes', (key) => (scopes.every((scope) => key.scopes.includes(scope)) ? 'all' : key.scopes.join(','))],
    ],
    options,
  );
}

export async function revokeKeyCommand(keyId: string) {
  const id = idArgument(keyId, 'an API key');
  const isDone = await withTransact((transact) => withdrawKey(transact, id));
  console.log(
    isDone ? `Key ${id} is revoked: no process takes it after 5 seconds` : `Key ${id} was revoked before: nothing to do`,
  );
}
