// Values that are read at an interval while the page is visible.
import { useEffect, useRef, useState } from "preact/hooks";
import { message } from "../api/client.js";

interface Polled<T> {
  /** The value of the last successful read. */
  value: T | undefined;
  /** The error of the last read; empty if it succeeded. */
  error: string;
  /** Reads immediately. */
  again: () => Promise<void>;
}

/** Calls read immediately, when key changes, and at an interval in ms while the page is visible. */
export function usePolled<T>(read: () => Promise<T>, every: number, key = ""): Polled<T> {
  const [state, set] = useState<{ key: string; value: T | undefined; error: string }>({ key, value: undefined, error: "" });
  const turn = useRef(0), latest = useRef(read);
  latest.current = read;
  const again = async (): Promise<void> => {
    const mine = ++turn.current;
    try {
      const value = await latest.current();
      if (mine === turn.current) set({ key, value, error: "" });
    } catch (error) {
      if (mine === turn.current) set((was) => ({ ...was, error: message(error) }));
    }
  };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = async (): Promise<void> => {
      clearTimeout(timer);
      const began = Date.now();
      await again();
      if (!ended && !document.hidden) timer = setTimeout(() => void next(), Math.max(every - (Date.now() - began), 500));
    };
    let ended = false;
    const changed = (): void => {
      if (document.hidden) clearTimeout(timer);
      else void next();
    };
    document.addEventListener("visibilitychange", changed);
    void next();
    return () => {
      ended = true;
      turn.current++;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", changed);
    };
  }, [key, every]);
  return { value: state.key === key ? state.value : undefined, error: state.error, again };
}
