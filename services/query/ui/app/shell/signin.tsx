// The sign-in page: a link to the identity provider and a field for an API key.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { methods, signIn, signInAddress } from "../api/identity.js";
import { Button, ButtonLink } from "../ui/button.js";

const messages = {
  refused: "This key does not exist, has expired or was revoked.",
  failed: "Assay cannot be reached. Check the connection and try again.",
};

export function SignIn(): JSX.Element {
  const [key, setKey] = useState(""), field = useRef<HTMLInputElement>(null), [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const provider = methods.value.includes("oidc");
  useEffect(() => {
    document.title = "Sign in · Assay";
    if (!provider) field.current?.focus();
  }, []);
  const send = (): void => {
    setBusy(true);
    void signIn(key.trim()).then((result) => {
      if (result === "ok") return;
      setBusy(false);
      setError(messages[result]);
      if (result === "refused") field.current?.select();
    });
  };
  return (
    <main id="main" class="sign-in">
      <p class="brand"><img src="/ui/icon.svg" alt="" width="28" height="28" />Assay</p>
      <h1 id="title" tabIndex={-1}>Sign in</h1>
      {provider && <>
        <ButtonLink kind="primary" href={signInAddress()}>Sign in with your account</ButtonLink>
        <p class="or soft">or with an API key</p>
      </>}
      <form onSubmit={(event) => { event.preventDefault(); send(); }}>
        <label class="field">
          API key
          <input
            ref={field} type="password" name="key" value={key} maxLength={200} required
            autocomplete="off" spellcheck={false} aria-invalid={error !== ""}
            aria-describedby="key-help" onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        {error && <p class="error" role="alert">{error}</p>}
        <p id="key-help" class="soft">
          An operator creates keys with <code>assay keys create</code>. This browser stores a session for at most 12
          hours. It does not store the key.
        </p>
        <Button {...provider ? {} : { kind: "primary" as const }} type="submit" disabled={busy || key.trim() === ""}>
          {busy ? "Signing in …" : "Sign in"}
        </Button>
      </form>
    </main>
  );
}
