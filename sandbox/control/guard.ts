import type { NextFunction, Request, Response } from 'express';
import { ControlError } from './check.ts';

const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Refuses web pages in a local browser: DNS rebinding, other origins, form bodies. `allowedHosts`: besides loopback. */
export function ownCallersOnly(allowedHosts: readonly string[]) {
  return (req: Request, _res: Response, next: NextFunction): void => {
    const host = URL.parse(`http://${req.headers.host ?? ''}`);
    if (!host || !(loopback.test(host.hostname) || allowedHosts.includes(host.hostname)))
      throw new ControlError(403, 'the control side is asked by a loopback name only; ALLOWED_HOSTS names others');
    const { origin, 'sec-fetch-site': site } = req.headers;
    const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
    if (isForeign || (origin !== undefined && origin !== `http://${req.headers.host}`))
      throw new ControlError(403, 'the control side is not for pages of another origin');
    const [type] = (req.headers['content-type'] ?? '').split(';');
    if (req.method === 'POST' && type?.trim().toLowerCase() !== 'application/json')
      throw new ControlError(415, 'the body must be application/json');
    next();
  };
}
