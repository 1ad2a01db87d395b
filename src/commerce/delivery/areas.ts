import { type ConnectionAccount, connectionAccount } from '../../connections/account.ts';
import { stopConnection } from '../../connections/change.ts';
import { usableConnection } from '../../connections/use.ts';
import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import { createShares } from '../../platform/load/shares.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { ProviderBusy, ProviderError, ProviderRefused } from '../../providers/errors.ts';
import type { Shipper, ShipperArea } from '../../providers/shipper/provider.ts';

/** An organization may ask for so many at once, and so many more wait. */
const perOrganization = 2;
const maxWaiting = 10;
const waitMs = 5_000;
const keptMs = 86_400_000;
/** A list has about 2 kB. */
const maxKept = 2_000;

/** What the searches of a process share: their places, and the lists of the last day. */
export type ShippingAreas = {
  of(organizationId: string, search: string, ask: () => Promise<ShipperArea[]>): Promise<ShipperArea[]>;
};

export function createShippingAreas(): ShippingAreas {
  const places = createShares({
    perKey: perOrganization,
    maxWaiting,
    waitMs,
    refusal: 'Too many searches for areas at once; try again',
  });
  const kept = new Map<string, { areas: ShipperArea[]; until: number }>();

  return {
    async of(organizationId, search, ask) {
      const known = kept.get(search);
      if (known && performance.now() < known.until) return known.areas;
      return places.use(organizationId, async () => {
        const areas = await ask();
        // The oldest makes room: a map keeps the order in which it was filled.
        kept.delete(search);
        if (kept.size >= maxKept) kept.delete(kept.keys().next().value!);
        kept.set(search, { areas, until: performance.now() + keptMs });
        return areas;
      });
    },
  };
}

export type AreaSearch = { search: string; connectionId?: string };
type Deps = { areas: ShippingAreas; shipper: Pick<Shipper, 'findAreas'>; secrets: Secrets; transact: TenantTransact };

/** Asks the shipper, unless it was asked in the last day. Throws 409 for a connection that is not connected, 503 while it cannot be reached. */
export async function searchAreas(own: Own, { search, connectionId }: AreaSearch, deps: Deps): Promise<ShipperArea[]> {
  const { id } = await usableConnection(own, { kind: 'shipper', id: connectionId });
  const words = search.trim().toLowerCase().replace(/\s+/g, ' ');
  return deps.areas.of(own.organizationId, `${id} ${words}`, async () => {
    const account = await connectionAccount(own, id, deps.secrets);
    if (!account) throw new AppError('connection_unavailable', 'The shipper connection was deleted');
    try {
      return await deps.shipper.findAreas(account.credentials, words);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      throw await refusalOf(error, account, deps.transact);
    }
  });
}

async function refusalOf(error: ProviderError, account: ConnectionAccount, transact: TenantTransact): Promise<AppError> {
  if (error instanceof ProviderRefused && error.stopsChannel) {
    await stopConnection(transact, account, error.stopsChannel, error.message);
    return new AppError('connection_unavailable', 'The shipper refuses the credentials of the connection', { cause: error });
  }
  if (error instanceof ProviderRefused)
    return new AppError('provider_refused', error.message, {
      details: [{ message: error.message, ...(error.providerCode && { code: error.providerCode }) }],
      cause: error,
    });
  const retryAfterSeconds = error instanceof ProviderBusy ? Math.ceil(error.retryAfterMs / 1_000) : 5;
  return new AppError('unavailable', 'The shipper cannot be reached; try again', { retryAfterSeconds, cause: error });
}
