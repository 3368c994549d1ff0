// Tiles in rows of equal height. Only visible tiles are rendered.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useInSight } from "./table.js";

interface TilesProps<T> {
  label: string;
  items: T[];
  itemKey: (item: T) => string;
  tile: (item: T) => ComponentChildren;
  /** The minimum width of a tile, and the height of a row including its gap, in px. */
  width?: number;
  height?: number;
  /** Called when other tiles become visible or the items change, with the last item and whether it is near the end. */
  onShow?: (last: T | undefined, end: boolean) => void;
}

const gap = 16; // px

export function Tiles<T>({ label, items, itemKey, tile, width = 200, height = 240, onShow }: TilesProps<T>): JSX.Element {
  const ref = useRef<HTMLUListElement>(null);
  const [columns, setColumns] = useState(1);
  const rows = Math.ceil(items.length / columns), [from, to] = useInSight(ref, rows, height);
  useLayoutEffect(() => {
    if (!ref.current) return;
    const watch = new ResizeObserver(([entry]) => {
      if (entry) setColumns(Math.max(1, Math.floor((entry.contentRect.width + gap) / (width + gap))));
    });
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, [width]);
  useEffect(() => { onShow?.(items[Math.min(to * columns, items.length) - 1], to >= rows - 3); }, [to, columns, items, onShow]);
  return (
    <ul ref={ref} class="tiles" aria-label={label} style={{ height: `${rows * height}px` }}>
      {items.slice(from * columns, to * columns).map((item, i) => {
        const at = from * columns + i;
        const style = {
          width: `calc((100% - ${(columns - 1) * gap}px) / ${columns})`, height: `${height - gap}px`,
          top: `${Math.floor(at / columns) * height}px`, insetInlineStart: `calc((100% + ${gap}px) / ${columns} * ${at % columns})`,
        };
        return <li key={itemKey(item)} class="tile" aria-setsize={items.length} aria-posinset={at + 1} style={style}>{tile(item)}</li>;
      })}
    </ul>
  );
}
