import { createKey } from '../src/organizations/keys.ts';
import { type Scope, scopes } from '../src/organizations/scopes.ts';
import { idArgument, nameArgument } from './arguments.ts';
import { withDatabase } from './connect.ts';

export async function createKeyCommand(organizationId: string, options: { name: string; scopes?: string }) {
  const id = idArgument(organizationId, 'an organization');
  const wanted = options.scopes === undefined ? scopes : scopesOf(options.scopes);
  const name = nameArgument(options.name);
  const { key } = await withDatabase((database) => createKey(database.em(), id, name, wanted));
  console.log(key);
}

function scopesOf(text: string): Scope[] {
  const names = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const unknown = names.filter((name) => !scopes.includes(name as Scope));
  if (names.length === 0) throw new Error('No scope is named');
  if (unknown.length > 0) throw new Error(`Not a scope: ${unknown.join(', ')}. There are: ${scopes.join(', ')}`);
  return [...new Set(names)] as Scope[];
}
