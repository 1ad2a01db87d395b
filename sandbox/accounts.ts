/** One button, header, body or footer of a template, as the protocol writes it. */
export interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  buttons?: { type: string; text?: string; url?: string }[];
  cards?: { components: TemplateComponent[] }[];
}

export interface Template {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameter_format?: string;
  components: TemplateComponent[];
  quality_score?: { score: string };
  rejected_reason?: string;
  previous_category?: string;
}

/** A published flow that the account had before. */
export interface AccountFlow {
  id: string;
  name: string;
  categories: string[];
  flow_json: { version: string; screens: object[] };
}

/** A business account with one number. Several accounts may share a waba_id or a token. */
export interface Account {
  waba_id: string;
  phone_number_id: string;
  display_phone_number: string;
  verified_name: string;
  access_token: string;
  templates: Template[];
  flows?: AccountFlow[];
  /** False: no webhook tells of the account until an app subscribes. */
  subscribed?: boolean;
  /** False: the number sends nothing until it is registered. */
  registered?: boolean;
}

export class Accounts {
  #byNumber = new Map<string, Account>();
  #tokens = new Set<string>();

  constructor(accounts: Account[]) {
    for (const account of accounts) this.put(account);
  }

  /** Adds an account, or takes the place of the one with the same number. */
  put(account: Account): void {
    this.#byNumber.set(account.phone_number_id, account);
    this.#tokens = new Set(this.all().map(({ access_token }) => access_token));
  }

  all(): Account[] {
    return [...this.#byNumber.values()];
  }

  knowsToken(token: string): boolean {
    return this.#tokens.has(token);
  }

  ofBusiness(wabaId: string): Account[] {
    return this.all().filter((account) => account.waba_id === wabaId);
  }

  ofNumber(phoneNumberId: string): Account | undefined {
    return this.#byNumber.get(phoneNumberId);
  }

  ofToken(token: string): Account[] {
    return this.all().filter((account) => account.access_token === token);
  }

  ofWaba(wabaId: string, token: string): Account[] {
    return this.ofBusiness(wabaId).filter((account) => account.access_token === token);
  }
}

/** The number as webhooks show it: digits only. */
export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '');
}
