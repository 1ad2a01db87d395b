import { Accepted } from './accepted.ts';
import { readAccounts } from './account-schema.ts';
import { type Account, Accounts } from './accounts.ts';
import { type Behaviour, defaultBehaviour } from './behaviour.ts';
import { Blocks } from './blocks.ts';
import { CalendarStore } from './calendar/store.ts';
import { Codes } from './codes.ts';
import { demoAccount } from './demo-account.ts';
import { Faults } from './faults.ts';
import { addFlowsOf } from './flows/of-account.ts';
import { Flows } from './flows/store.ts';
import { MediaStore } from './media.ts';
import { Numbers } from './numbers.ts';
import { defaultAppId, defaultAppSecret, defaultVerifyToken, type SandboxOptions } from './options.ts';
import { Payments } from './payments/store.ts';
import { RequestLog } from './request-log.ts';
import { Callbacks } from './services/callbacks.ts';
import { Shipper } from './shipper/store.ts';
import { SubscribedApps } from './subscribed-apps.ts';
import { TokenBuckets } from './token-bucket.ts';
import { Tokens } from './tokens.ts';
import { Meetings } from './video/store.ts';
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
  flows!: Flows;
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
  /** Webhooks of the services beside Graph. */
  callbacks!: Callbacks;
  shipper!: Shipper;
  calendars!: CalendarStore;
  meetings!: Meetings;
  payments!: Payments;
  tokens!: Tokens;

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
    const before = [this.webhooks, this.callbacks];
    this.#begin();
    await Promise.all(before.map((one) => one.close()));
  }

  #begin(): void {
    this.accounts = new Accounts(structuredClone(this.#configured));
    this.behaviour = structuredClone(defaultBehaviour);
    this.faults = new Faults();
    this.flows = new Flows();
    for (const account of this.accounts.all()) addFlowsOf(this.flows, account);
    this.log = new RequestLog();
    this.accepted = new Accepted();
    this.windows = new Windows();
    this.blocks = new Blocks();
    this.buckets = new TokenBuckets();
    this.codes = new Codes();
    this.subscribedApps = new SubscribedApps(this.accounts);
    this.media = new MediaStore();
    this.numbers = new Numbers(this.accounts);
    this.callbacks = new Callbacks(() => this.behaviour);
    this.shipper = new Shipper();
    this.calendars = new CalendarStore(() => this.behaviour);
    this.meetings = new Meetings();
    this.payments = new Payments();
    this.tokens = new Tokens();
    this.webhooks = new WebhookQueue(
      this.subscription,
      () => this.behaviour,
      (id) => this.subscribedApps.hearOf(id),
    );
  }
}
