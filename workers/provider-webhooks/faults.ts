import { cut } from '../../src/platform/cut.ts';

const maxFaults = 100;
const maxCharacters = 64 * 1024;
const maxError = 500;
const maxPart = 2_000;

/** Keeps the first faults with their parts, and counts the others. */
export function faultList() {
  const kept: { error: string; part?: string }[] = [];
  let characters = 0;
  let others = 0;
  return {
    add(error: string, part?: unknown) {
      if (kept.length === maxFaults || characters > maxCharacters) {
        others += 1;
        return;
      }
      const text = typeof part === 'string' ? part : JSON.stringify(part);
      kept.push({ error: cut(error, maxError), ...(text && { part: cut(text, maxPart) }) });
      characters += error.length + (text?.length ?? 0);
    },
    /** A fault of the whole body is always kept. */
    first(error: string) {
      kept.unshift({ error });
    },
    /** null: all parts were applied. */
    text(): string | null {
      if (kept.length === 0) return null;
      const all = others > 0 ? [...kept, { error: `${others} more parts could not be applied` }] : kept;
      return JSON.stringify(all).replaceAll('\\u0000', '\\ufffd');
    },
  };
}

export type FaultList = ReturnType<typeof faultList>;
