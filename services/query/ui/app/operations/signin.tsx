import type { JSX } from "preact";
import { Button, ButtonLink } from "../ui/button.js";
import { EmptyState } from "../ui/feedback.js";
import { External, Retry, User } from "../ui/icon.js";
import { Page } from "../ui/page.js";

/** Shown to operators without a session. Sessions start in the web app and are valid on all ports of its host name. */
export function SignIn(): JSX.Element {
  return (
    <Page title="Sign in">
      <EmptyState
        icon={User} title="Operator sign-in required"
        action={<>
          <ButtonLink kind="primary" icon={External} href="/operations/sign-in" target="_blank">Sign in to the web app</ButtonLink>
          <Button icon={Retry} onClick={() => location.reload()}>I have signed in</Button>
        </>}
      >
        In this browser, sign in to the web app as an operator at the host
        name <code>
          {location.hostname}
        </code>. The session is also valid here. Programs send the API key of an operator in the Authorization header.
      </EmptyState>
    </Page>
  );
}
