import Joi from 'joi';

/** In the order in which one request meets them. */
export const faultKinds = [
  'delay',
  'drop_before',
  'status',
  'drop_after',
  'drop_webhooks',
  'skip_delivered',
  'reorder_webhooks',
  'batch_webhooks',
  'duplicate_webhook',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  match: { method?: string; path?: string };
  times: number;
  kind: FaultKind;
  status: number;
  code?: number;
  /** What else an error of Graph says; without it what the code usually does. */
  subcode?: number;
  message?: string;
  type?: string;
  /** Of a service that names its errors. */
  reason?: string;
  delay_ms: number;
}

export const faultSchema = Joi.object<Fault>({
  match: Joi.object({ method: Joi.string().uppercase(), path: Joi.string() }).default({}),
  times: Joi.number().integer().min(1).default(1),
  kind: Joi.string()
    .valid(...faultKinds)
    .required(),
  status: Joi.number().integer().min(400).max(599).default(500),
  code: Joi.number().integer(),
  subcode: Joi.number().integer(),
  message: Joi.string(),
  type: Joi.string(),
  reason: Joi.string(),
  delay_ms: Joi.number().integer().min(0).max(600_000).default(1_000),
});

export class Faults {
  #live: Fault[] = [];

  add(fault: Fault): void {
    this.#live.push({ ...fault });
  }

  all(): Fault[] {
    return this.#live;
  }

  /** The oldest fault of this kind that fits the request, spent by one. Faults of different kinds add up on one request. */
  take(kind: FaultKind, method: string, path: string): Fault | undefined {
    const fault = this.#live.find((live) => live.kind === kind && fits(live, method, path));
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times === 0) this.#live = this.#live.filter((live) => live !== fault);
    return fault;
  }
}

function fits({ match }: Fault, method: string, path: string): boolean {
  return (match.method ?? method) === method && path.includes(match.path ?? '');
}
