import { isHeaderWord } from '../../src/platform/config/checks.ts';
import { readListenEnvironment, readStartEnvironment } from '../../src/platform/config/config.ts';
import { runningInstallation } from '../demo/installation.ts';

/** The Kanal to listen to. */
export type Target = { url: string; key: string };

type Given = { url?: string; apiKey?: string };

/** Options first, then the environment, then what `npm start` has written down. */
export async function targetOf({ url, apiKey }: Given, signal: AbortSignal): Promise<Target> {
  const { kanalUrl, kanalApiKey } = readListenEnvironment();
  const address = url ?? kanalUrl;
  const key = (apiKey ?? kanalApiKey)?.trim();
  if (key && !isHeaderWord(key)) throw new Error('The API key has a character that no key has: copy it again');
  if (address && key) return { url: httpUrl(address, '--url').href.replace(/\/$/, ''), key };
  if (address) throw new Error(`No API key for ${address}: set KANAL_API_KEY, or give --api-key`);
  if (key) throw new Error('An API key and no address: set KANAL_URL, or give --url');
  const installation = await runningInstallation(readStartEnvironment().kanalHome, signal);
  if (!installation)
    throw new Error('Kanal is not running here. Start it with `npm start`, or name one with KANAL_URL and KANAL_API_KEY');
  return { url: installation.base_url, key: installation.api_key };
}

export function httpUrl(text: string, option: string): URL {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`${option} must be a URL that begins with http:// or https://, not ${JSON.stringify(text)}`);
  return url;
}

/** `8080`, `localhost:8080/hooks` or a whole URL. */
export function forwardUrl(text: string): URL {
  if (/^\d+$/.test(text)) return httpUrl(`http://127.0.0.1:${text}/`, '--forward-to');
  return httpUrl(text.includes('://') ? text : `http://${text}`, '--forward-to');
}

/** Whether the name leads to the machine it is used on. */
export const isLoopback = (url: string) => {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
};
