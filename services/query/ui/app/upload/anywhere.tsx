// Accepts files that are dropped or pasted anywhere on the page.
import type { JSX } from "preact";
import { lazy } from "../ui/lazy.js";
import { useEffect, useState } from "preact/hooks";
import { Upload } from "../ui/icon.js";
import { dropped } from "./drop.js";
import { openDialog, reviewed, take } from "./open.js";

const UploadDialog = lazy(() => import("./dialog.js"));

const withFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

export function Anywhere(): JSX.Element {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const on = {
      dragenter: (event: DragEvent) => { if (withFiles(event)) { depth++; setOver(true); } },
      dragover: (event: DragEvent) => { if (withFiles(event)) event.preventDefault(); },
      dragleave: (event: DragEvent) => { if (withFiles(event) && --depth <= 0) { depth = 0; setOver(false); } },
      drop: (event: DragEvent) => {
        depth = 0;
        setOver(false);
        if (!withFiles(event) || !event.dataTransfer) return;
        event.preventDefault();
        void dropped(event.dataTransfer).then(take);
      },
      paste: (event: ClipboardEvent) => {
        if (!event.clipboardData || event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]")) return;
        const text = event.clipboardData.getData("text/plain");
        if (event.clipboardData.types.includes("Files")) void dropped(event.clipboardData).then(take);
        else if (text.trim()) openDialog([{ file: new File([text], "pasted.txt", { type: "text/plain;charset=utf-8" }), folders: [] }]);
        else return;
        event.preventDefault();
      },
    };
    for (const [name, listen] of Object.entries(on)) addEventListener(name, listen as EventListener);
    return () => { for (const [name, listen] of Object.entries(on)) removeEventListener(name, listen as EventListener); };
  }, []);
  return (
    <>
      {over && <div class="drop-here" aria-hidden="true"><div><Upload />Drop to upload</div></div>}
      {reviewed.value && <UploadDialog rows={reviewed.value} />}
    </>
  );
}
