// The order of a list, which the headers of its columns show and change.
import type { JSX } from "preact";
import { ChevronDown } from "./icon.js";
import type { Column } from "./table.js";

/**
 * The header of a column that sorts by it. An order is the key of a column, after a minus sign if it is descending. The first
 * click chooses the order first, the next one the opposite.
 */
export function ordered({ key, label, sort, first = key, choose }: {
  key: string; label: string; sort: string; first?: string; choose: (sort: string) => void;
}): Pick<Column<never>, "head" | "sorted"> {
  const on = sort === key ? "ascending" : sort === `-${key}` ? "descending" : undefined;
  const next = on === undefined ? first : on === "ascending" ? `-${key}` : key;
  const head: JSX.Element = (
    <button type="button" class={`sort ${on ?? ""}`} onClick={() => choose(next)}>
      {label}
      <ChevronDown />
    </button>
  );
  return { ...on ? { sorted: on } : {}, head };
}
