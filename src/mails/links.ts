import type { Config } from '../platform/config/config.ts';
import type { LinkKind } from './mail.entity.ts';

/** Pages below APP_URL, else below our own address, where api/pages/account-pages serves them. */
export const linkPaths: Record<LinkKind, string> = { invitation: 'invitation', password_reset: 'reset-password' };

/** Browsers do not send the fragment, so the token reaches no server, no log and no Referer. */
export function linkOf(
  { appUrl, publicUrl, port }: Pick<Config, 'appUrl' | 'publicUrl' | 'port'>,
  kind: LinkKind,
  token: string,
) {
  const { origin, pathname } = new URL(appUrl ?? publicUrl ?? `http://localhost:${port}`);
  return `${origin}${pathname.replace(/\/+$/, '')}/${linkPaths[kind]}#token=${encodeURIComponent(token)}`;
}
