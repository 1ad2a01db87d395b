import { fromNow, now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Credentials } from '../providers/connections.ts';
import type { AccessToken } from '../providers/tokens/provider.ts';
import { connectionToChange, emitStatus, letConnectionGo, makePool } from './change.ts';
import { Connection, type ConnectionProvider } from './connection.entity.ts';
import { kindOf } from './credentials.ts';
import { type ConnectionRow, readConnection } from './queries.ts';
import type { Tried } from './verify.ts';

export const maxConnections = 20;

/** Of their number, and of which is the default. */
export const connectionsLock = (organizationId: string) => `connections:${organizationId}`;

export type NewConnection = {
  provider: ConnectionProvider;
  name?: string;
  credentials: Credentials;
  webhookSecret?: string;
  settings: Record<string, unknown>;
  /** Undefined: where its kind has none. */
  isDefault?: boolean;
};

const tooMany = () => new AppError('limit_reached', `An organization has at most ${maxConnections} connections`);

/** Before the provider is asked; `makeConnection` looks again. Throws 422. */
export async function assertRoom(own: Own): Promise<void> {
  if ((await livingConnections(own, {})).length >= maxConnections) throw tooMany();
}

const livingConnections = statement((select) => select(Connection).select('id').where('deleted_at', 'is', null));

const seconds = (token: AccessToken) => Math.floor(token.expiresInSeconds) / 60;

/** Needs `connectionsLock`. The credentials have been tried. Throws 422 for too many. */
export async function makeConnection(tx: TenantTx, given: NewConnection, tried: Tried, secrets: Secrets): Promise<ConnectionRow> {
  const { own } = tx;
  own.assertLocked(connectionsLock(own.organizationId));
  const others = await own.find(Connection, { deleted_at: null });
  if (others.length >= maxConnections) throw tooMany();
  const kind = kindOf[given.provider];
  const id = uuidv7();
  const isDefault = given.isDefault ?? !others.some((other) => other.kind === kind && other.is_default);
  if (isDefault) await noOtherDefault(tx, kind);
  await own.lockNew('connection', id);
  const connection = own.create(Connection, {
    id,
    kind,
    provider: given.provider,
    name: given.name ?? (tried.account || given.provider),
    status: 'connected',
    account: tried.account,
    settings: given.settings,
    ...sealedOf(given.credentials, tried, secrets),
    webhook_secret: given.webhookSecret ? secrets.seal(given.webhookSecret) : null,
    renewing_until: null,
    is_default: isDefault,
    last_ok_at: now(),
    last_error: null,
    last_error_at: null,
    checked_at: now(),
    deleted_at: null,
  });
  await own.flush();
  await makePool(tx, id, kind);
  emitStatus(own, connection, null);
  // The reply shows the database's times.
  return readConnection(own, id);
}

const sealedOf = (credentials: Credentials, { token }: Tried, secrets: Secrets) => ({
  credentials: secrets.seal(JSON.stringify(credentials)),
  access_token: token ? secrets.seal(token.token) : null,
  access_token_expires_at: token ? fromNow(seconds(token), 'minute') : null,
});

const noOtherDefault = ({ own }: Pick<TenantTx, 'own'>, kind: ConnectionRow['kind']) =>
  own.update(Connection, { kind, is_default: true, deleted_at: null }, { is_default: false, updated_at: now() });

export type ConnectionChange = {
  name?: string;
  settings?: Record<string, unknown>;
  isDefault?: boolean;
  /** Null: it has none any more, and its webhooks are refused. */
  webhookSecret?: string | null;
  credentials?: Credentials;
};

/** Needs its lock and `connectionsLock`. New credentials have been tried, and connect it again. Throws 404. */
export async function changeConnection(
  tx: TenantTx,
  id: string,
  change: ConnectionChange,
  tried: Tried | undefined,
  secrets: Secrets,
): Promise<ConnectionRow> {
  const { own } = tx;
  own.assertLocked(connectionsLock(own.organizationId));
  const connection = await connectionToChange(own, id);
  const { name, settings, isDefault, webhookSecret, credentials } = change;
  if (isDefault && !connection.is_default) await noOtherDefault(tx, connection.kind);
  Object.assign(connection, {
    ...(name !== undefined && { name }),
    ...(settings !== undefined && { settings }),
    ...(isDefault !== undefined && { is_default: isDefault }),
    ...(webhookSecret !== undefined && { webhook_secret: webhookSecret === null ? null : secrets.seal(webhookSecret) }),
    updated_at: now(),
  });
  if (credentials && tried)
    Object.assign(connection, {
      ...sealedOf(credentials, tried, secrets),
      account: tried.account,
      renewing_until: null,
      last_ok_at: now(),
      checked_at: now(),
      last_error: null,
      last_error_at: null,
    });
  await own.flush();
  if (credentials) await letConnectionGo(tx, connection);
  return readConnection(own, id);
}
