export const price = 100;

export type Order = {
  id: string;
  quantities: number[];
  status: string;
  stock: 'reserved' | 'committed' | 'released' | 'restocked';
  fulfillment: string;
  /** What is left of each payment, the newest first. */
  left: number[];
  paid: number;
  isLate: boolean;
  parcel?: { word: string; isLive: boolean };
  events: number;
};

type Word = { rank: number; fulfillment: string; isEnd?: boolean };
const words: Record<string, Word> = {
  allocated: { rank: 3, fulfillment: 'requested' },
  picked: { rank: 5, fulfillment: 'shipped' },
  rejected: { rank: 7, fulfillment: 'failed', isEnd: true },
  delivered: { rank: 8, fulfillment: 'delivered', isEnd: true },
  returned: { rank: 10, fulfillment: 'returned', isEnd: true },
};
export const courierWords = Object.keys(words);
const ranks = ['unfulfilled', 'requested', 'shipped', 'failed', 'delivered', 'returned'];
const moves: Record<string, [to: string, from: string[]]> = {
  confirm: ['confirmed', ['pending']],
  process: ['processing', ['confirmed']],
  ship: ['shipped', ['confirmed', 'processing']],
  complete: ['completed', ['confirmed', 'processing', 'shipped']],
  cancel: ['cancelled', ['pending', 'confirmed', 'processing']],
};

export const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** What orders of one variant must come to, in the fewest words. Each act says whether it is taken. */
export class OrderModel {
  onHand: number;
  orders: Order[] = [];
  constructor(onHand: number) {
    this.onHand = onHand;
  }

  reserved = () => sum(this.orders.flatMap(({ stock, quantities }) => (stock === 'reserved' ? quantities : [])));
  canCreate = (quantities: number[]) => this.onHand - this.reserved() >= sum(quantities);
  create = (id: string, quantities: number[]) =>
    this.orders.push({
      ...{ id, quantities, status: 'pending', stock: 'reserved', fulfillment: 'unfulfilled', left: [], paid: 0 },
      ...{ isLate: false, events: 1 },
    });

  payment({ quantities, paid, left }: Order): string {
    const [total, net] = [sum(quantities) * price, sum(left)];
    if (net < paid) return net >= total ? 'paid' : net > 0 ? 'partially_refunded' : 'refunded';
    return paid >= total ? 'paid' : paid > 0 ? 'pending' : 'unpaid';
  }

  /** One event where the status or the payment status is another at the end. */
  act(order: Order, work: () => boolean): boolean {
    const before = `${order.status} ${this.payment(order)}`;
    const isTaken = work();
    if (`${order.status} ${this.payment(order)}` !== before) order.events += 1;
    return isTaken;
  }

  move(order: Order, name: string): boolean {
    const [to, from] = moves[name]!;
    if (order.status === to || !from.includes(order.status)) return order.status === to;
    order.status = to;
    if (to === 'shipped') this.raise(order, 'shipped');
    if (to === 'cancelled' && sum(order.left) > 0) order.isLate = true;
    if (to === 'completed' && order.fulfillment !== 'unfulfilled') this.raise(order, 'delivered');
    if (order.stock !== 'reserved') return true;
    if (to === 'cancelled') order.stock = 'released';
    if (to === 'shipped' || to === 'completed') {
      order.stock = 'committed';
      this.onHand -= sum(order.quantities);
    }
    return true;
  }

  raise(order: Order, to: string) {
    if (ranks.indexOf(to) > ranks.indexOf(order.fulfillment)) order.fulfillment = to;
  }

  pay(order: Order, amount: number): boolean {
    order.left.unshift(amount);
    order.paid += amount;
    if (order.status === 'cancelled') order.isLate = true;
    if (order.status === 'pending' && this.payment(order) === 'paid') this.move(order, 'confirm');
    return true;
  }

  refund(order: Order, amount: number): boolean {
    const from = order.left.findIndex((left) => left >= amount);
    if (from === -1) return false;
    order.left[from]! -= amount;
    if (sum(order.left) === 0) order.isLate = false;
    return true;
  }

  send(order: Order): boolean {
    const isBack = order.status === 'shipped' && ['failed', 'returned'].includes(order.fulfillment);
    if (order.parcel?.isLive || order.stock === 'restocked' || (!isBack && !this.move(order, 'process'))) return false;
    order.fulfillment = 'unfulfilled';
    order.parcel = { word: '', isLive: true };
    return true;
  }

  hear(order: Order, word: string): boolean {
    const { rank, fulfillment, isEnd } = words[word]!;
    if (!order.parcel || rank <= (words[order.parcel.word]?.rank ?? 0)) return false;
    order.parcel = { word, isLive: order.parcel.isLive && !isEnd };
    if (fulfillment !== 'requested' && fulfillment !== 'failed') this.move(order, 'ship');
    this.raise(order, fulfillment);
    if (word === 'delivered' && order.status === 'shipped') this.move(order, 'complete');
    return true;
  }

  restock(order: Order): boolean {
    if (order.stock === 'committed' && !order.parcel?.isLive) {
      order.stock = 'restocked';
      this.onHand += sum(order.quantities);
    }
    return order.stock === 'restocked';
  }

  adjust(delta: number): boolean {
    if (this.onHand + delta < this.reserved()) return false;
    this.onHand += delta;
    return true;
  }
}
