// The options of an edit that few photos need.
import type { JSX } from "preact";
import type { Options } from "./view.js";

export function MoreOptions({ options, change }: { options: Options; change: (options: Options) => void }): JSX.Element {
  const { colors, frames, keep, tolerant, ...rest } = options;
  const chosen = { colors, frames, keep, tolerant };
  const set = (next: Partial<Options>): void => {
    const given = Object.entries({ ...chosen, ...next }).filter(([, value]) => value !== undefined);
    change({ ...rest, ...Object.fromEntries(given) });
  };
  return (
    <details>
      <summary>More options</summary>
      <p class="options">
        <Choice label="Convert the colors to sRGB" on={colors === "srgb"} set={(on) => set({ colors: on ? "srgb" : undefined })} />
        <Choice label="Edit all frames of animations" on={frames === "all"} set={(on) => set({ frames: on ? "all" : undefined })} />
        <Choice label="Keep the copyright" on={keep !== undefined} set={(on) => set({ keep: on ? ["copyright"] : undefined })} />
        <Choice
          label="Edit what can be read of truncated photos" on={tolerant === true}
          set={(on) => set({ tolerant: on ? true : undefined })}
        />
      </p>
    </details>
  );
}

function Choice({ label, on, set }: { label: string; on: boolean; set: (on: boolean) => void }): JSX.Element {
  return <label><input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} />{" "}{label}</label>;
}
