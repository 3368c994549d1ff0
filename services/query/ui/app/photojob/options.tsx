// The options of an edit that few photos need.
import type { JSX } from "preact";
import type { Options } from "./view.js";

export function MoreOptions({ options, change }: { options: Options; change: (options: Options) => void }): JSX.Element {
  /** Adds an option, or removes it. */
  const set = <K extends keyof Options>(name: K, value: NonNullable<Options[K]>, on: boolean): void => {
    const { [name]: _, ...rest } = options;
    change(on ? { ...rest, [name]: value } as Options : rest as Options);
  };
  return (
    <details>
      <summary>More options</summary>
      <p class="options">
        <Choice label="Convert the colors to sRGB" on={options.colors === "srgb"} set={(on) => set("colors", "srgb", on)} />
        <Choice label="Edit all frames of animations" on={options.frames === "all"} set={(on) => set("frames", "all", on)} />
        <Choice label="Keep the copyright" on={options.keep !== undefined} set={(on) => set("keep", ["copyright"], on)} />
        <Choice label="Edit what can be read of truncated photos" on={options.tolerant === true} set={(on) => set("tolerant", true, on)} />
      </p>
    </details>
  );
}

function Choice({ label, on, set }: { label: string; on: boolean; set: (on: boolean) => void }): JSX.Element {
  return <label><input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} />{" "}{label}</label>;
}
