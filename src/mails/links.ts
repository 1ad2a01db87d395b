import type { Config } from '../platform/config/config.ts';
import type { MailKind } from './mail.entity.ts';

/** The pages links lead to, below APP_URL or our own address: api/pages/account-pages has Kanal's. */
export const linkPaths: Record<MailKind, string> = { invitation: 'invitation', password_reset: 'reset-password' };

/** The token is a fragment: browsers keep that to themselves, so it reaches no server, no log and no Referer. */
export function linkOf(
  { appUrl, publicUrl, port }: Pick<Config, 'appUrl' | 'publicUrl' | 'port'>,
  kind: MailKind,
  token: string,
) {
  const { origin, pathname } = new URL(appUrl ?? publicUrl ?? `http://localhost:${port}`);
  return `${origin}${pathname.replace(/\/+$/, '')}/${linkPaths[kind]}#token=${encodeURIComponent(token)}`;
}
