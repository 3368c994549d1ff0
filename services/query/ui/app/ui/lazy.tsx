import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A component whose script is loaded on first use. Renders nothing until then. */
export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): (props: P) => JSX.Element | null {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [, redraw] = useState(0);
    useEffect(() => {
      if (loaded) return;
      let gone = false;
      void load().then((module) => {
        loaded = module.default;
        if (!gone) redraw(1);
      });
      return () => { gone = true; };
    }, []);
    const Component = loaded;
    return Component ? <Component {...props} /> : null;
  };
}
