import { randomBytes, randomInt } from 'node:crypto';

export const shipperStatuses = [
  'confirmed',
  'scheduled',
  'allocated',
  'picking_up',
  'picked',
  'dropping_off',
  'delivered',
  'on_hold',
  'return_in_transit',
  'returned',
  'rejected',
  'disposed',
  'cancelled',
  'courier_not_found',
] as const;
export type ShipperStatus = (typeof shipperStatuses)[number];

/** As the merchant set them in the shipper's own pages. */
export interface ShipperWebhook {
  url: string;
  header: string;
  secret: string;
}

export interface ShipperOrder {
  id: string;
  key: string;
  reference_id: string | null;
  draft_order_id: string | null;
  status: ShipperStatus;
  price: number;
  courier: { company: string; type: string; tracking_id: string; waybill_id: string | null; link: string };
  origin: Record<string, unknown>;
  destination: Record<string, unknown>;
  items: unknown[];
  history: { status: ShipperStatus; note: string; updated_at: string }[];
  cancellation_reason: string | null;
}

const objectId = () => randomBytes(12).toString('hex');

/** Orders of all merchants, each found by the key that made it. */
export class Shipper {
  readonly #orders = new Map<string, ShipperOrder>();
  readonly #byReference = new Map<string, ShipperOrder>();
  readonly #revoked = new Set<string>();
  readonly #webhooks = new Map<string, ShipperWebhook>();
  readonly drafts = new Map<string, { key: string; body: Record<string, unknown> }>();

  isGood(key: string): boolean {
    return /^biteship_(test|live)\../.test(key) && !this.#revoked.has(key);
  }

  setRevoked(key: string, isRevoked: boolean): void {
    if (isRevoked) this.#revoked.add(key);
    else this.#revoked.delete(key);
  }

  setWebhook(key: string, webhook: ShipperWebhook | null): void {
    if (webhook) this.#webhooks.set(key, webhook);
    else this.#webhooks.delete(key);
  }

  webhookOf(key: string): ShipperWebhook | undefined {
    return this.#webhooks.get(key);
  }

  all(): ShipperOrder[] {
    return [...this.#orders.values()];
  }

  get(id: string, key: string): ShipperOrder | undefined {
    const order = this.#orders.get(id);
    return order?.key === key ? order : undefined;
  }

  /** By its id or its reference, whoever made it. */
  find(id: string): ShipperOrder | undefined {
    return this.#orders.get(id) ?? this.all().find(({ reference_id }) => reference_id === id);
  }

  ofTracking(trackingId: string, key: string): ShipperOrder | undefined {
    return this.all().find((order) => order.key === key && order.courier.tracking_id === trackingId);
  }

  ofReference(key: string, reference: string): ShipperOrder | undefined {
    return this.#byReference.get(`${key} ${reference}`);
  }

  add(
    given: Omit<ShipperOrder, 'id' | 'status' | 'history' | 'courier' | 'cancellation_reason'> & {
      company: string;
      type: string;
    },
  ) {
    const { company, type, ...rest } = given;
    const id = objectId();
    const order: ShipperOrder = {
      ...rest,
      id,
      status: 'confirmed',
      courier: {
        company,
        type,
        tracking_id: objectId(),
        waybill_id: `${company.toUpperCase()}${String(randomInt(1e10)).padStart(10, '0')}`,
        link: `https://track.example/${id}`,
      },
      history: [],
      cancellation_reason: null,
    };
    noted(order, 'confirmed', 'Courier order is confirmed');
    this.#orders.set(id, order);
    if (order.reference_id !== null) this.#byReference.set(`${order.key} ${order.reference_id}`, order);
    return order;
  }

  addDraft(key: string, body: Record<string, unknown>): string {
    const id = objectId();
    this.drafts.set(id, { key, body });
    return id;
  }
}

export function noted(order: ShipperOrder, status: ShipperStatus, note: string): void {
  order.status = status;
  order.history.push({ status, note, updated_at: new Date().toISOString() });
}
