import { createPasswords } from '../../../src/accounts/password-hash.ts';
import { openSession } from '../../../src/accounts/sessions.ts';
import { addMember } from '../../../src/organizations/members.ts';
import { type Role, scopesOf } from '../../../src/organizations/roles.ts';
import { newCredential } from '../../../src/platform/credentials.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { createUser } from '../../../src/users/users.ts';

export type Person = { userId: string; email: string; password: string; name: string };

export const testPassword = 'correct horse battery staple';
let hash: Promise<string> | undefined;

/** The hash of `testPassword`, computed once a process: it is slow on purpose. */
async function testHash(): Promise<string> {
  const passwords = createPasswords();
  try {
    return await passwords.hash(testPassword);
  } finally {
    await passwords.close();
  }
}

/** A user, a member of the organization when one is named. */
export async function person(em: Em, organizationId?: string, role: Role = 'owner'): Promise<Person> {
  hash ??= testHash();
  const id = uuidv7();
  const email = `person-${id}@example.com`;
  const user = await createUser(em, { email, name: 'Test Person', passwordHash: await hash, emailVerified: true });
  if (organizationId) await addMember(new OwnRows(em, organizationId), user!.id, role);
  return { userId: user!.id, email, password: testPassword, name: 'Test Person' };
}

/** The headers of a page of ours in which the user is logged in. */
export async function sessionHeaders(em: Em, userId: string, base: string) {
  const { token, id } = await openSession(em, userId, { address: '127.0.0.1', userAgent: 'test' });
  return { sessionId: id, token, headers: { cookie: `kanal_session=${token}`, origin: base } };
}

/** A bearer token of the user's for the organization, as its endpoint makes it. */
export async function bearerToken(em: Em, organizationId: string, userId: string, scopes: string[] = [...scopesOf.owner]) {
  const token = newCredential('kt_');
  const id = uuidv7();
  await query(
    em,
    `insert into bearer_tokens (id, organization_id, user_id, name, hash, scopes, expires_at) values ($1, $2, $3, 'test', $4, $5, clock_timestamp() + interval '1 day')`,
    [id, organizationId, userId, sha256(token), scopes],
  );
  return { id, token, headers: { authorization: `Bearer ${token}` } };
}
