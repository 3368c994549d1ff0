// Two pictures of one photo on top of each other; a divider reveals more of one or the other.
import type { JSX } from "preact";
import { useState } from "preact/hooks";

export function Slider({ before, after, name, width, height }: {
  before: string; after: string; name: string; width: number; height: number;
}): JSX.Element {
  const [at, setAt] = useState(50); // percent
  return (
    <div class="slider" dir="ltr" style={{ aspectRatio: `${width} / ${height}`, "--at": `${at}%` }}>
      <img class="after" src={after} alt={`${name}, edited`} />
      <img class="before" src={before} alt={`${name}, as uploaded`} />
      <span class="divider" aria-hidden="true" />
      <span class="side left" aria-hidden="true">Before</span><span class="side right" aria-hidden="true">After</span>
      <input
        type="range" min={0} max={100} value={at}
        aria-label="How much of the uploaded photo is shown" aria-valuetext={`${at} percent`}
        onInput={(event) => setAt(Number(event.currentTarget.value))}
      />
    </div>
  );
}
