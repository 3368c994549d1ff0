// Selects files, and shows and changes their targets before the upload.
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Close, FileIcon, Library, Upload } from "../ui/icon.js";
import { Bdi, bytes, counted } from "../ui/text.js";
import { chosen, pick } from "./drop.js";
import { destination, openDialog, reviewed, type Row } from "./open.js";
import { add } from "./queue.js";
import { type Receiver, receivers } from "./receivers.js";

const shown = 200; // rows; further files are uploaded, but not shown

export default function UploadDialog({ rows }: { rows: Row[] }): JSX.Element {
  const setRows = (next: Row[]): void => { reviewed.value = next; };
  const [options, setOptions] = useState<ReadonlyMap<string, unknown>>(new Map());
  const files = useRef<HTMLInputElement>(null), folder = useRef<HTMLInputElement>(null);
  const close = (): void => { reviewed.value = undefined; };
  const choose = ({ currentTarget: input }: { currentTarget: HTMLInputElement }): void => {
    if (input.files) openDialog(chosen(input.files));
    input.value = ""; // so that the same files can be chosen again
  };
  const groups = useMemo(() => {
    const by = new Map<Receiver, Row[]>();
    for (const row of rows) if (row.area) by.set(row.area, [...by.get(row.area) ?? [], row]);
    return [...by];
  }, [rows]);
  const incomplete = groups.filter(([area]) => area.upload.Form && options.get(area.name) === undefined);
  const start = (): void => {
    for (const [area, of] of groups) {
      const files = of.map(({ area: _, ...dropped }) => dropped);
      add(area, files, area.upload.Form ? options.get(area.name) : area.upload.here?.()?.options);
    }
    close();
  };
  const targets = receivers.value;
  const setAll = (name: string): void => {
    const to = targets.find((t) => t.name === name);
    setRows(rows.map((r) => ({ ...r, area: !to ? destination(r.file) : to.upload.accepts(r.file) ? to : r.area })));
  };
  return (
    <Dialog title="Upload" close={close} wide footer={<>
      <span class="soft grow">
        {rows.length > 0 && `${counted(rows.length, "file")}, ${bytes(rows.reduce((sum, r) => sum + r.file.size, 0))}`}
      </span>
      <Button onClick={close}>Cancel</Button>
      <Button kind="primary" icon={Upload} disabled={groups.length === 0 || incomplete.length > 0} onClick={start}>Upload</Button>
    </>}>
      <input ref={files} type="file" multiple hidden onChange={choose} />
      <input ref={folder} type="file" multiple hidden {...{ webkitdirectory: true }} onChange={choose} />
      <div class="choose">
        <Upload />
        <p class="mouse"><strong>Drop files or folders here</strong>, paste them, or</p>
        <div class="actions">
          <Button icon={FileIcon} onClick={() => void pick().then((picked) => picked ? openDialog(picked) : files.current?.click())}>
            Choose files
          </Button>
          <Button icon={Library} onClick={() => folder.current?.click()}>Choose a folder</Button>
        </div>
      </div>
      {groups.map(([area, of]) => {
        const { Form } = area.upload;
        return Form && (
          <Form key={area.name} files={of.map((r) => r.file)} change={(value) => setOptions((was) => new Map(was).set(area.name, value))} />
        );
      })}
      {rows.length > 1 && targets.length > 1 && (
        <div class="row-all">
          <label>
            Upload all to{" "}
            <select onChange={(event) => setAll(event.currentTarget.value)}>
              <option value="">the matching area</option>
              {targets.map((t) => <option key={t.name} value={t.name}>{t.upload.label}</option>)}
            </select>
          </label>
        </div>
      )}
      {rows.length > 0 && (
        <ul class="review" aria-label="Files to upload">
          {rows.slice(0, shown).map((row, i) => (
            <li key={i}>
              <FileIcon />
              <div class="grow">
                <Bdi text={row.file.name} clip />
                <span class="sub">{bytes(row.file.size)}{row.folders.length > 0 && <> · <Bdi text={row.folders.join(" / ")} /></>}</span>
              </div>
              <label><span class="visually-hidden">Area of {row.file.name}</span>
                <select value={row.area?.name ?? ""} onChange={(event) => {
                  const to = targets.find((t) => t.name === event.currentTarget.value);
                  setRows(rows.with(i, { ...row, area: to }));
                }}>
                  {!row.area && <option value="">Choose an area</option>}
                  {targets.filter((t) => t.upload.accepts(row.file))
                    .map((t) => <option key={t.name} value={t.name}>{t.upload.label}</option>)}
                </select>
              </label>
              <IconButton icon={Close} label={`Remove ${row.file.name}`} onClick={() => setRows(rows.filter((_, at) => at !== i))} />
            </li>
          ))}
          {rows.length > shown && <li class="soft">and {counted(rows.length - shown, "more file", "more files")}</li>}
        </ul>
      )}
    </Dialog>
  );
}
