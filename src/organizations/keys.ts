import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Database, type Em, query } from '../database.ts';
import { notFound } from '../errors.ts';
import { uuidv7 } from '../ids.ts';
import { sha256 } from '../secrets.ts';
import { ApiKey, Organization } from './organization.entity.ts';
import type { Scope } from './scopes.ts';

export type Caller = { organizationId: string; keyId: string; scopes: Set<string> };

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checksum = (body: string) => {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < 6; digit += 1) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
};

/** `kk_` + 32 random characters + 6 of checksum, so that a mistyped or truncated key costs no look-up and scanners know one. */
export function newApiKey(): string {
  const body = Array.from({ length: 32 }, () => alphabet[randomInt(62)]).join('');
  return `kk_${body}${checksum(body)}`;
}

export const looksLikeKey = (key: string) => /^kk_[0-9A-Za-z]{38}$/.test(key) && checksum(key.slice(3, 35)) === key.slice(35);

export async function createOrganization(em: Em, name: string): Promise<string> {
  const id = uuidv7();
  await em.insert(Organization, { id, name });
  return id;
}

/** The key is returned once; only its hash is stored. */
export async function createKey(
  em: Em,
  organizationId: string,
  name: string,
  scopes: Scope[],
): Promise<{ id: string; key: string }> {
  const [organization] = await query(em, 'select 1 from organizations where id = $1', [organizationId]);
  if (!organization) throw notFound('Organization');
  const id = uuidv7();
  const key = newApiKey();
  await em.insert(ApiKey, { id, organizationId, name, hash: sha256(key), scopes });
  return { id, key };
}

const cacheMs = 5_000;
const mostCached = 10_000;

export type Authenticate = (key: string) => Promise<Caller | undefined>;

/** Who a key is. A hot key costs no query; a revoked one is refused within 5 seconds on every process. */
export function createAuthenticate(database: Database): Authenticate {
  const cache = new Map<string, { caller: Caller; until: number }>();
  return async (key) => {
    if (!looksLikeKey(key)) return undefined;
    const name = hash('sha256', key, 'base64');
    const hit = cache.get(name);
    if (hit && hit.until > Date.now()) return hit.caller;
    cache.delete(name);
    const [row] = await query<{ id: string; organization_id: string; scopes: string[] }>(
      database,
      'select id, organization_id, scopes from api_keys where hash = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())',
      [Buffer.from(name, 'base64')],
    );
    if (!row) return undefined;
    const caller = { organizationId: row.organization_id, keyId: row.id, scopes: new Set(row.scopes) };
    if (cache.size >= mostCached) cache.delete(cache.keys().next().value!);
    cache.set(name, { caller, until: Date.now() + cacheMs });
    return caller;
  };
}
