import type { Request } from 'express';
import { countedAddress } from '../../src/platform/rate-limits/address.ts';

/** The address a request comes from, as the trusted proxies forward it (TRUST_PROXY). Undefined when the connection is closed. */
export const clientAddress = (req: Request): string | undefined => req.ip;

/** Limits count an IPv6 client by its /64. */
export const countedClient = (req: Request): string => countedAddress(clientAddress(req));
