import type { Account } from './accounts.ts';

export interface SandboxOptions {
  /** Default: the demo account. */
  accounts?: (Omit<Account, 'templates'> & Partial<Pick<Account, 'templates'>>)[] | undefined;
  /** Where webhooks go; without one they are dropped. */
  webhookUrl?: string | undefined;
  /** Id of the one provider app. */
  appId?: string | undefined;
  appSecret?: string | undefined;
  verifyToken?: string | undefined;
  /** Host names besides loopback that may be used for the control side. */
  allowedHosts?: string[] | undefined;
}

export const defaultAppId = '400000000000001';
export const defaultAppSecret = 'sandbox-app-secret';
export const defaultVerifyToken = 'sandbox-verify-token';
