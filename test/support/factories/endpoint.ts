import { eventTypes } from '../../../src/platform/events/catalogue.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import type { Transact } from '../../../src/platform/ledger/transact.ts';
import { createEndpoint, type EndpointRow, type NewEndpoint } from '../../../src/webhooks/endpoints.ts';
import { testSecrets } from '../secrets.ts';

/** A webhook endpoint that listens to every event, with its pool; its secret is sealed with the tests' key. */
export const endpoint = (
  transact: Transact,
  organizationId: string,
  given: Partial<NewEndpoint> = {},
): Promise<EndpointRow & { secret: string }> =>
  transactFor(transact, organizationId)({}, (tx) =>
    createEndpoint(
      tx,
      { url: 'http://127.0.0.1:9/hook', eventTypes: [...eventTypes], description: '', ordering: 'best_effort', ...given },
      testSecrets,
    ),
  );
