import type { IsSigned } from '../providers/connections.ts';
import { isSignedBy, webhookId } from '../providers/payment/signatures.ts';
import { isShipperSigned, secretHeader } from '../providers/shipper/inbound.ts';
import type { ConnectionProvider } from './connection.entity.ts';

type Inbound = {
  isSigned: IsSigned;
  /** The provider's id of the webhook, the same each time it is repeated; undefined: the hash of its body stands for it. */
  idOf(headers: Record<string, string | undefined>, body: unknown): string | undefined;
};

/** The providers that send webhooks. */
export const inboundOf: Partial<Record<ConnectionProvider, Inbound>> = {
  stripe: { isSigned: isSignedBy.stripe, idOf: webhookId.stripe },
  xendit: { isSigned: isSignedBy.xendit, idOf: webhookId.xendit },
  biteship: { isSigned: isShipperSigned, idOf: () => undefined },
};

const proofHeaders = ['stripe-signature', 'x-callback-token', secretHeader];
/** The headers that these read. */
export const inboundHeaders = [...proofHeaders, 'webhook-id'];

/** Whether any of the providers could have sent it. */
export const seemsProven = (header: (name: string) => string | undefined) =>
  proofHeaders.some((name) => header(name) !== undefined);
