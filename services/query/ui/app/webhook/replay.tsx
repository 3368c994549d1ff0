// The dialog that sends deliveries again.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../api/client.js";
import { Ask } from "../ui/ask.js";
import { counted } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import type { Endpoint } from "./view.js";

const hour = 3600_000; // ms
const periods = [
  { key: "1", label: "The last hour" }, { key: "24", label: "The last 24 hours" }, { key: "168", label: "The last 7 days" },
  { key: "720", label: "The last 30 days" }, { key: "time", label: "Since a time …" },
];

type What = Schemas["ReplayRequest"];

/** Sends deliveries again until none is left, and returns their number. */
export async function replay(id: string, what: What): Promise<number> {
  let total = 0;
  for (let next: What | undefined = what; next;) {
    const part: Schemas["ReplayView"] = await api.POST("/v1/webhooks/{id}/replay", { params: { path: { id } }, body: next }).then(data);
    total += part.replayed;
    const { since: _, ...rest } = next;
    next = part.next ? { ...rest, after: part.next } : undefined;
  }
  return total;
}

export function Replay({ endpoint, replayed, close }: { endpoint: Endpoint; replayed: () => void; close: () => void }): JSX.Element {
  const [period, setPeriod] = useState("24"), [from, setFrom] = useState(""), [status, setStatus] = useState<"dead" | "">("dead");
  const act = async (): Promise<void> => {
    const now = new Date();
    const since = period === "time" ? new Date(from) : new Date(now.getTime() - Number(period) * hour);
    const n = await replay(endpoint.id, { since: since.toISOString(), until: now.toISOString(), ...status ? { status } : {} });
    toast(n > 0 ? `${counted(n, "event")} sent again.` : "There was nothing to send again.");
    replayed();
  };
  return (
    <Ask title="Replay events" verb="Replay" close={close} ready={period !== "time" || from !== ""} act={act}>
      <p>Each event is sent once more, with its previous <code>webhook-id</code> and in the order of the events.</p>
      <label class="field">
        Events of
        <select data-focus value={period} onChange={(event) => setPeriod(event.currentTarget.value)}>
          {periods.map((p) => <option key={p.key} value={p.key}>{p.label}</option>)}
        </select>
      </label>
      {period === "time" && (
        <label class="field">
          Time
          <input type="datetime-local" required value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
        </label>
      )}
      <label class="field">
        Deliveries
        <select value={status} onChange={(event) => setStatus(event.currentTarget.value === "dead" ? "dead" : "")}>
          <option value="dead">Only dead ones</option>
          <option value="">All, also those that were delivered</option>
        </select>
      </label>
    </Ask>
  );
}
