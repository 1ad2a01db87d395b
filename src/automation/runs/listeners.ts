import type { Own } from '../../platform/database/own.ts';
import { heardAmong } from '../../platform/events/record.ts';
import type { Action } from '../actions/action.ts';
import type { Step } from '../definition/definition.ts';
import type { Batch } from './batch.ts';

/** Of an action that may record anything. */
const anyType = [''];

/** Whether anybody listens to what the steps of a batch record: asked together with what they look at. */
export class Listeners {
  private readonly own: Own;
  private readonly actions: ReadonlyMap<string, Action>;
  private readonly asked = new Set<string>();
  private heard: Promise<Set<string>> | undefined;

  constructor(own: Own, actions: ReadonlyMap<string, Action>) {
    this.own = own;
    this.actions = actions;
  }

  ask(steps: Step[]): void {
    for (const type of steps.flatMap((step) => this.typesOf(step.type) ?? [])) this.asked.add(type);
    if (this.asked.size === 0) return;
    this.heard = heardAmong(this.own, [...this.asked]);
    this.heard.catch(() => {});
  }

  /** The types of all events that they record; undefined: somebody listens to one of them, or may. */
  async noneOf(writes: Batch['writes']): Promise<string[] | undefined> {
    const types = writes.flatMap(({ row, prepared }) => (prepared.noted && this.typesOf(row.type)) ?? anyType);
    if (types.length === 0 || !types.every((type) => this.asked.has(type))) return undefined;
    const heard = await this.heard;
    return heard && types.every((type) => !heard.has(type)) ? [...new Set(types)] : undefined;
  }

  private typesOf(type: string): string[] | undefined {
    const action = this.actions.get(type);
    return action?.kind === 'database' ? action.tells : undefined;
  }
}
