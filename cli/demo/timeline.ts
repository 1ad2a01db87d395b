import { styleText } from 'node:util';

export type Party = 'your app' | 'Kanal' | 'provider' | 'contact' | 'customer' | 'courier' | 'calendar' | 'staff';

/** `at` is the wall clock in ms: the sandbox tells its own times by it, and all of them run on one machine. */
export type Step = { at: number; from: Party; to: Party; what: string; note?: string; isGood?: boolean };

export type Timeline = {
  chapter(title: string): void;
  add(...steps: Step[]): void;
  /** Prints what was added since, in the order it happened. */
  show(): void;
  say(line: string): void;
};

const partyWidth = 8;
const whatWidth = 36;
const timeWidth = 9;
/** For a line that stands under the parties. */
export const besideTimes = ' '.repeat(2 * timeWidth + 4);

export function createTimeline(write: (line: string) => void): Timeline {
  let chapters = 0;
  let pending: Step[] = [];
  let first: number | undefined;
  let last: number | undefined;

  function line({ at, from, to, what, note = '', isGood }: Step): string {
    first ??= at;
    const since = last === undefined ? '' : `+${at - last} ms`;
    last = at;
    const times = styleText('dim', `${`${at - first} ms`.padStart(timeWidth)}  ${since.padEnd(timeWidth)}`);
    const parties = `${from.padEnd(partyWidth)} → ${to.padEnd(partyWidth)}`;
    const mark = isGood === undefined ? 'dim' : isGood ? 'green' : 'red';
    return `${times}  ${parties}  ${note ? `${what.padEnd(whatWidth)}  ${styleText(mark, note)}` : what}`;
  }

  return {
    chapter(title) {
      chapters += 1;
      [first, last] = [undefined, undefined];
      write(`\n${styleText('bold', `${chapters}  ${title}`)}`);
    },
    add: (...steps) => void pending.push(...steps),
    show() {
      const inOrder = pending.sort((one, other) => one.at - other.at);
      pending = [];
      for (const step of inOrder) write(line(step));
    },
    say: write,
  };
}
