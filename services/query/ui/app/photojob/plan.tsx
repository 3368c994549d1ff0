// What the local provider will do for a prompt, shown while it is written.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, data } from "../api/client.js";
import type { Schemas } from "../api/client.js";
import { Bdi } from "../ui/text.js";
import type { Terms } from "./view.js";

const pause = 400; // ms without a change of the prompt

/** The plan of the terms. It is empty until the server has answered, and for providers that interpret prompts themselves. */
export function Plan({ terms }: { terms: Terms }): JSX.Element {
  const [plan, setPlan] = useState<Schemas["Plan"]>();
  const local = (terms.options.provider ?? "local") === "local";
  const request = JSON.stringify({ prompt: terms.prompt, options: terms.options });
  useEffect(() => {
    if (!local) {
      setPlan(undefined);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const body = JSON.parse(request) as Terms;
      void api.POST("/v1/photos/explain", { body, signal: stop.signal }).then(data)
        .then(setPlan, () => { if (!stop.signal.aborted) setPlan(undefined); }); // the upload reports what is wrong
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [request, local]);
  return (
    <div class="plan" role="status" aria-label="What will be done">
      {plan && plan.steps.length > 0 && <ol>{plan.steps.map((step, i) => <li key={i}><Bdi text={step.description} /></li>)}</ol>}
      {plan?.unknown.map((part) => <p key={part} class="unclear">Not understood: <Bdi text={part} /></p>)}
      {plan?.suggestion && <p>Did you mean <Bdi text={plan.suggestion} />?</p>}
    </div>
  );
}
