// Lists that outlive their pages, so that a page to which the user returns shows its rows at once, at the place that they had.

const most = 8; // lists
const lists = new Map<string, unknown>();

/** Returns the list of that name, which must identify everything that it depends on. Makes it if it is not kept. */
export function kept<L>(name: string, make: () => L): L {
  const list = lists.get(name) as L | undefined ?? make();
  lists.delete(name);
  lists.set(name, list); // the last is the most recent
  for (const oldest of lists.keys()) {
    if (lists.size <= most) break;
    lists.delete(oldest);
  }
  return list;
}
