import { useEffect, useState } from 'preact/hooks';
import { get } from './api.js';

const afterProblemMs = 5000;
/** The server is away or busy; any other refusal would be the same again. */
const isPassing = ({ status }) => status === undefined || status === 429 || status >= 500;

/**
 * Loads when it is first shown and when `deps` change. `delayOf(value)`: milliseconds until it is looked at again; undefined: it is over.
 * `again()` looks at once.
 */
export function useLoaded(load, deps, delayOf = () => undefined) {
  const [state, set] = useState({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    let timer;
    let delay;
    const look = async () => {
      try {
        const value = await load(controller.signal);
        if (controller.signal.aborted) return;
        set({ value });
        delay = delayOf(value);
      } catch (problem) {
        if (controller.signal.aborted) return;
        set(({ value }) => ({ value, problem }));
        delay = isPassing(problem) ? afterProblemMs : undefined;
      }
      if (delay !== undefined) timer = setTimeout(lookIfSeen, delay);
    };
    // A page that nobody looks at asks nothing.
    const lookIfSeen = () => {
      if (document.hidden) timer = setTimeout(lookIfSeen, delay);
      else look();
    };
    look();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [...deps, turn]);
  return { ...state, again: () => setTurn((before) => before + 1) };
}

/** Pages of a list, one below the other: `more` is there while the API has another. */
export function useList(path, query = {}) {
  const [state, set] = useState({ isBusy: true });
  const [turn, setTurn] = useState(0);
  const read = async (before, cursor, signal) => {
    try {
      const { items, meta } = await get(path, { limit: 25, ...query, cursor }, signal);
      set({ items: [...before, ...items], next: meta.has_more ? meta.next_cursor : undefined, isBusy: false });
    } catch (problem) {
      if (!signal?.aborted) set((known) => ({ ...known, problem, isBusy: false }));
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    set(({ items }) => ({ items, isBusy: true }));
    read([], undefined, controller.signal);
    return () => controller.abort();
  }, [path, JSON.stringify(query), turn]);
  const { items = [], next, problem, isBusy } = state;
  const more = () => {
    set((known) => ({ ...known, isBusy: true, problem: undefined }));
    read(items, next);
  };
  return { items, isLoaded: state.items !== undefined, problem, isBusy, more: next && more, again: () => setTurn((n) => n + 1) };
}

/** Runs one action at a time and keeps what it was refused with. */
export function useAction(act) {
  const [state, set] = useState({ isBusy: false });
  const run = async (...given) => {
    if (state.isBusy) return;
    set({ isBusy: true });
    try {
      await act(...given);
      set({ isBusy: false });
    } catch (problem) {
      set({ isBusy: false, problem });
    }
  };
  return { ...state, run, clear: () => set({ isBusy: false }) };
}
