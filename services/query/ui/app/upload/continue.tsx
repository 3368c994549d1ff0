// The button that continues an upload which an earlier page did not finish.
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { IconButton } from "../ui/button.js";
import { Play } from "../ui/icon.js";
import { toast } from "../ui/toast.js";
import { pick, reopen } from "./drop.js";
import { continueWith, type Dropped, type Item } from "./queue.js";

/** Continues with the file that the upload had, if the browser can read it again, or with files that the user chooses. */
export function Continue({ item }: { item: Item }): JSX.Element {
  const input = useRef<HTMLInputElement>(null), { handle, name } = item.record;
  const take = (files: Omit<Dropped, "folders">[]): void => {
    const other = continueWith(files)[0];
    if (!other) return;
    toast(other.name === name
      ? `${name} has changed since. Upload it as a new file.`
      : `${other.name} is not an unfinished upload. Choose ${name}.`, { bad: true });
  };
  const begin = async (): Promise<void> => {
    const file = handle && await reopen(handle);
    if (file) take([{ file }]);
    else {
      const picked = await pick();
      if (picked) take(picked);
      else input.current?.click();
    }
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden onChange={({ currentTarget: { files } }) => {
        take([...files ?? []].map((file) => ({ file })));
      }} />
      <IconButton icon={Play} label={`Continue ${name}`} onClick={() => void begin()} />
    </>
  );
}
