// A table that renders only visible rows and requests more rows near its end. It scrolls with the page.
import { Component, type ComponentChildren, type JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Column<T> {
  /** The class of the column's cells is cell-<key>. */
  key: string;
  /** The heading. */
  label: string;
  /** A track of CSS grid, such as 1fr or 8rem. */
  width: string;
  cell: (row: T) => ComponentChildren;
  align?: "end";
  /** Whether the column is hidden on a phone. */
  wide?: boolean;
  /** Whether the heading is for screen readers only. */
  quiet?: boolean;
  /** Content of the column header in place of the label, such as a sort button. */
  head?: ComponentChildren;
  sorted?: "ascending" | "descending";
}

type RowProps = Omit<JSX.IntrinsicElements["div"], "ref" | "key"> & Record<`data-${string}`, string>;

interface TableProps<T> {
  label: string;
  /** Must be the same object (useMemo) as long as the cells of a row do not change. */
  columns: Column<T>[];
  rows: T[];
  rowKey: (row: T) => string;
  /** The height of every row in px. */
  rowHeight?: number;
  /** Called when other rows become visible or the rows change, with the last row and whether it is near the end. */
  onShow?: (last: T | undefined, end: boolean) => void;
  /** Makes the row a link: a click anywhere on it follows the first link in it. */
  linked?: boolean;
  rowClass?: (row: T) => string;
  /** Additional attributes of a row, such as drag-and-drop handlers. */
  rowProps?: (row: T) => RowProps;
}

const around = 8; // rows rendered above and below the visible ones
const nearEnd = 30; // rows before the end from which more are requested

/** Matches screens that are too narrow for columns with wide. */
const narrow = matchMedia("(max-width: 640px)");

function useNarrow(): boolean {
  const [is, set] = useState(narrow.matches);
  useEffect(() => {
    const changed = (): void => set(narrow.matches);
    narrow.addEventListener("change", changed);
    return () => narrow.removeEventListener("change", changed);
  }, []);
  return is;
}

/** The range of visible rows of fixed height in an element that scrolls with the page. */
export function useInSight(ref: { current: HTMLElement | null }, total: number, height: number): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, Math.ceil(innerHeight / height) + around]);
  useLayoutEffect(() => {
    let frame = 0;
    const measure = (): void => {
      frame = 0;
      if (!ref.current) return;
      const top = -ref.current.getBoundingClientRect().top;
      const from = Math.max(0, Math.floor(top / height) - around), to = Math.ceil((top + innerHeight) / height) + around;
      setRange((was) => was[0] === from && was[1] === to ? was : [from, to]);
    };
    const later = (): void => { frame ||= requestAnimationFrame(measure); };
    measure();
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
    };
  }, [height, total]);
  return [Math.min(range[0], total), Math.max(0, Math.min(range[1], total))];
}

interface DrawnRow<T> {
  row: T;
  at: number;
  height: number;
  columns: Column<T>[];
  narrow: boolean;
  class: string;
  more: RowProps | undefined;
}

const visibleColumns = <T,>(columns: Column<T>[], isNarrow: boolean): Column<T>[] => columns.filter((c) => !isNarrow || !c.wide);
const tracksOf = <T,>(columns: Column<T>[]): string => columns.map((c) => c.width).join(" ");

/** Renders a row again only when it changes. Passing the same columns object keeps scrolling fast. */
class Row<T> extends Component<DrawnRow<T>> {
  override shouldComponentUpdate(next: DrawnRow<T>): boolean {
    const { row, at, height, columns, narrow: was, class: name } = this.props;
    return next.row !== row || next.at !== at || next.height !== height || next.columns !== columns || next.narrow !== was ||
      next.class !== name || next.more !== undefined;
  }

  override render({ row, at, height, columns, narrow: isNarrow, class: name, more }: DrawnRow<T>): JSX.Element {
    const shown = visibleColumns(columns, isNarrow);
    return (
      <div
        {...more} class={`row ${name}`} role="row" aria-rowindex={at + 2}
        style={{ gridTemplateColumns: tracksOf(shown), height: `${height}px`, transform: `translateY(${at * height}px)` }}
      >
        {shown.map((c) => <div key={c.key} role="cell" class={`cell-${c.key} ${c.align ?? ""}`}>{c.cell(row)}</div>)}
      </div>
    );
  }
}

export function Table<T>({ label, columns, rows, rowKey, rowHeight = 56, onShow, linked, rowClass, rowProps }: TableProps<T>): JSX.Element {
  const body = useRef<HTMLDivElement>(null), isNarrow = useNarrow();
  const [from, to] = useInSight(body, rows.length, rowHeight);
  const shown = visibleColumns(columns, isNarrow), tracks = tracksOf(shown);
  useEffect(() => { onShow?.(rows[to - 1], to >= rows.length - nearEnd); }, [to, rows, onShow]);
  const follow = (event: MouseEvent): void => {
    if (!linked || !(event.target instanceof Element) || event.target.closest("a, button, input, [role=menu]") ||
      getSelection()?.toString()) {
      return;
    }
    event.target.closest("[role=row]")?.querySelector("a")?.click();
  };
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={rows.length + 1} aria-colcount={shown.length}>
      <div role="rowgroup">
        <div class="row head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: tracks }}>
          {shown.map((c) => (
            <div key={c.key} role="columnheader" aria-sort={c.sorted} class={`cell-${c.key} ${c.align ?? ""}`}>
              {c.head ?? <span class={c.quiet ? "visually-hidden" : ""}>{c.label}</span>}
            </div>
          ))}
        </div>
      </div>
      <div
        ref={body} class={linked ? "rows linked" : "rows"} role="rowgroup"
        style={{ height: `${rows.length * rowHeight}px` }} onClick={follow}
      >
        {rows.slice(from, to).map((row, i) => (
          <Row
            key={rowKey(row)} row={row} at={from + i} height={rowHeight} columns={columns}
            narrow={isNarrow} class={rowClass?.(row) ?? ""} more={rowProps?.(row)}
          />
        ))}
      </div>
    </div>
  );
}
