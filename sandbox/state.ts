import { Accepted } from './accepted.ts';
import { readAccounts } from './account-schema.ts';
import { type Account, Accounts } from './accounts.ts';
import { type Behaviour, defaultBehaviour } from './behaviour.ts';
import { Blocks } from './blocks.ts';
import { Codes } from './codes.ts';
import { demoAccount } from './demo-account.ts';
import { Faults } from './faults.ts';
import { MediaStore } from './media.ts';
import { Numbers } from './numbers.ts';
import { defaultAppId, defaultAppSecret, defaultVerifyToken, type SandboxOptions } from './options.ts';
import { RequestLog } from './request-log.ts';
import { SubscribedApps } from './subscribed-apps.ts';
import { TokenBuckets } from './token-bucket.ts';
import { WebhookQueue } from './webhooks/queue.ts';
import { Windows } from './windows.ts';

/** Where webhooks go and how they are signed. Configuration: it outlives a reset. */
export interface Subscription {
  webhook_url: string | null;
  app_secret: string;
  verify_token: string;
}

export class State {
  readonly subscription: Subscription;
  readonly appId: string;
  readonly #configured: Account[];
  accounts!: Accounts;
  behaviour!: Behaviour;
  faults!: Faults;
  log!: RequestLog;
  accepted!: Accepted;
  windows!: Windows;
  blocks!: Blocks;
  buckets!: TokenBuckets;
  codes!: Codes;
  subscribedApps!: SubscribedApps;
  media!: MediaStore;
  numbers!: Numbers;
  webhooks!: WebhookQueue;

  constructor(options: SandboxOptions) {
    this.#configured = readAccounts(options.accounts ?? [demoAccount]);
    this.appId = options.appId ?? defaultAppId;
    this.subscription = {
      webhook_url: options.webhookUrl ?? null,
      app_secret: options.appSecret ?? defaultAppSecret,
      verify_token: options.verifyToken ?? defaultVerifyToken,
    };
    this.#begin();
  }

  async reset(): Promise<void> {
    const before = this.webhooks;
    this.#begin();
    await before.close();
  }

  #begin(): void {
    this.accounts = new Accounts(structuredClone(this.#configured));
    this.behaviour = structuredClone(defaultBehaviour);
    this.faults = new Faults();
    this.log = new RequestLog();
    this.accepted = new Accepted();
    this.windows = new Windows();
    this.blocks = new Blocks();
    this.buckets = new TokenBuckets();
    this.codes = new Codes();
    this.subscribedApps = new SubscribedApps(this.accounts);
    this.media = new MediaStore();
    this.numbers = new Numbers(this.accounts);
    this.webhooks = new WebhookQueue(
      this.subscription,
      () => this.behaviour,
      (id) => this.subscribedApps.hearOf(id),
    );
  }
}
