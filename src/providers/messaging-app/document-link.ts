import { checkUrl, ForbiddenAddress } from '../../platform/network/address-guard.ts';
import { ProviderFailed } from '../errors.ts';

export const isOwnOrigin = (url: URL, baseUrl: string) => url.origin === new URL(baseUrl).origin;

/** A document is fetched from the provider's own address, or by TLS from an origin of the settings that is no private address. */
export function documentLink(
  link: string,
  { baseUrl, origins, allowNetworks }: { baseUrl: string; origins: string[]; allowNetworks: string[] },
): URL {
  const url = URL.parse(link);
  const isKnown = url && !url.username && !url.password && (isOwnOrigin(url, baseUrl) || origins.includes(url.origin));
  if (!isKnown)
    throw new ProviderFailed(`The link leads to an origin that is not among PROVIDER_ORIGINS: ${url?.origin ?? 'none'}`, {
      code: 'link',
    });
  if (isOwnOrigin(url, baseUrl)) return url;
  try {
    return checkUrl(link, { allowHttp: false, allowNetworks });
  } catch (error) {
    if (error instanceof ForbiddenAddress)
      throw new ProviderFailed(`The link is not followed: ${error.message}`, { code: 'link', cause: error });
    throw error;
  }
}
